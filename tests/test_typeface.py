"""Text faces are cut in two files; what styles say of them, and what the build counts, is what is in them."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont

from sitebuilder.errors import BuildError
from sitebuilder.subset import subset_font
from sitebuilder.typeface import COMMON, FACES, KERNS, REST, Face, common_file, rest_file, typefaces
from tests.project import ROOT

STATIC = ROOT / "static"
STYLES = (STATIC / "css" / "fonts.css").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return typefaces(STATIC, tmp_path_factory.mktemp("cache"))


def rule_of(file: str) -> str:
    [rule] = [rule for rule in re.findall(r"@font-face \{(.*?)\}", STYLES, re.DOTALL) if f"/{file}" in rule]
    return str(rule)


def range_in(rule: str) -> set[str]:
    """The characters of a rule's unicode-range."""
    found = re.search(r"unicode-range: ([^;]+);", rule)
    assert found
    spans = [span.removeprefix("U+").partition("-") for span in found[1].split(", ")]
    return {chr(code) for a, _, b in spans for code in range(int(a, 16), int(b or a, 16) + 1)}


@pytest.mark.parametrize("face", FACES, ids=lambda face: face.name)
def test_styles_ask_for_each_file_for_what_it_has(face: Face, folder: Path) -> None:
    for file, characters in ((common_file(face), COMMON), (rest_file(face), REST)):
        rule = rule_of(file)
        assert f'"{face.family}"' in rule
        assert frozenset(range_in(rule)) == characters
        with TTFont(folder / file) as font:
            assert {chr(code) for code in font.getBestCmap()} <= characters


@pytest.mark.parametrize("face", FACES, ids=lambda face: face.name)
def test_the_two_files_have_all_letters_of_western_europe(face: Face, folder: Path) -> None:
    with TTFont(folder / common_file(face)) as common, TTFont(folder / rest_file(face)) as rest:
        have = {chr(code) for font in (common, rest) for code in font.getBestCmap()}
    assert set("Façade naïve Straße Ångström señor œuvre „so“ «ainsi» 5 × 3 − 2 …") - {" "} <= have
    assert (folder / common_file(face)).stat().st_size < 14_000


def test_a_face_that_was_changed_bears_another_name(folder: Path) -> None:
    for face in FACES:
        with TTFont(folder / common_file(face)) as font:
            names = {font["name"].getDebugName(number) for number in (1, 3, 4, 6)}
            assert names == {face.family, face.family.replace(" ", "")}
            assert re.search("Adobe|IBM", font["name"].getDebugName(0) or ""), "its authors stay named"


def kerns(font: TTFont) -> dict[tuple[int, int, int, int], int]:
    """The kerns between classes of glyphs, in units, by their places in the font."""
    lookups = enumerate(font["GPOS"].table.LookupList.Lookup)
    tables = [(i, getattr(t, "ExtSubTable", t)) for i, lookup in lookups for t in lookup.SubTable]
    return {
        (i, number, a, b): second.Value1.XAdvance
        for number, (i, table) in enumerate(tables)
        if table.LookupType == 2 and table.Format == 2
        for a, first in enumerate(table.Class1Record)
        for b, second in enumerate(first.Class2Record)
    }


def test_kerns_are_rounded_to_hundredths_of_an_em_and_no_further(folder: Path) -> None:
    face = FACES[0]
    whole = subset_font(STATIC / "node_modules" / face.source, COMMON, features=face.features)
    with TTFont(BytesIO(whole)) as font:
        exact = kerns(font)
    with TTFont(folder / common_file(face)) as font:
        rounded, step = kerns(font), font["head"].unitsPerEm / KERNS
    assert len({*exact.values()}) > len({*rounded.values()}) > 5
    assert rounded.keys() == exact.keys()
    assert max(abs(rounded[pair] - exact[pair]) for pair in exact) <= step / 2


def test_a_missing_font_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="run npm ci"):
        typefaces(tmp_path, tmp_path / "cache")
