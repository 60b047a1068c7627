"""Formulas get a font of their own that is small, complete for them and the same on every build."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont

from sitebuilder.errors import BuildError
from sitebuilder.mathfont import math_font

STATIC = Path(__file__).parents[1] / "static"
FORMULA = "<math><msqrt><mi>d</mi></msqrt><mo>&lt;</mo><mi>h</mi><mi>λ</mi></math>"


def font_of(*formulas: str, cache: Path) -> tuple[bytes, TTFont]:
    file = math_font(formulas, STATIC, cache)
    assert file is not None
    data = file.read_bytes()
    return data, TTFont(BytesIO(data))


def test_it_has_the_math_table_and_what_browsers_show_for_single_letters(tmp_path: Path) -> None:
    data, font = font_of(FORMULA, cache=tmp_path)
    assert "MATH" in font
    assert {ord(c) for c in "√<(𝑑ℎ𝜆"} <= set(font.getBestCmap())
    assert len(data) < 30_000


def test_the_same_formulas_give_the_same_bytes(tmp_path: Path) -> None:
    first, _ = font_of(FORMULA, "<mi>x</mi>", cache=tmp_path / "a")
    second, _ = font_of("<mi>x</mi>", FORMULA, cache=tmp_path / "b")
    assert first == second


def test_other_numbers_need_no_new_font(tmp_path: Path) -> None:
    assert math_font(["<mn>1</mn>"], STATIC, tmp_path) == math_font(["<mn>12</mn>"], STATIC, tmp_path)


def test_what_no_formula_has_is_left_out(tmp_path: Path) -> None:
    data, font = font_of("<mi>Q</mi>", cache=tmp_path)
    assert ord("λ") not in font.getBestCmap()
    assert len(data) < len(font_of("<mi>Q</mi><mi>λ</mi><mo>∑</mo>", cache=tmp_path)[0])


def test_characters_that_the_font_lacks_are_left_to_the_reader(tmp_path: Path) -> None:
    _, font = font_of("<mtext>猫</mtext>", cache=tmp_path)
    assert ord("猫") not in font.getBestCmap()


def test_no_formulas_no_font(tmp_path: Path) -> None:
    assert math_font([], STATIC, tmp_path) is None


def test_a_missing_font_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="run npm ci"):
        math_font([FORMULA], tmp_path, tmp_path)
