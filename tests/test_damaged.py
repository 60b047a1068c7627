"""A lesson that cannot be read whole is still checked as far as it can be: one run tells everything."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitebuilder.cli import main
from sitebuilder.errors import LessonErrors
from sitebuilder.model import Lesson
from sitebuilder.parse import parse_lesson
from tests.project import ROOT
from tests.workbench import BODY, Bench, lesson, two_lessons


def damaged(source: str) -> Lesson:
    with pytest.raises(LessonErrors) as caught:
        parse_lesson(source, Path("01-first/lesson.md"))
    assert caught.value.damaged is not None
    return caught.value.damaged


def test_faults_of_front_matter_and_body_come_in_one_run(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    source = lesson(1, BODY + "\n![A cat](cat.png)\n").replace("tagline:", "tagleine:")
    bench.write({**two_lessons(), "01-first/lesson.md": source})
    with pytest.raises(LessonErrors) as caught:
        bench.build()
    assert [error.problem for error in caught.value.errors] == [
        "the key `tagline` is missing",
        "unknown key `tagleine`",
        "the picture cat.png is missing",
    ]
    assert not bench.out.exists()


def test_dead_links_of_a_damaged_lesson_are_told_with_its_other_faults(tmp_path: Path) -> None:
    links = "[a](../02-second/) [b](../03-third/) [c](../02-second/#nowhere) [d](a.csv) [e](b.csv) [f](#here)"
    source = lesson(1, f"{BODY}\n{links}\n").replace("tagline:", "tagleine:")
    bench = Bench(tmp_path)
    bench.write({**two_lessons(), "01-first/lesson.md": source, "01-first/a.csv": "1\n"})
    with pytest.raises(LessonErrors) as caught:
        bench.build()
    dead = [error.problem for error in caught.value.errors if "dead" in error.problem]
    assert dead == [
        "the link ../03-third/ is dead: it leads to nothing",
        "the link ../02-second/#nowhere is dead: nothing on that page has the id “nowhere”",
        "the link b.csv is dead: it leads to nothing",
    ]


def test_a_fault_elsewhere_leaves_the_cells_to_be_run() -> None:
    source = lesson(1, BODY + "\nLet $x$ be.\n").replace("tagline:", "tagleine:")
    assert [cell.name for cell in damaged(source).cells()] == ["hello"]
    assert [formula.tex for formula in damaged(source).formulas] == ["x"]


@pytest.mark.parametrize("fault", ["```python rum b\n```\n", "::: note\n```python rum b\n```\n:::\n"])
def test_where_a_cell_is_lost_none_is_run(fault: str) -> None:
    assert damaged(lesson(1, BODY + "\n" + fault)).cells() == ()


def test_an_unknown_block_does_not_hide_what_its_cells_and_those_beside_it_do_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cells = "```python run a\n1  # → 2\n```\n\n::: nope\n\n```python run b\n3  # → 4\n```\n\n:::\n"
    Bench(tmp_path).write({"01-first/lesson.md": lesson(1, cells)})
    assert main(["check", "--lessons", str(tmp_path / "lessons")], ROOT) == 1
    said = capsys.readouterr().err
    for problem in ("unknown block `nope`", "`1` gives `1`, not `2`", "`3` gives `3`, not `4`"):
        assert problem in said


def test_packages_that_are_wrong_or_in_a_damaged_lesson_are_faults_like_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = lesson(1).replace("summary:", "packages: [numpi]\nsummary:")
    unread = lesson(2, f"{BODY}\n::: nope\n:::\n").replace("summary:", "packages: [micropip]\nsummary:")
    Bench(tmp_path).write(
        {"01-first/lesson.md": wrong, "01-first/a.csv": "1\n", "02-second/lesson.md": unread}
    )
    assert main(["check", "--lessons", str(tmp_path / "lessons")], ROOT) == 1
    said = capsys.readouterr().err
    assert 'package "numpi" is not in Pyodide' in said
    assert "unknown block `nope`" in said
    assert "The builder itself broke" not in said


@pytest.mark.parametrize("entry", ["scipy", "einops==0.8.1", "scikit-learn"])
def test_packages_are_bare_or_pinned(entry: str) -> None:
    source = lesson(1).replace("summary:", f"packages: [{entry}]\nsummary:")
    assert parse_lesson(source, Path("01-first/lesson.md")).meta.packages == (entry,)
