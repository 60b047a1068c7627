"""What the page shows of a value: a media type and its data. And what shows pictures: a heat map, a chart."""

from __future__ import annotations

import reprlib
from collections import deque
from collections.abc import Iterable, Mapping
from itertools import chain, islice
from typing import Any

import numpy as np

from lectern.chart import chart_frame
from lectern.frame import attention_frame, packed
from lectern.streams import current_outbox

ATTENTION_MIME = "application/vnd.lectern.attention+json"
CHART_MIME = "application/vnd.lectern.chart+json"
TEXT_MIME = "text/plain"

MAX_CHARACTERS = 20_000
MAX_LINES = 500
_ORDINARY = (
    20_000  # characters and items up to which a built-in container is shown exactly as Python shows it
)


def set_number_format() -> None:
    """Set NumPy's print options as a lesson needs them, for print() as well. Students may change them."""
    np.set_printoptions(
        precision=4,
        suppress=True,  # 0.0000 rather than 1.2e-17: rounding noise is no result
        linewidth=80,
        legacy="1.25",  # (0.5, 3) rather than (np.float64(0.5), np.int64(3))
    )


def show_value(value: object) -> None:
    """Display the value of a cell's last expression; None is not shown.

    Raises whatever the value's own `__repr__` raises: that is an error of the student's program.
    """
    outbox = current_outbox()
    if value is not None and outbox:
        outbox.display(*rendered(value))


def rendered(value: object) -> tuple[str, Any]:
    """The media type and data that show a value. A new kind of picture is a case here and in output.js."""
    return TEXT_MIME, _capped(text_of(value))


def show_attention(
    weights: Any = None,
    tokens: Iterable[object] | None = None,
    key_tokens: Iterable[object] | None = None,
    *,
    queries: Any = None,
    keys: Any = None,
    scale: float | None = None,
    mask: Any = None,
    labels: Iterable[object] | None = None,
    scores: Any = None,
) -> None:
    """Show attention weights as a heat map: rows are queries, columns are keys, one tab per head.

    weights      (n_queries, n_keys), (h, n_queries, n_keys), (1, h, n_queries, n_keys), or a list of layers
    tokens       one string per query
    key_tokens   one string per key; the same as `tokens` if left out (self-attention)
    queries, keys, scale   instead of weights: Q (h, n_queries, d_k), K (h, n_keys, d_k), and the factor of
                 Q·Kᵀ, 1/√d_k if left out. Only what is looked at is computed: for many heads of long texts
    mask         (n_queries, n_keys), True where attention is blocked, or "causal"; drawn hatched
    labels       one name per head
    scores       as `weights`: Q·Kᵀ/√d_k before the mask; shows three stages, scores → masked → weights

    Raises TypeError or ValueError, with what came and what was expected, if these do not fit together.
    """
    frame, arrays = packed(
        attention_frame(
            weights,
            tokens,
            key_tokens,
            queries=queries,
            keys=keys,
            scale=scale,
            mask=mask,
            labels=labels,
            scores=scores,
        )
    )
    outbox = current_outbox()
    if outbox:  # outside of a lesson there is no map to draw on
        outbox.display(ATTENTION_MIME, frame, arrays)


def show_chart(
    lines: Mapping[str, Any],
    *,
    bands: Mapping[str, Any] | None = None,
    x: str = "",
    y: str = "",
    title: str = "",
    ticks: Iterable[float] | None = None,
    within: tuple[float, float] | None = None,
    guess: str = "",
) -> None:
    """Show lines in a chart. A chart with the title of an earlier one of the same run replaces it.

    lines     {label: numbers} or {label: {x: y, …}}
    bands     {label: (x, middle, half width)}: what lies between middle ± half width is shaded
    x, y      what the axes show
    ticks     the only places on the x axis, at equal distances: [1, 2, 4, 8]
    within    the lowest and the highest y
    guess     a question that the reader answers, by a place on the x axis, before the page shows the lines

    Raises TypeError or ValueError, with what came and what was expected, if these do not fit together.
    """
    frame = chart_frame(lines, bands=bands, x=x, y=y, title=title, ticks=ticks, within=within, guess=guess)
    outbox = current_outbox()
    if outbox:
        outbox.redraw(CHART_MIME, frame, title)


def text_of(value: object) -> str:
    """`repr(value)`, except that a huge string or built-in container is abbreviated before it is built."""
    return repr(value) if _is_ordinary(value) else _ABBREVIATED.repr(value)


def _capped(text: str) -> str:
    """At most 20,000 characters and 500 lines, and then how much is missing."""
    kept = "\n".join(text[:MAX_CHARACTERS].split("\n", MAX_LINES)[:MAX_LINES])
    missing = len(text) - len(kept)
    return f"{kept}\n… ({missing:,} more characters)" if missing else text


def _is_ordinary(value: object) -> bool:
    """Whether the built-in containers and strings in `value` are few and short enough to be shown in full."""
    budget = _ORDINARY
    waiting: list[object] = [value]
    while waiting and budget > 0:
        item = waiting.pop()
        budget -= 1
        kind = type(item)
        if kind in (str, bytes, bytearray):
            budget -= len(item)  # type: ignore[arg-type]
        elif kind in (list, tuple, set, frozenset, deque):
            budget -= len(item)  # type: ignore[arg-type]
            waiting += islice(item, max(0, budget))  # type: ignore[call-overload]
        elif kind is dict:
            budget -= 2 * len(item)  # type: ignore[arg-type]
            waiting += islice(chain.from_iterable(item.items()), max(0, budget))  # type: ignore[attr-defined]
    return budget > 0


class _Abbreviated(reprlib.Repr):
    """reprlib, with generous limits, and with dicts in their own order."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlist = self.maxtuple = self.maxset = self.maxfrozenset = self.maxdeque = self.maxdict = 100
        self.maxstring = self.maxother = 1_000
        self.maxlevel = 4

    def repr_dict(self, x: dict[Any, Any], level: int) -> str:
        if level <= 0:
            return "{...}"
        shown = [
            f"{self.repr1(k, level - 1)}: {self.repr1(v, level - 1)}"
            for k, v in islice(x.items(), self.maxdict)
        ]
        return "{" + ", ".join([*shown, "..."] if len(x) > self.maxdict else shown) + "}"

    def repr_bytes(self, x: bytes, _level: int) -> str:
        return repr(x) if len(x) <= self.maxother else f"{x[: self.maxother]!r}..."

    repr_bytearray = repr_bytes


_ABBREVIATED = _Abbreviated()
