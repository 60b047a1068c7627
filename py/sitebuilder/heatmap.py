"""What the static heat map shows of one attention frame: cells as SVG paths, labels, tables. Pure.

The page carries this picture before any script runs. `static/js/heatmap.js` draws the same box from the
same frame, so nothing moves when it takes over; `shown_token` and `label_length` have twins in
`static/js/frame.js`, which a shared table of cases keeps equal.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from unicodedata import category

from markupsafe import Markup

from sitebuilder.cellpaths import Level, crosses, path, score_levels, weight_levels
from sitebuilder.headwords import comparison, head_words

FRAME_VERSION = 2
MANY = 24
"""Beyond so many tokens the map takes the full width and labels thin out on narrow screens."""

_MOST_SHOWN = 400
_LONGEST_LABEL = 18  # in characters; longer labels end in an ellipsis, the read-out has them in full
_MOST_THUMBNAIL_CELLS = 8_192
_MOST_TABLE_CELLS = 4_096  # more would make the page heavier than the picture is worth
_MOST_TABS = 16
_MOST_WEIGHTS = 6_000  # of all heads: some 10 kB of a page, compressed; more is drawn when the cell runs
_WIDE = re.compile(
    "[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\U0001f300-\U0001faff]"
)
_JOINED = re.compile("\u200d[\u2600-\u27bf\U0001f000-\U0001faff]|[\U0001f3fb-\U0001f3ff]")
_UNSEEN = {"Mn", "Me", "Cf"}  # categories of marks and joiners, which take no room of their own


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
class StagesView:
    """The scores of the first head, before the weights were made of them, and the two ends of their scale."""

    levels: tuple[Level, ...]
    lowest: str
    highest: str


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
    stages: StagesView | None
    many: bool
    tabs: bool
    thumbnails: bool
    self_attention: bool
    style: str
    notes: tuple[Mapping[str, str], ...]
    words: tuple[str, ...]
    frame_json: Markup

    @property
    def named(self) -> tuple[HeadView, ...]:
        """The heads named above the picture: all that will be tabs, else the one that is shown."""
        return self.heads if self.tabs else self.heads[:1]

    @property
    def tabled(self) -> tuple[HeadView, ...]:
        """The heads that are also given as tables."""
        return tuple(head for head in self.heads if head.rows)


@dataclass(frozen=True, slots=True)
class LargeMapView:
    """A map whose numbers are too many for a page: it is drawn when the reader runs the cell."""

    name: str
    h: int
    nq: int
    nk: int


def heatmap_view(frame: Mapping[str, Any], name: str) -> HeatMapView | LargeMapView:
    """The view of `frame` (an attention frame, version 2) for the element `<heat-map name=…>`.

    Raises ValueError if the frame is of another version.
    """
    if frame["version"] != FRAME_VERSION:
        raise ValueError(f"attention frame of version {frame['version']}; this builder draws {FRAME_VERSION}")
    h, nq, nk = int(frame["h"]), int(frame["nq"]), int(frame["nk"])
    if not isinstance(frame["weights"], list) or h * nq * nk > _MOST_WEIGHTS:
        return LargeMapView(name, h, nq, nk)
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
        masked=path([bool(m) for m in mask], nk),
        stages=_stages(frame["scores"], nk),
        many=max(nq, nk) > MANY,
        tabs=1 < h <= _MOST_TABS,
        thumbnails=thumbnails,
        self_attention=queries == keys,
        style=f"--h:{h};--nq:{nq};--nk:{nk};--q-ch:{label_length(queries)};--k-ch:{label_length(keys)}"
        + (f";--stages:{3 if any(mask) else 2}" if frame["scores"] else ""),
        notes=tuple(frame["checks"]),
        words=_words(frame, tabled, labels, queries, keys),
        frame_json=script_json(_with_fewer_digits(frame)),
    )


def _with_fewer_digits(frame: Mapping[str, Any]) -> dict[str, Any]:
    """The recorded frame as a page carries it: five decimals show the same, and weigh a tenth less."""
    heads = [[None if w is None else round(w, 5) or 0 for w in head] for head in frame["weights"]]
    return {**frame, "weights": heads}


def score_limit(scores: Sequence[Sequence[float | None]]) -> float:
    """the end of all heads' scale: the largest |score|, rounded up to 1, 2, 3, 4, 5 or 8 · 10ⁿ."""
    most = max((abs(s) for head in scores for s in head if s is not None), default=0.0)
    if most == 0:
        return 1.0
    unit = 10.0 ** math.floor(math.log10(most))
    return next(
        float(f"{step * unit:.3g}") for step in (1, 2, 3, 4, 5, 8, 10) if most <= step * unit * (1 + 1e-9)
    )


def shown_token(token: str) -> str:
    """A token as a label: line breaks, blanks and nothing become visible signs; what is no word is cut."""
    if not token:
        return "∅"
    visible = token.replace("\n", "⏎").replace("\t", "⇥")
    if len(visible) > _MOST_SHOWN:
        return f"{visible[:_MOST_SHOWN]}…"
    return visible if visible.strip() else "␣" * len(visible)


def label_length(tokens: Sequence[str]) -> int:
    """The length of the longest label in characters (wide scripts count double), between 1 and 18."""
    seen = ([c for c in _JOINED.sub("", token) if category(c) not in _UNSEEN] for token in tokens)
    longest = max((len(t) + len(_WIDE.findall("".join(t))) for t in seen), default=1)
    return max(1, min(_LONGEST_LABEL, longest))


def script_json(data: Any) -> Markup:
    """JSON that can stand inside a script element, whatever the strings in it say."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # nothing in it can close the element any more


def _words(
    frame: Mapping[str, Any], count: int, labels: Sequence[str], queries: Sequence[str], keys: Sequence[str]
) -> tuple[str, ...]:
    """The first `count` heads in a sentence each, and how they compare."""
    heads = [head_words(weights, frame["mask"] or (), queries, keys) for weights in frame["weights"][:count]]
    named = [f"Head {i}" + (f", {label}" if label else "") for i, label in enumerate(labels, 1)]
    lines = [f"{name}: {words}." for name, (words, _) in zip(named, heads, strict=False)]
    return tuple(filter(None, [*lines, comparison([entropy for _, entropy in heads])]))


def _stages(scores: Sequence[Sequence[float | None]] | None, nk: int) -> StagesView | None:
    if scores is None:
        return None
    limit = score_limit(scores)
    return StagesView(score_levels(scores[0], nk, limit), f"−{limit:g}", f"{limit:g}")


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
        levels=weight_levels(weights, nk) if drawn else (),
        broken=crosses([w is None for w in weights], nk) if drawn else "",
        rows=_rows(weights, mask, nk) if tabled else (),
    )


def _rows(weights: Sequence[float | None], mask: Sequence[int], nk: int) -> tuple[tuple[str, ...], ...]:
    texts = [
        "masked" if mask and mask[i] else "NaN" if w is None else f"{w:.2f}" for i, w in enumerate(weights)
    ]
    return tuple(tuple(texts[start : start + nk]) for start in range(0, len(texts), nk))
