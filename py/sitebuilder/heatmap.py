"""What the static heat map shows of one attention frame: cells as SVG paths, labels, tables. Pure.

The page carries this picture before any script runs. `static/js/heatmap.js` draws the same box from the
same frame, so nothing moves when it takes over; `shown_token` and `label_length` have twins in
`static/js/frame.js`, which a shared table of cases keeps equal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from markupsafe import Markup

FRAME_VERSION = 1
MANY = 24
"""Beyond so many tokens the map takes the full width and labels thin out on narrow screens."""

_LONGEST_LABEL = 12  # in characters; longer labels end in an ellipsis, the read-out has them in full
_MOST_THUMBNAIL_CELLS = 8_192
_MOST_TABLE_CELLS = 4_096  # more would make the page heavier than the picture is worth
_MOST_TABS = 16
_WIDE = re.compile(
    "[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\U0001f300-\U0001faff]"
)


@dataclass(frozen=True, slots=True)
class Level:
    """All cells of one shade: the weight in hundredths as CSS writes it, and an SVG path over unit cells."""

    weight: str
    path: str


@dataclass(frozen=True, slots=True)
class HeadView:
    """One head: number from 1, the author's label ("" if none), its shades, and its rows as text.

    A head that is neither drawn nor given as a table has only its name.
    """

    number: int
    label: str
    levels: tuple[Level, ...]
    broken: str
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class HeatMapView:
    """Everything `_heatmap.html` needs; templates only loop over it."""

    name: str
    h: int
    nq: int
    nk: int
    query_tokens: tuple[str, ...]
    key_tokens: tuple[str, ...]
    heads: tuple[HeadView, ...]
    masked: str
    many: bool
    tabs: bool
    thumbnails: bool
    self_attention: bool
    style: str
    notes: tuple[str, ...]
    frame_json: Markup

    @property
    def named(self) -> tuple[HeadView, ...]:
        """The heads named above the picture: all that will be tabs, else the one that is shown."""
        return self.heads if self.tabs else self.heads[:1]

    @property
    def tabled(self) -> tuple[HeadView, ...]:
        """The heads that are also given as tables."""
        return tuple(head for head in self.heads if head.rows)


def heatmap_view(frame: Mapping[str, Any], name: str) -> HeatMapView:
    """The view of `frame` (an attention frame, version 1) for the element `<heat-map name=…>`.

    Raises ValueError if the frame is of another version.
    """
    if frame["version"] != FRAME_VERSION:
        raise ValueError(f"attention frame of version {frame['version']}; this builder draws {FRAME_VERSION}")
    h, nq, nk = int(frame["h"]), int(frame["nq"]), int(frame["nk"])
    queries = tuple(map(shown_token, frame["queryTokens"]))
    keys = tuple(map(shown_token, frame["keyTokens"]))
    mask: Sequence[int] = frame["mask"] or ()
    thumbnails = h <= _MOST_TABS and h * nq * nk <= _MOST_THUMBNAIL_CELLS
    drawn = h if thumbnails else 1
    tabled = max(1, min(h, _MOST_TABLE_CELLS // max(1, nq * nk)))
    named = h if h <= _MOST_TABS else max(drawn, tabled)
    labels: Sequence[str] = frame["headLabels"] or [""] * h
    return HeatMapView(
        name=name,
        h=h,
        nq=nq,
        nk=nk,
        query_tokens=queries,
        key_tokens=keys,
        heads=tuple(
            _head(
                number,
                labels[number - 1],
                frame["weights"][number - 1],
                mask,
                nk,
                drawn=number <= drawn,
                tabled=number <= tabled,
            )
            for number in range(1, named + 1)
        ),
        masked=_path([bool(m) for m in mask], nk),
        many=max(nq, nk) > MANY,
        tabs=1 < h <= _MOST_TABS,
        thumbnails=thumbnails,
        self_attention=queries == keys,
        style=f"--h:{h};--nq:{nq};--nk:{nk};--q-ch:{label_length(queries)};--k-ch:{label_length(keys)}",
        notes=frame_notes(frame["checks"]),
        frame_json=script_json(frame),
    )


def shown_token(token: str) -> str:
    """A token as a label: a line break, a blank or nothing at all become visible signs."""
    if not token:
        return "∅"
    visible = token.replace("\n", "⏎").replace("\t", "⇥")
    return visible if visible.strip() else "␣" * len(visible)


def label_length(tokens: Sequence[str]) -> int:
    """The length of the longest label in characters (wide scripts count double), between 1 and 12."""
    longest = max((len(t) + len(_WIDE.findall(t)) for t in tokens), default=1)
    return max(1, min(_LONGEST_LABEL, longest))


def frame_notes(checks: Mapping[str, Any]) -> tuple[str, ...]:
    """What is wrong with the weights, one sentence each (the same as `frameNotes` in frame.js)."""
    notes = []
    if checks["nan"]:
        count = int(checks["nan"])
        cells = "1 weight is" if count == 1 else f"{count} weights are"
        notes.append(f"{cells} not a number (crossed). A row in which every key is masked does that.")
    error = checks["rowSumError"]
    if error is not None and error > 1e-3:
        off = float(f"{error:.2g}")
        notes.append(f"Rows do not sum to 1 (off by up to {off:g}). Is softmax taken over the keys, axis −1?")
    return tuple(notes)


def script_json(data: Any) -> Markup:
    """JSON that can stand inside a script element, whatever the strings in it say."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # nothing in it can close the element any more


def _head(
    number: int,
    label: str,
    weights: Sequence[float | None],
    mask: Sequence[int],
    nk: int,
    *,
    drawn: bool,
    tabled: bool,
) -> HeadView:
    return HeadView(
        number=number,
        label=label,
        levels=_levels(weights, nk) if drawn else (),
        broken=_crosses([w is None for w in weights], nk) if drawn else "",
        rows=_rows(weights, mask, nk) if tabled else (),
    )


def _levels(weights: Sequence[float | None], nk: int) -> tuple[Level, ...]:
    # Hundredths: finer steps cannot be told apart by eye, and one path per shade keeps the page light.
    hundredths = [0 if w is None else round(100 * min(1.0, max(0.0, w))) for w in weights]
    return tuple(
        Level(f"{level / 100:g}".removeprefix("0"), _path([value == level for value in hundredths], nk))
        for level in sorted(set(hundredths) - {0})
    )


def _rows(weights: Sequence[float | None], mask: Sequence[int], nk: int) -> tuple[tuple[str, ...], ...]:
    texts = [
        "masked" if mask and mask[i] else "NaN" if w is None else f"{w:.2f}" for i, w in enumerate(weights)
    ]
    return tuple(tuple(texts[start : start + nk]) for start in range(0, len(texts), nk))


def _path(chosen: Sequence[bool], nk: int) -> str:
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


def _crosses(chosen: Sequence[bool], nk: int) -> str:
    return "".join(
        f"M{i % nk + 0.2:g} {i // nk + 0.2:g}l.6 .6m0-.6l-.6 .6" for i, hit in enumerate(chosen) if hit
    )
