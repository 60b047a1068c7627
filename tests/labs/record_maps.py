"""Draw what six heads of lesson 31's encoder do with three sentences: `python -m tests.labs.record_maps`

Writes the lesson's real-heads-1.svg and -2.svg, which are there without the model, without JavaScript and
before any Run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any
from xml.sax.saxutils import escape

import numpy as np
import numpy.typing as npt

from tests.labs.real_encoder import FOLDER, encoder, load

PICTURES: dict[str, dict[tuple[int, int], str]] = {
    "real-heads-1.svg": {(1, 3): "previous word", (5, 6): "[CLS]", (3, 9): "determiner → noun"},
    "real-heads-2.svg": {(2, 8): "preposition → noun", (4, 2): "verb → object", (3, 1): "object → verb"},
}
MARKED = {
    "determiner → noun": "det",
    "preposition → noun": "prep",
    "verb → object": "obj",
    "object → verb": "obj",
}
SENTENCES = (
    "The cat chased the mouse because it was hungry. | det:the>cat obj:chased>mouse det:the@2>mouse",
    "The pilot checked her instruments before the flight. "
    "| det:the>pilot obj:checked>instruments det:her>instruments prep:before>flight det:the@2>flight",
    "The gardener watered the roses with cold water. "
    "| det:the>gardener obj:watered>roses det:the@2>roses prep:with>water",
)
"""With the pairs that are outlined, as in the lesson's sentences.txt."""
STEPS = 8
"""Shades of a weight, beside none: enough to see where a head looks, and light in a page."""

CELL, GAP, LABELS, TOP, EDGE = 9, 12, 70, 30, 1
Floats = npt.NDArray[Any]
Pairs = Sequence[tuple[str, int, int]]


def steps(weights: Floats) -> npt.NDArray[np.int64]:
    """0 to STEPS for weights from 0 to 1."""
    whole: npt.NDArray[np.int64] = np.rint(STEPS * weights).astype(np.int64)
    return whole


def drawn(heads: Mapping[tuple[int, int], str], readings: Sequence[tuple[encoder.Reading, Pairs]]) -> str:
    """The SVG: a row of heads for each sentence, with the tokens before it."""
    column = max(len(reading.tokens) for reading, _ in readings) * CELL + GAP
    words, maps, y = [], [], TOP
    for at, ((layer, head), role) in enumerate(heads.items()):
        x = LABELS + at * column
        words.append(
            f'<text x="{x}" y="10">L{layer}H{head}<tspan x="{x}" dy="12">{escape(role)}</tspan></text>'
        )
    for reading, pairs in readings:
        n = len(reading.tokens)
        rows = (f'<tspan x="{LABELS - 5}" dy="{CELL}">{escape(token)}</tspan>' for token in reading.tokens)
        words.append(f'<text y="{y - 1.5}" text-anchor="end" font-size="9">{"".join(rows)}</text>')
        for at, ((layer, head), role) in enumerate(heads.items()):
            cells = "".join(shades(steps(reading.weights[layer - 1, head - 1])))
            maps.append(
                f'<g transform="translate({LABELS + at * column} {y}) scale({CELL})">'
                f'<path d="M0 0h{n}v{n}h-{n}z" stroke-width=".1"/>{cells}{outlines(role, pairs)}</g>'
            )
        y += n * CELL + GAP
    width = LABELS + len(heads) * column - GAP + EDGE
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {y - GAP + EDGE}" width="{width}" '
        f'font-size="10" fill="currentColor">{"".join(words)}'
        f'<g fill="none" stroke="var(--heat-hi)">{"".join(maps)}</g></svg>\n'
    )


def marked(role: str, pairs: Pairs) -> list[tuple[int, int]]:
    """The query and the key, as tokens, of each pair that the role is about."""
    places = [(one + 1, other + 1) for relation, one, other in pairs if relation == MARKED.get(role)]
    return (
        [place[::-1] for place in places] if role == "object → verb" else places
    )  # [CLS] stands before them


def outlines(role: str, pairs: Pairs) -> str:
    """A path around the cells that the role is about."""
    squares = "".join(f"M{key} {query}h1v1h-1z" for query, key in marked(role, pairs))
    return f'<path d="{squares}" stroke="var(--ink)" stroke-width=".2"/>' if squares else ""


def shades(whole: npt.NDArray[np.int64]) -> Iterator[str]:
    """A path over unit cells for each shade: the middle line of every row, as wide as a cell."""
    for shade in sorted({*whole.ravel().tolist()} - {0}):
        runs = []
        for row, line in enumerate(whole.tolist()):
            start = 0
            for value, run in groupby(line):
                width = len([*run])
                if value == shade:
                    runs.append(f"M{start} {row}.5h{width}")
                start += width
        yield f'<path d="{"".join(runs)}" opacity="{shade / STEPS:g}"/>'


def recorded() -> list[tuple[encoder.Reading, Pairs]]:
    """What the packed encoder makes of the sentences; each of their words is one token."""
    from tests.labs.measured_heads import read_line

    model = load()
    readings: list[tuple[encoder.Reading, Pairs]] = [
        (model(sentence), pairs) for sentence, pairs in map(read_line, SENTENCES)
    ]
    assert all("##" not in token for reading, _ in readings for token in reading.tokens)
    return readings


def main() -> None:
    readings = recorded()
    for name, heads in PICTURES.items():
        (FOLDER / name).write_text(drawn(heads, readings), encoding="utf-8")


if __name__ == "__main__":
    main()
