"""The lesson that shows the format shows all of it, and every source it shows is one it is made of."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import PurePath
from typing import get_args

import pytest
import yaml

from sitebuilder.model import SECTION_KINDS, CellRole, FrontMatter
from sitebuilder.parse import parse_lesson
from tests.project import ROOT

PATH = PurePath("lessons/90-reference/lesson.md")
TEXT = (ROOT / PATH).read_text(encoding="utf-8")
LESSON = parse_lesson(TEXT, PATH)

_SHOWN = re.compile(r"^````markdown\n(.*?)\n````$", re.MULTILINE | re.DOTALL)
SHOWN = _SHOWN.findall(TEXT)
MADE = _SHOWN.sub("", TEXT)


def test_it_is_for_instructors() -> None:
    assert LESSON.meta.audience == "instructors"


def test_it_has_every_key_of_the_front_matter_and_shows_them() -> None:
    front = TEXT.split("---\n")[1]
    assert yaml.safe_load(front).keys() == {field.name for field in fields(FrontMatter)}
    assert f"```yaml\n---\n{front}---\n```" in TEXT


def test_it_has_every_role_that_a_cell_can_have() -> None:
    roles = {cell.role for cell in LESSON.cells()}
    for exercise in LESSON.exercises():
        roles |= {exercise.starter.role, exercise.check.role, exercise.solution.role}
        assert exercise.mistakes
        assert len(exercise.hints) > 1
    assert roles == set(get_args(CellRole))
    assert LESSON.quizzes()


def test_it_has_every_block() -> None:
    assert {section.kind for section in LESSON.sections()} == set(SECTION_KINDS)


@pytest.mark.parametrize(
    "feature",
    [
        r"^\$\$$",
        r"[^$]\$[^$\n]+\$",
        r"\{\.sym-",
        r"\[\^\w+\]: ",
        r"^\|.*\|$",
        r"!\[[^]]+\]\(\w+\.svg\)",
        r"\]\(figure:",
        r"\]\(cell:",
        r"\]\(exercise:",
        r"\]\(lesson:",
        r"\[@\w+",
        r"# → ",
        r"^from \w+ import read_week",
        r"show_attention\([^\n]*labels=",
        r"show_attention\([^\n]*key_tokens=",
        r"show_attention\([^\n]*mask=[^\n]*scores=",
        r"show_chart\(",
    ],
)
def test_it_has_every_feature_that_has_no_name_in_the_model(feature: str) -> None:
    assert re.search(feature, MADE, re.MULTILINE), f"{PATH} does not show {feature}"
    assert any(re.search(feature, shown, re.MULTILINE) for shown in SHOWN), (
        f"the source of {feature} is not shown"
    )


@pytest.mark.parametrize("shown", SHOWN, ids=lambda shown: shown.split("\n")[0])
def test_what_it_shows_is_what_it_is_made_of(shown: str) -> None:
    for piece in re.split(r"\n\n(?=```|::: |\[\^|\| )", shown):
        assert piece in MADE
