"""A whole head in a sentence, for readers without scripts: its strongest pair and how spread out it is. Pure.

`static/js/headwords.js` says the same and the head's kind; a shared table of cases keeps them equal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

Weights = Sequence[float | None]
"""Row-major; None where there is no number."""


def head_words(
    weights: Weights, mask: Sequence[int], queries: Sequence[str], keys: Sequence[str]
) -> tuple[str, float]:
    """ "strongest it → animal, 0.62; entropy 1.30 of at most 3.58 bits", and the entropy or NaN."""
    nk = len(keys)
    rows = [weights[start : start + nk] for start in range(0, len(weights), nk)]
    # A row with one key left to it has no choice, so any other row says more.
    choice = [nk - sum(mask[q * nk : (q + 1) * nk]) > 1 for q in range(len(rows))]
    cells = [(choice[q], w, -q, -k) for q, row in enumerate(rows) for k, w in enumerate(row) if w is not None]
    if not cells:
        return "no weight is a number", math.nan
    _, weight, query, key = max(cells)
    words = f"strongest {_isolated(queries[-query])} → {_isolated(keys[-key])}, {weight:.2f}"
    known = [bits for row in rows if not math.isnan(bits := _entropy(row))]
    if not known:
        return words, math.nan
    mean = sum(known) / len(known)
    return f"{words}; entropy {mean:.2f} of at most {math.log2(nk):.2f} bits", mean


def comparison(entropies: Sequence[float]) -> str:
    """Which of several heads is the most pointed and which the most even; "" if that means nothing."""
    known = [bits for bits in entropies if not math.isnan(bits)]
    if len(known) < 2 or max(known) - min(known) < 0.01:
        return ""
    least, most = entropies.index(min(known)) + 1, entropies.index(max(known)) + 1
    return f"Head {least} is the most pointed, head {most} the most even."


def _entropy(row: Weights) -> float:
    weights = [w for w in row if w is not None and w > 0]
    total = sum(weights)
    return -sum(w / total * math.log2(w / total) for w in weights) + 0 if total else math.nan


def _isolated(token: str) -> str:
    """A token inside a sentence keeps its direction to itself."""
    return f"\u2068{token}\u2069"
