"""A font cut down to some of its characters, as WOFF2; the same input gives the same bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fontTools.ttLib import TTFont

_PAIRS = 2
"""Type of a GPOS lookup that adjusts the places of two glyphs side by side."""
_POSTSCRIPT_NAME = 6
_NAMES = (1, 3, 4, _POSTSCRIPT_NAME, 16)
"""Family, unique, full, PostScript and typographic family name (OpenType `name` table)."""


def subset_font(
    whole: Path,
    characters: Iterable[str],
    *,
    features: Sequence[str],
    family: str | None = None,
    kerns: int | None = None,
) -> bytes:
    """The WOFF2 of a font file with those of `characters` that it has, and these OpenType features.

    `family` renames it: the Open Font License keeps some authors' names for their unchanged fonts. `kerns` is
    how many different kerns an em has; fewer take fewer bytes.
    """
    from fontTools import subset  # takes 0.2 s to import, and is seldom needed

    options = subset.Options(
        flavor="woff2", layout_features=list(features), hinting=False, notdef_outline=True, glyph_names=False
    )
    out = BytesIO()
    with subset.load_font(str(whole), options) as font:
        subsetter = subset.Subsetter(options)
        subsetter.populate(text="".join(sorted(characters)))
        subsetter.subset(font)
        if kerns:
            _round_kerns(font, font["head"].unitsPerEm / kerns)
        if family:
            _rename(font, family)
        subset.save_font(font, out, options)
    return out.getvalue()


def _round_kerns(font: TTFont, step: float) -> None:
    for lookup in font["GPOS"].table.LookupList.Lookup if "GPOS" in font else ():
        for subtable in lookup.SubTable:
            for value in _values(getattr(subtable, "ExtSubTable", subtable)):
                for side in ("XAdvance", "XPlacement"):
                    if units := getattr(value, side, 0):
                        setattr(value, side, round(step * round(units / step)))


def _values(subtable: Any) -> Iterator[Any]:
    """The adjustments of pairs, of single glyphs (format 1) and of classes of them."""
    if subtable.LookupType != _PAIRS:
        return
    if subtable.Format == 1:
        records = [record for each in subtable.PairSet for record in each.PairValueRecord]
    else:
        records = [record for each in subtable.Class1Record for record in each.Class2Record]
    for record in records:
        yield from (value for value in (record.Value1, record.Value2) if value is not None)


def _rename(font: TTFont, family: str) -> None:
    names = font["name"]
    for record in list(names.names):
        if record.nameID in _NAMES:
            name = family.replace(" ", "") if record.nameID == _POSTSCRIPT_NAME else family
            names.setName(name, record.nameID, record.platformID, record.platEncID, record.langID)
