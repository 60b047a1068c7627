"""Train the models of the cards task and record how well they do: python tests/labs/record_cards.py PART…

Writes lessons/31-multi-head-attention/cards.json, from which the lesson takes its numbers. A part is one of
`short`, `wide`, `long` and `widened-…`, or one of these with a number of heads, `short/4`; the others stay as
they are. All parts together take about half an hour on one core.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "lessons/31-multi-head-attention"))

import cards

FILE = Path(cards.__file__).with_name("cards.json")

# Here NumPy has a BLAS, which the browser has not: the same two products, twice as fast.
cards.linear = lambda x, W: (W.T @ x.reshape(len(x), -1)).reshape(-1, *x.shape[1:])
cards.outer = lambda x, d_y: x.reshape(len(x), -1) @ d_y.reshape(len(d_y), -1).T


@dataclass(frozen=True)
class Part:
    """One setting, trained with each number of heads and each seed. No seed is left out."""

    heads: tuple[int, ...]
    seeds: int
    steps: int
    d_model: int = 16
    rate: float = 0.03
    d_k: int | None = None
    """Of queries and keys alone; d_model / h if not given."""


PARTS = {
    "short": Part((1, 2, 4, 8, 16), seeds=120, steps=640),
    "wide": Part((1, 2, 4, 8, 16, 32), seeds=10, steps=640, d_model=32),
    "long": Part((1, 2, 4, 8, 16), seeds=3, steps=10_000, rate=0.02),
    # Sixteen heads once more; only W_Q and W_K grow, to d_k columns for each head.
    "widened-2": Part((16,), seeds=10, steps=640, d_k=2),
    "widened-4": Part((16,), seeds=10, steps=640, d_k=4),
    "widened-16": Part((16,), seeds=10, steps=640, d_k=16),
}


def record(part: Part, h: int) -> dict[str, Any]:
    """What came out with h heads: accuracy on each question; if h is 4, also what removing a head cost."""
    accuracies, costs = [], []
    for seed in range(part.seeds):
        model = cards.train(h, part.steps, part.d_model, seed, rate=part.rate, d_k=part.d_k)
        accuracies.append(cards.accuracy(model))  # (4,)
        costs.append([accuracies[-1] - cards.accuracy(model, without=[head]) for head in range(h)])  # (h, 4)
    means = np.mean(accuracies, axis=1)  # (seeds,)
    return {
        "mean": _rounded(means.mean()),
        "sd": _rounded(means.std(ddof=1)),
        "questions": _rounded(np.mean(accuracies, axis=0)),
        "runs": _rounded(accuracies),
    } | ({"costs": _rounded(costs)} if h == len(cards.QUESTIONS) else {})


def _rounded(values: Any) -> Any:
    return np.round(values, 3).tolist()


def update(file: Path, name: str, heads: Sequence[int]) -> None:
    """Train part `name` for these numbers of heads and put the results into the file."""
    part = PARTS[name]
    for h in heads:
        found = record(part, h)
        content = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        setting = {"seeds": part.seeds, "steps": part.steps, "d_model": part.d_model, "rate": part.rate}
        setting |= {"d_k": part.d_k} if part.d_k else {}
        known = content.get(name, {}).get("heads", {}) | {str(h): found}
        ordered = {str(key): known[str(key)] for key in part.heads if str(key) in known}
        content[name] = {**setting, "heads": ordered}
        file.write_text(text_of(content), encoding="utf-8")
        print(f"{name} h={h}: {found['mean']:.3f} ± {found['sd']:.3f}, by question {found['questions']}")


def text_of(content: dict[str, Any]) -> str:
    """JSON with one line for each setting, list of runs and list of costs."""
    lines = []
    for name, part in content.items():
        heads = ",\n".join(f'   "{h}": {json.dumps(found)}' for h, found in part["heads"].items())
        setting = json.dumps({key: value for key, value in part.items() if key != "heads"})[1:-1]
        lines.append(f' "{name}": {{{setting}, "heads": {{\n{heads}}}}}')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main() -> None:
    parser = argparse.ArgumentParser(description="Train the models of the cards task and record the results.")
    parser.add_argument("parts", nargs="*", default=list(PARTS), help="short, wide, long, or e.g. short/4")
    for wanted in parser.parse_args().parts:
        name, _, h = wanted.partition("/")
        update(FILE, name, [int(h)] if h else PARTS[name].heads)


if __name__ == "__main__":
    main()
