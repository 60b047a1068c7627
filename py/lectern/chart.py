"""The chart frame: a line chart, laid out here once, so that the page and the build only copy it. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

VERSION = 1
WIDTH, HEIGHT = 400, 216  # units of the drawing; the page scales it to the column
LEFT, RIGHT, TOP, BOTTOM = 42.0, 388.0, 12.0, 176.0
MOST_SERIES = 6
MOST_POINTS = 72  # of a line; a longer one is thinned, its ends stay
MOST_DOTS = 24  # a line with more points is drawn without dots, and its table would help nobody

Floats = npt.NDArray[np.float64]


def chart_frame(
    lines: Mapping[str, Any],
    *,
    bands: Mapping[str, Any] | None = None,
    x: str = "",
    y: str = "",
    title: str = "",
    ticks: Iterable[float] | None = None,
    within: tuple[float, float] | None = None,
    guess: str = "",
) -> dict[str, Any]:
    """A chart frame, version 1, ready for JSON (static/js/chart.js gives its type).

    `lines` maps a label to numbers (at 1, 2, 3, …) or to a dict from x to y; `bands` maps one to (x, middle,
    half width). `ticks` are the only places on the x axis, drawn at equal distances, such as 1, 2, 4, 8, 16.
    `within` is the y axis's range. `guess` is a question that the page asks before it shows the curves.

    Raises TypeError or ValueError, with what came and what was expected.
    """
    places = None if ticks is None else [float(tick) for tick in ticks]
    shaded = {str(label): _band(label, band) for label, band in (bands or {}).items()}
    drawn = {str(label): _line(label, line) for label, line in lines.items()}
    if len(shaded) + len(drawn) > MOST_SERIES:
        raise ValueError(
            f"A chart shows at most {MOST_SERIES} lines and bands; {len(shaded) + len(drawn)} came."
        )
    every = [*shaded.values(), *((xs, ys, np.zeros_like(ys)) for xs, ys in drawn.values())]
    xs = np.concatenate([series[0] for series in every] or [np.zeros(0)])
    reach = np.concatenate(
        [edge for _, ys, half in every for edge in (ys - half, ys + half)] or [np.zeros(0)]
    )
    across = _Axis.of(xs, LEFT, RIGHT, places=places, tight=True)
    up = _Axis.of(reach, BOTTOM, TOP, within=within)

    series: list[dict[str, Any]] = []
    columns: Columns = []
    for label, (at, middle, half) in shaded.items():
        edge = across.places([*at, *at[::-1]]), up.places([*(middle + half), *(middle - half)[::-1]])
        series.append({"kind": "band", "label": label, "path": _path(*edge) + "Z", "dots": []})
        spread = [f"{m:.3f} ± {s:.3f}" for m, s in zip(middle, half, strict=True)]
        columns.append((label, dict(zip(map(_number, at), spread, strict=True))))
    for label, (at, ys) in drawn.items():
        some, high = _thinned(at, ys)
        drawn_at = across.places(some), up.places(high)
        dots = [[*dot] for dot in zip(*drawn_at, strict=True) if math.isfinite(sum(dot))]
        shown = dots if len(at) <= MOST_DOTS else []
        series.append({"kind": "line", "label": label, "path": _path(*drawn_at), "dots": shown})
        told = slice(
            -MOST_DOTS - 1, None
        )  # of a long line only the end is told; drawing must not slow a training
        columns.append((label, {_number(a): f"{b:.3f}" for a, b in zip(at[told], ys[told], strict=True)}))
    return {
        "version": VERSION,
        "title": str(title),
        "alt": _in_words(str(title), str(x), str(y), columns),
        "size": [WIDTH, HEIGHT],
        "plot": [LEFT, TOP, RIGHT, BOTTOM],
        "x": {"label": str(x), "ticks": across.marks()},
        "y": {"label": str(y), "ticks": up.marks()},
        "series": series,
        "table": _table(str(x), columns),
        "guess": str(guess),
    }


Columns = list[tuple[str, dict[str, str]]]
"""For each line or band its label, and its values as text by their place."""


def _in_words(title: str, x: str, y: str, columns: Columns) -> str:
    """The chart for those who do not see it: all values of short lines, the last one of long ones."""
    words = [f"{title}." if title else "", f"Chart of {y or 'values'} against {x or 'their place'}."]
    for label, values in columns:
        if len(values) > MOST_DOTS:
            words.append(f"{label}: ends at {next(reversed(values.values()))}.")
        else:
            words.append(f"{label}: {', '.join(f'{value} at {at}' for at, value in values.items())}.")
    return " ".join(filter(None, words))


def _table(x: str, columns: Columns) -> list[list[str]]:
    """The head, then a row for each place; nothing if a line is too long to be read as a table."""
    places = dict.fromkeys(at for _, values in columns for at in values)
    if not places or any(len(values) > MOST_DOTS for _, values in columns):
        return []
    head = [x or "x", *(label for label, _ in columns)]
    return [head, *([at, *(values.get(at, "") for _, values in columns)] for at in places)]


def _line(label: object, line: Any) -> tuple[Floats, Floats]:
    if isinstance(line, Mapping):
        at, ys = _numbers(label, list(line.keys())), _numbers(label, list(line.values()))
        order = np.argsort(at)
        return at[order], ys[order]
    ys = _numbers(label, line)
    return np.arange(1.0, len(ys) + 1), ys


def _band(label: object, band: Any) -> tuple[Floats, Floats, Floats]:
    try:
        at, middle, half = band
    except (TypeError, ValueError):
        raise ValueError(f"The band “{label}” must be three lists: x, middle and half width.") from None
    found = _numbers(label, at), _numbers(label, middle), _numbers(label, half)
    if len({len(part) for part in found}) > 1:
        raise ValueError(f"The band “{label}” has {' / '.join(str(len(part)) for part in found)} numbers.")
    return found


def _numbers(label: object, values: Any) -> Floats:
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"“{label}” must be numbers, not {type(values).__name__}.") from None
    if numbers.ndim != 1:
        raise ValueError(f"“{label}” must be one row of numbers; its shape is {numbers.shape}.")
    return numbers


def _thinned(at: Floats, ys: Floats) -> tuple[Floats, Floats]:
    if len(at) <= MOST_POINTS:
        return at, ys
    kept = np.unique(np.linspace(0, len(at) - 1, MOST_POINTS).astype(int))
    return at[kept], ys[kept]


class _Axis:
    """From numbers to places in the drawing."""

    def __init__(self, start: float, end: float, ticks: Sequence[float], low: float, high: float) -> None:
        self._start, self._end, self._ticks, self._low, self._high = start, end, ticks, low, high
        self._even = False

    @classmethod
    def of(
        cls,
        values: Floats,
        start: float,
        end: float,
        *,
        places: Sequence[float] | None = None,
        within: tuple[float, float] | None = None,
        tight: bool = False,
    ) -> _Axis:
        if places:
            missing = {value for value in values.tolist() if value not in places}
            if missing:
                raise ValueError(
                    f"ticks has no place for x = {_number(min(missing))}; add it, or leave ticks out."
                )
            axis = cls(start, end, places, -0.5, len(places) - 0.5)
            axis._even = True
            return axis
        finite = values[np.isfinite(values)]
        low, high = within or ((float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0))
        if not high > low:
            low, high = low - 0.5, low + 0.5
        step = _nice((high - low) / 4)
        if within is None and not tight:
            low, high = math.floor(low / step) * step, math.ceil(high / step) * step
        ticks = [step * k for k in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]
        return cls(start, end, ticks, low, high)

    def places(self, values: Sequence[float] | Floats) -> list[float]:
        """Where these numbers lie. All at once: a curve that grows while a cell trains must not slow it."""
        order = list(self._ticks)
        where = np.array([order.index(value) for value in values] if self._even else values, np.float64)
        share = (where - self._low) / (self._high - self._low)
        found: list[float] = np.round(self._start + share * (self._end - self._start), 1).tolist()
        return found

    def marks(self) -> list[list[Any]]:
        places = self.places(self._ticks)
        return [[place, _number(tick)] for place, tick in zip(places, self._ticks, strict=True)]


def _nice(rough: float) -> float:
    """The next of 1, 2 and 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= rough * 0.999)


def _path(xs: Sequence[float], ys: Sequence[float]) -> str:
    """SVG path data; a value that is not a number leaves a gap."""
    pieces, step = [], "M"
    for x, y in zip(xs, ys, strict=True):
        if math.isfinite(x + y):
            pieces.append(f"{step}{x:g} {y:g}")
        step = "L" if math.isfinite(x + y) else "M"
    return "".join(pieces)


def _number(value: float) -> str:
    return f"{value:,.10g}"
