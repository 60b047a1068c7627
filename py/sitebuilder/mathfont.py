"""The font that formulas are set in: STIX Two Math, cut down to the characters that the course uses.

Browsers draw radicals and tall brackets only with a font that has an OpenType MATH table, and many systems
have none. The whole font has 400 kB; what a lesson needs of it has 10 to 20.
"""

from __future__ import annotations

import html
import re
import string
from collections.abc import Iterable
from pathlib import Path

from sitebuilder.cache import keep_newest, sha256, sha256_of, write_whole
from sitebuilder.errors import BuildError
from sitebuilder.subset import subset_font

# The .woff holds the glyphs as they are; reading the .woff2 takes Python 20 times as long.
_WHOLE = Path("node_modules/@fontsource/stix-two-math/files/stix-two-math-latin-400-normal.woff")
_EVER = string.digits + "()[]=+−,./√"
"""Kept in any case; no formula writes the sign of its root. All letters as well would cost 7 kB a page."""

_FEATURES = ("ssty", "dtls", "math", "kern")
_KEPT = 50


def math_font(mathml: Iterable[str], static: Path, cache: Path) -> Path | None:
    """A WOFF2 file for these formulas, named by its content; None if there are no formulas.

    `static` is the folder with node_modules, `cache` the cache folder. Same input, same bytes. A character
    that the font lacks is left out: the browser takes it from the reader's own fonts. Raises BuildError if
    the font is not installed.
    """
    texts = [html.unescape(re.sub(r"<[^>]*>", " ", formula)) for formula in mathml]
    if not texts:
        return None
    whole = static / _WHOLE
    if not whole.is_file():
        raise BuildError(f"Formulas need the font {whole}, which is missing; run npm ci in {static}.")
    characters = set(_EVER).union(*texts)
    characters |= {_italic(c) for c in characters if c.isalpha()}
    characters = {c for c in characters if not c.isspace()}
    key = sha256((sha256_of(whole) + "".join(sorted(characters))).encode())[:16]
    folder = cache / "mathfonts"
    known = folder / f"{key}.woff2"
    if not known.is_file():
        write_whole(known, subset_font(whole, characters, features=_FEATURES))
        keep_newest(folder, _KEPT)
    known.touch()  # `keep_newest` goes by last use
    return known


def _italic(letter: str) -> str:
    """The mathematical italic that a browser shows for a one-letter `<mi>` (MathML Core, italic mappings)."""
    if letter == "h":
        return "ℎ"  # Planck's constant took its place in Unicode
    for first, last, start in (
        ("A", "Z", 0x1D434),
        ("a", "z", 0x1D44E),
        ("Α", "Ω", 0x1D6E2),
        ("α", "ω", 0x1D6FC),
    ):
        if first <= letter <= last:
            return chr(start + ord(letter) - ord(first))
    return letter
