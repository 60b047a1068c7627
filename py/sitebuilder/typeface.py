"""The faces that text and code are set in, each cut in two: what most pages need, and the rest of Latin.

A browser fetches the second file only for a page that has such a character (`unicode-range` in fonts.css).
That halves what a page in English weighs, and still sets every Western European language.
"""

from __future__ import annotations

import string
from dataclasses import dataclass
from pathlib import Path

from sitebuilder.cache import digest, folder_made_once, keep_newest, sha256_of
from sitebuilder.errors import BuildError
from sitebuilder.subset import subset_font

_ASCII = string.ascii_letters + string.digits + string.punctuation
COMMON = frozenset(_ASCII + " \u00a0§°±²³·×÷«»–—‘’“”•…−¼½¾↑↓")
"""The characters of a face's first file."""

_LATIN = [chr(code) for code in range(0xA1, 0x100)]
_MARKS = "\u0300\u0301\u0303\u0304\u0308\u0309\u0323\u0329"
REST = frozenset([*_LATIN, *"ıŒœʻʼˆ˚˜‚„′″‹›⁄€™↑↓∕", *_MARKS]) - COMMON
"""The characters of its second: what else the fonts have, as `unicode-range` in fonts.css says too."""


@dataclass(frozen=True, slots=True)
class Face:
    """One weight and style; `name` is that of its files, `source` a file below node_modules."""

    name: str
    family: str
    source: str
    features: tuple[str, ...]


_SERIF = "@fontsource/source-serif-4/files/source-serif-4-latin"
_TEXT = ("kern", "mark", "mkmk", "ccmp", "locl", "liga", "pnum", "tnum")

FACES = (
    Face("serif-400", "Lectern Serif", f"{_SERIF}-400-normal.woff", _TEXT),
    Face("serif-400-italic", "Lectern Serif", f"{_SERIF}-400-italic.woff", _TEXT),
    Face("serif-600", "Lectern Serif", f"{_SERIF}-600-normal.woff", _TEXT),
    Face(
        "mono-400", "Lectern Mono", "@fontsource/ibm-plex-mono/files/ibm-plex-mono-latin-400-normal.woff", ()
    ),
)

FIRST = ("serif-400.woff2", "serif-600.woff2")
"""What the first screen of every page is set in: text and titles."""

KERNS = 100
"""For each em. So a letter is at most 1/200 em off, 0.1 pixel in text, and a page is 2.6 kB lighter."""

_KEPT = 3


def common_file(face: Face) -> str:
    return f"{face.name}.woff2"


def rest_file(face: Face) -> str:
    return f"{face.name}-more.woff2"


def typefaces(static: Path, cache: Path) -> Path:
    """A folder with two WOFF2 files for each of FACES, named by its content; `static` has node_modules.

    Raises BuildError if a font is not installed.
    """
    sources = {face: static / "node_modules" / face.source for face in FACES}
    for source in sources.values():
        if not source.is_file():
            raise BuildError(f"The font {source} is missing; run npm ci in {static}.")
    key = digest(
        [
            [face.name, face.family, face.features, sha256_of(source), sorted(COMMON), sorted(REST), KERNS]
            for face, source in sources.items()
        ]
    )

    def make(folder: Path) -> None:
        folder.mkdir()
        for face, source in sources.items():
            for name, characters in (
                (common_file(face), COMMON),
                (rest_file(face), REST),
            ):
                data = subset_font(
                    source, characters, features=face.features, family=face.family, kerns=KERNS
                )
                (folder / name).write_bytes(data)

    folder = folder_made_once(cache / "typefaces" / key[:16], make, sound=_is_whole)
    keep_newest(folder.parent, _KEPT)
    return folder


def _is_whole(folder: Path) -> bool:
    return all((folder / name(face)).is_file() for face in FACES for name in (common_file, rest_file))
