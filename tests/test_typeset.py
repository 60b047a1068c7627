"""Formulas become MathML in one run of temml, are remembered, and are refused in a teacher's words."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitebuilder.errors import BuildError, LessonErrors
from sitebuilder.notation import Notation, colour_mathml
from sitebuilder.typeset import typeset
from tests.test_parse import BODY, PATH, lesson

STATIC = Path(__file__).parents[1] / "static"


def test_formulas_are_set_with_their_tex_as_alternative_text(tmp_path: Path) -> None:
    read = lesson("$Q$ and $a<b$.\n\n$$\n\\mathrm{softmax}\n(x)\n$$\n")
    assert typeset([read], STATIC, tmp_path) == {
        ("Q", False): '<math alttext="Q"><mi>Q</mi></math>',
        ("a<b", False): '<math alttext="a&lt;b"><mrow><mi>a</mi><mo>&lt;</mo><mi>b</mi></mrow></math>',
        ("\\mathrm{softmax}\n(x)", True): '<math alttext="\\mathrm{softmax} (x)" display="block"><mrow>'
        '<mpadded lspace="0"><mi>softmax</mi></mpadded><mrow>'
        '<mo fence="true" form="prefix" stretchy="false">(</mo>'
        '<mi>x</mi><mo fence="true" form="postfix" stretchy="false">)</mo></mrow></mrow></math>',
    }


def test_formulas_are_set_once(tmp_path: Path) -> None:
    first = typeset([lesson("$a$ $b$\n")], STATIC, tmp_path)
    memory = next(tmp_path.rglob("*.json"))
    memory.write_text(
        memory.read_text(encoding="utf-8").replace("<mi>a</mi>", "<mi>remembered</mi>"), encoding="utf-8"
    )
    again = typeset([lesson("$a$ $b$ $c$\n")], STATIC, tmp_path)
    assert again["a", False] == first["a", False].replace("<mi>a</mi>", "<mi>remembered</mi>")
    assert again["b", False] == first["b", False]


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"a": 1}', "null", "\x00"])
def test_a_damaged_memory_is_made_again(tmp_path: Path, damage: str) -> None:
    first = typeset([lesson("$a$\n")], STATIC, tmp_path)
    next(tmp_path.rglob("*.json")).write_text(damage, encoding="utf-8")
    assert typeset([lesson("$a$\n")], STATIC, tmp_path) == first


def test_lessons_without_formulas_need_no_temml(tmp_path: Path) -> None:
    assert typeset([lesson("Text.\n")], tmp_path / "nowhere", tmp_path) == {}


def test_missing_temml_is_said_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="run npm ci"):
        typeset([lesson("$a$\n")], tmp_path, tmp_path)


BAD = [
    (r"\foo{x}", r"TeX has no command `\foo`; correct its spelling, or write a name as `\mathrm{name}`"),
    (r"\frac{1}", "a `{` is never closed, or a command lacks an argument"),
    (r"{a", "a `{` is never closed; add the missing `}`"),
    (r"a}", "a `}` closes nothing"),
    (r"x^", "TeX cannot read it; look for a `^`, `_` or command with nothing after it"),
    (r"x^2^3", "two superscripts follow each other; group with braces, as in `{x^a}^b`"),
    (r"x_2_3", "two subscripts follow each other"),
    (r"\begin{foo}\end{foo}", "TeX has no environment `foo`"),
    (r"\begin{matrix}a", r"a `\begin{…}` has no `\end{…}`"),
    (r"\begin{matrix}a\end{pmatrix}", r"`\begin{matrix}` is closed by `\end{pmatrix}`; make the two agree"),
    (r"\left( a", r"`\left` has no `\right`"),
    (r"\right)", r"`\right` has nothing to close"),
    (r"\sqrt", r"`\sqrt` has nothing to work on; add its argument in braces"),
    (r"a & b", r"`&` stands outside of an alignment; write `\&`"),
    (r"a # b", r"`#` has a meaning in TeX; write `\#`"),
    (r"\text{\frac12}", r"`\frac` does not work in text mode"),
    (r"\tag{1}", "this works only in a displayed formula"),
    (r"\def\a{\a\a}\a", "a macro calls itself without end"),
]


def test_every_bad_formula_is_refused_with_its_line(tmp_path: Path) -> None:
    body = "".join(f"Line\n${tex}$\n\n" for tex, _ in BAD)
    with pytest.raises(LessonErrors) as caught:
        typeset([lesson(body + "$a$\n")], STATIC, tmp_path)
    found = caught.value.errors
    assert [fault.line for fault in found] == [BODY + 1 + 3 * number for number in range(len(BAD))]
    for fault, (tex, words) in zip(found, BAD, strict=True):
        assert str(fault).startswith(f"{PATH}:{fault.line}:{fault.column}: in the formula `{tex}`, {words}")
        assert 2 <= fault.column <= len(tex) + 2


def test_a_fault_in_a_formula_has_its_column(tmp_path: Path) -> None:
    with pytest.raises(LessonErrors, match=rf":{BODY}:12: in the formula `a \\bad`"):
        typeset([lesson("Let $x$ $a \\bad$.\n")], STATIC, tmp_path)


def test_a_fault_in_a_long_formula_has_the_line_it_stands_on(tmp_path: Path) -> None:
    with pytest.raises(LessonErrors, match=rf":{BODY + 4}: in the formula `a b \\bad c`"):
        typeset([lesson("Text\n$$\na\nb\n\\bad c\n$$\n")], STATIC, tmp_path)


@pytest.mark.parametrize(
    ("mathml", "coloured"),
    [
        ("<mi>Q</mi>", '<mi class="sym-query">Q</mi>'),
        ("<mi>𝐐</mi>", '<mi class="sym-query">𝐐</mi>'),
        ('<mi class="tml-it">Q</mi>', '<mi class="tml-it sym-query">Q</mi>'),
        ('<mi mathvariant="normal">Q</mi>', '<mi class="sym-query" mathvariant="normal">Q</mi>'),
        ("<mi>scores</mi><mi>Qx</mi><mo>Q</mo>", '<mi class="sym-scores">scores</mi><mi>Qx</mi><mo>Q</mo>'),
    ],
)
def test_identifiers_of_the_notation_have_their_class(mathml: str, coloured: str) -> None:
    assert colour_mathml(mathml, Notation.of({"query": ("Q",), "scores": ("scores",)})) == coloured
    assert colour_mathml(mathml, Notation({})) == mathml
