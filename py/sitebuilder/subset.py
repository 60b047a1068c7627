"""A font cut down to some of its characters, as WOFF2; the same input gives the same bytes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fontTools.ttLib import TTFont

_POSTSCRIPT_NAME = 6
_NAMES = (1, 3, 4, _POSTSCRIPT_NAME, 16)
"""Family, unique, full, PostScript and typographic family name (OpenType `name` table)."""


def subset_font(
    whole: Path, characters: Iterable[str], *, features: Sequence[str], family: str | None = None
) -> bytes:
    """The WOFF2 of a font file with those of `characters` that it has, and these OpenType features.

    `family` renames it: the Open Font License keeps some authors' names for their unchanged fonts.
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
        if family:
            _rename(font, family)
        subset.save_font(font, out, options)
    return out.getvalue()


def _rename(font: TTFont, family: str) -> None:
    names = font["name"]
    for record in list(names.names):
        if record.nameID in _NAMES:
            name = family.replace(" ", "") if record.nameID == _POSTSCRIPT_NAME else family
            names.setName(name, record.nameID, record.platformID, record.platEncID, record.langID)
