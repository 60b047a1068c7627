"""The cells of a matrix as SVG over unit squares: one path per shade, hatches, crosses. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

STAGE_STEPS = 20
"""Shades on each side of zero of the scores; one path each, so that a second picture stays light."""


@dataclass(frozen=True, slots=True)
class Level:
    """All cells of one shade: its strength from 0 to 1 as CSS writes it, and an SVG path over unit cells."""

    weight: str
    path: str
    negative: bool = False


def weight_levels(weights: Sequence[float | None], nk: int) -> tuple[Level, ...]:
    """The shades of weights, in hundredths: finer steps cannot be told apart by eye."""
    hundredths = [0 if w is None else round(100 * min(1.0, max(0.0, w))) for w in weights]
    return tuple(
        Level(_css(level / 100), path([value == level for value in hundredths], nk))
        for level in sorted(set(hundredths) - {0})
    )


def score_levels(scores: Sequence[float | None], nk: int, limit: float) -> tuple[Level, ...]:
    """The shades of scores on a scale from −limit to limit, whose zero is the page."""
    steps = [0 if s is None else round(STAGE_STEPS * max(-1.0, min(1.0, s / limit))) for s in scores]
    return tuple(
        Level(_css(abs(level) / STAGE_STEPS), path([step == level for step in steps], nk), level < 0)
        for level in sorted(set(steps) - {0})
    )


def path(chosen: Sequence[bool], nk: int) -> str:
    """An SVG path over the chosen unit cells; neighbours in a row are one rectangle."""
    parts = []
    for start in range(0, len(chosen), nk):
        column = 0
        for hit, run in groupby(chosen[start : start + nk]):
            width = len(list(run))
            if hit:
                parts.append(f"M{column} {start // nk}h{width}v1h-{width}z")
            column += width
    return "".join(parts)


def crosses(chosen: Sequence[bool], nk: int) -> str:
    """A cross in each chosen cell."""
    return "".join(
        f"M{i % nk + 0.2:g} {i // nk + 0.2:g}l.6 .6m0-.6l-.6 .6" for i, hit in enumerate(chosen) if hit
    )


def _css(share: float) -> str:
    return f"{share:g}".removeprefix("0")
