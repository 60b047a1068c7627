"""`new` begins a lesson that passes `check` at once, or says why it cannot and leaves nothing behind."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sitebuilder.cli import main
from sitebuilder.course import PARTS
from sitebuilder.errors import BuildError, LessonErrors
from sitebuilder.scaffold import new_lesson
from sitebuilder.site import Folders
from tests.project import ROOT
from tests.workbench import COURSE, Bench, lesson


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    bench = Bench(tmp_path)
    bench.write({"01-first/lesson.md": lesson(1), "031-other/lesson.md": lesson(31)})
    return bench


def new(bench: Bench, name: str, title: str | None = None) -> Path:
    return new_lesson(Folders.of(bench.folder), name, title)


def everything(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*"))


def test_a_new_lesson_builds_and_has_the_name_s_words_as_its_title(bench: Bench) -> None:
    made = new(bench, "32-positional-encoding")
    assert made == bench.lessons / "32-positional-encoding/lesson.md"
    bench.build()
    page = bench.page("32-positional-encoding/index.html")
    assert "<h1>Positional encoding</h1>" in page
    assert '<p class="lesson-number">Lesson 32</p>' in page


def test_no_comment_of_a_lesson_reaches_a_reader(bench: Bench) -> None:
    assert "<!--" in new(bench, "32-positional-encoding").read_text(encoding="utf-8")
    bench.build()
    assert "<!--" not in bench.page("32-positional-encoding/index.html")


def test_a_new_lesson_has_every_part_that_a_course_can_require(bench: Bench) -> None:
    required = ", ".join(f'"{part}"' for part in PARTS)
    bench.write({"course.toml": f"{COURSE}required = [{required}]\n"})
    new(bench, "32-positional-encoding")
    with pytest.raises(LessonErrors) as caught:  # the course's older lessons lack nearly all of them
        bench.build()
    assert "32-positional-encoding" not in str(caught.value)


def test_a_new_lesson_passes_check_in_the_shipped_python(tmp_path: Path) -> None:
    lessons = tmp_path / "lessons"
    lessons.mkdir()
    (lessons / "course.toml").write_bytes((ROOT / "lessons/course.toml").read_bytes())
    assert main(["new", "32-positional-encoding", "--lessons", str(lessons)], ROOT) == 0
    assert main(["check", "--lessons", str(lessons)], ROOT) == 0


@pytest.mark.parametrize("title", ["What: a *title* & “more”", "Yes", "42", "# no comment", "naïve — 位置"])
def test_a_title_is_taken_word_for_word(bench: Bench, title: str) -> None:
    new(bench, "32-positional-encoding", f" {title}\n ")
    bench.build()
    heading = re.search(r"<h1>(.*)</h1>", bench.page("32-positional-encoding/index.html"))
    assert heading
    assert heading[1] == title.replace("&", "&amp;")


@pytest.mark.parametrize(
    ("name", "title", "said"),
    [
        ("01-first", None, "lessons/01-first is there already; choose another name."),
        ("1-again", None, "Number 1 is taken by 01-first; try 32-again, or renumber the other one."),
        ("31-x", None, "Number 31 is taken by 031-other; try 32-x, or renumber the other one."),
        (
            "32",
            None,
            "32 cannot be a lesson's name; write a number, then lower-case words joined by -, as in ",
        ),
        ("", None, "“” cannot be a lesson's name; write a number"),
        ("positional-encoding", None, "did you mean 32-positional-encoding?"),
        ("32 Positional Encoding", None, "did you mean 32-positional-encoding?"),
        ("32-Naïve_Bayes/", None, "did you mean 32-naive-bayes?"),
        ("../40-x", None, "did you mean 40-x?"),
        ("٣٢-x", None, "did you mean 32-x?"),
        ("40-x", " ", "The title is empty; write one after --title, or leave it out."),
    ],
)
def test_what_cannot_be_a_lesson_is_refused_and_nothing_is_left(
    bench: Bench, name: str, title: str | None, said: str
) -> None:
    before = everything(bench.folder)
    with pytest.raises(BuildError) as caught:
        new(bench, name, title)
    assert said in str(caught.value)
    assert everything(bench.folder) == before
