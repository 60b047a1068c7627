"""What is wrong with attention weights, measured; each finding is a sentence or two for a student. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

MOST_NUMBERS = 4_000_000  # larger arrays are judged by their first heads
TOLERANCE = 1e-3  # of a row's sum; float16 rounds a row of 1,000 keys by about as much
SATURATED = 0.99  # a row whose largest weight is above this has put everything on one key
FEW_KEYS = 4  # with fewer keys a confident row is no surprise

Floats = npt.NDArray[np.floating[Any]]
Blocked = npt.NDArray[np.bool_]


class Finding(NamedTuple):
    """`kind` names it for tests and styles; `text` is one or two sentences."""

    kind: str
    text: str


def findings(w: Floats, queries: Sequence[str], blocked: Blocked | None = None) -> list[Finding]:
    """What is wrong with weights (h, nq, nk); `blocked` is (nq, nk), True where attention is masked."""
    _, nq, nk = w.shape
    w = w[: max(1, MOST_NUMBERS // (nq * nk))]
    with np.errstate(invalid="ignore", over="ignore"):  # NaN and ∞ are findings here, not surprises
        found = (
            _not_a_number(w, queries, blocked),
            _negative(w),
            _sums(w),
            _on_the_mask(w, blocked),
            _ahead(w) if blocked is None else None,
            _identical(w),
            _saturated(w, blocked),
        )
    return [finding for finding in found if finding]


def scale_finding(scale: float, d_k: int) -> Iterator[Finding]:
    """Scores that are not divided by √d_k, as far as the factor tells."""
    if not np.isclose(scale, d_k**-0.5, rtol=1e-3):
        yield Finding(
            "scale",
            f"The scores are scaled by {scale:.3g}; 1/√d_k is {d_k**-0.5:.3g} for d_k = {d_k}.",
        )


def _not_a_number(w: Floats, queries: Sequence[str], blocked: Blocked | None) -> Finding | None:
    broken = ~np.isfinite(w)  # (h, nq, nk)
    count = int(np.count_nonzero(broken))
    if not count:
        return None
    closed = np.flatnonzero(blocked.all(axis=-1)) if blocked is not None else np.array([], dtype=int)
    if closed.size and broken[:, closed].all():
        rows = _listed([queries[i] for i in closed])
        return Finding(
            "nan",
            f"Every key is masked for {rows}: softmax divides 0 by 0 there, which gives NaN (crossed).",
        )
    cells = "1 weight is" if count == 1 else f"{count:,} weights are"
    return Finding("nan", f"{cells} not a number (crossed). A row in which every key is masked does that.")


def _negative(w: Floats) -> Finding | None:
    below = int(np.count_nonzero(w < 0))
    if not below:
        return None
    return Finding("negative", f"{_counted(below, 'weight')} below 0. Are these the scores, before softmax?")


def _sums(w: Floats) -> Finding | None:
    by_row = _off(w, -1)
    if by_row <= TOLERANCE:
        return None
    if _off(w, -2) <= TOLERANCE:
        return Finding(
            "axis",
            "Each column sums to 1 and the rows do not: softmax ran over the queries (axis −2). "
            "It belongs over the keys, axis −1.",
        )
    if len(w) > 1 and float(np.abs(w.sum(axis=0) - 1).max()) <= TOLERANCE:
        return Finding(
            "axis",
            "The heads sum to 1 in each cell: softmax ran over the heads. It belongs over the keys, axis −1.",
        )
    return Finding(
        "sum", f"Rows do not sum to 1 (off by up to {by_row:.2g}). Is softmax taken over the keys, axis −1?"
    )


def _off(w: Floats, axis: int) -> float:
    """By how much a line along `axis` misses the sum 1 at most; lines with a gap are left out."""
    sums = w.sum(axis=axis, dtype=np.float64)
    sums = sums[np.isfinite(sums)]
    return float(np.abs(sums - 1).max()) if sums.size else 0.0


def _on_the_mask(w: Floats, blocked: Blocked | None) -> Finding | None:
    if blocked is None or not blocked.any():
        return None
    leaked = np.nan_to_num(np.where(blocked, w, 0), posinf=0, neginf=0).sum(axis=-1)  # (h, nq)
    if leaked.max() <= TOLERANCE:
        return None
    head, query = np.unravel_index(int(leaked.argmax()), leaked.shape)
    open_mass = float(np.nan_to_num(np.where(blocked, 0, w)).sum())
    hint = (
        "Is the mask inverted?"
        if open_mass <= TOLERANCE
        else "The mask belongs on the scores, as −∞ before softmax."
    )
    where = f" (head {head + 1})" if len(w) > 1 else ""
    return Finding(
        "mask", f"Row {query + 1}{where} gives {leaked.max():.0%} of its weight to masked keys. {hint}"
    )


def _ahead(w: Floats) -> Finding | None:
    """Some heads give later keys nothing, others do not: then a causal mask reached only some of them.

    Nothing is 0. Heads that have learned to look back only, as encoders have, leave a little everywhere.
    """
    h, nq, nk = w.shape
    if nq != nk or nq < 3 or h < 2:
        return None
    later = np.nan_to_num(np.triu(np.abs(w), 1)).sum(axis=(-1, -2))  # (h,)
    looking, masked = later > TOLERANCE, later == 0
    if not masked.any() or not looking.any() or _diagonal(w[masked]):
        return None
    which = _heads(np.flatnonzero(looking))
    return Finding(
        "ahead", f"{which} above the diagonal, the others do not. Did a causal mask miss some heads?"
    )


def _diagonal(w: Floats) -> bool:
    """Whether these heads look at one key only, so that looking at no later one says nothing of a mask."""
    return bool((np.nan_to_num(w).max(axis=-1) > SATURATED).all())


def _identical(w: Floats) -> Finding | None:
    h, _, nk = w.shape
    if h < 2 or nk < 2 or not np.isfinite(w).all():
        return None
    groups: dict[bytes, list[int]] = {}
    for head in range(h):
        groups.setdefault(np.round(w[head].astype(np.float64), 5).tobytes(), []).append(head)
    same = next((group for group in groups.values() if len(group) > 1), None)
    if same is None:
        return None
    if np.ptp(w[same[0]]) < TOLERANCE:
        return Finding(
            "uniform", "Several heads are uniform: every key gets the same weight. Are the scores all equal?"
        )
    return Finding(
        "identical",
        f"Heads {_listed([str(head + 1) for head in same])} are identical. Do they share one projection?",
    )


def _saturated(w: Floats, blocked: Blocked | None) -> Finding | None:
    nk = w.shape[-1]
    keys = np.full(w.shape[-2], nk) if blocked is None else nk - blocked.sum(axis=-1)  # (nq,)
    most = w[:, keys >= FEW_KEYS].max(axis=-1, initial=0)  # (h, rows with a choice)
    if most.size < FEW_KEYS or not np.isfinite(most).all() or np.mean(most > SATURATED) < 0.8:
        return None
    return Finding(
        "saturated",
        "Nearly every row puts all its weight on one key. Training can do that; "
        "in an untrained layer, are the scores divided by √d_k?",
    )


def _heads(which: npt.NDArray[np.intp]) -> str:
    numbers = _listed([str(head + 1) for head in which])
    return f"Head {numbers} looks" if len(which) == 1 else f"Heads {numbers} look"


def _listed(items: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c"; after five, how many more."""
    if len(items) > 5:
        items = [*items[:5], f"{len(items) - 5} more"]
    return " and ".join(filter(None, (", ".join(items[:-1]), items[-1])))


def _counted(number: int, noun: str) -> str:
    return f"1 {noun} is" if number == 1 else f"{number:,} {noun}s are"
