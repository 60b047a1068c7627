"""With the memory of earlier builds only what changed is made again, and the site is the same as without."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sitebuilder.errors import LessonErrors
from sitebuilder.memory import Memory
from sitebuilder.model import CellRun, Stream
from sitebuilder.site import NOWHERE, Folders, read_site
from tests.project import ROOT
from tests.workbench import BODY, COURSE, Bench, lesson, two_lessons


def test_a_result_is_remembered_until_its_sources_change() -> None:
    memory, made = Memory(), []

    def make() -> str:
        made.append("once")
        return f"result {len(made)}"

    assert memory.recall("place", ["a"], make) == "result 1"
    assert memory.recall("place", ["a"], make) == "result 1"
    assert memory.recall("other place", ["a"], make) == "result 2"
    assert memory.recall("place", ["b"], make) == "result 3"
    assert memory.recall("place", ["a"], make) == "result 4"


def test_only_the_lesson_that_changed_is_read_again(tmp_path: Path) -> None:
    bench, memory = Bench(tmp_path), Memory()
    bench.write(two_lessons())
    first = read_site(Folders.of(bench.folder), NOWHERE, [], memory)
    bench.write({"02-second/lesson.md": lesson(2, "## Details\n\nOther words.\n")})
    second = read_site(Folders.of(bench.folder), NOWHERE, [], memory)
    assert [a is b for a, b in zip(first.lessons, second.lessons, strict=True)] == [True, False]


CHANGES = {
    "prose": {"01-first/lesson.md": lesson(1, f"{BODY}\nOther words.\n")},
    "a title, which the neighbour's page shows": {
        "02-second/lesson.md": lesson(2, "## Details\n", title="Another title")
    },
    "a picture": {
        "01-first/lesson.md": lesson(1, f"{BODY}\n![A line](a.svg)\n"),
        "01-first/a.svg": "<svg><path/></svg>",
    },
    "the same picture drawn anew": {"01-first/a.svg": "<svg><circle/></svg>"},
    "a formula": {"01-first/lesson.md": lesson(1, f"{BODY}\nWith $x^2$.\n")},
    "the course": {"course.toml": COURSE.replace("A small course", "A large course")},
    "the notation": {"course.toml": f'{COURSE}[notation]\nquery = ["Q"]\n'},
    "a new lesson": {"03-third/lesson.md": lesson(3)},
}


def test_after_any_change_the_site_is_as_if_built_anew(tmp_path: Path) -> None:
    bench, memory = Bench(tmp_path), Memory()
    bench.write(two_lessons())
    bench.build(memory=memory)
    templates = tmp_path / "templates"
    shutil.copytree(ROOT / "templates", templates)
    written: dict[str, str] = {}
    for what, change in CHANGES.items():
        written |= change
        bench.write(written)
        bench.build(memory=memory, templates=templates)
        remembered = bench.site()
        bench.build(templates=templates)
        assert bench.site() == remembered, what

    runs = {"hello": CellRun("hello", (Stream("stdout", "something else\n"),))}
    template = templates / "lesson.html"
    template.write_text(
        template.read_text(encoding="utf-8").replace("Lesson {{", "Part {{"), encoding="utf-8"
    )
    bench.build(memory=memory, templates=templates, runs=runs)
    remembered = bench.site()
    bench.build(templates=templates, runs=runs)
    assert bench.site() == remembered
    assert "Part 1" in bench.page("01-first/index.html")
    assert "something else" in bench.page("01-first/index.html")


def test_a_fault_is_told_again_by_every_build(tmp_path: Path) -> None:
    bench, memory = Bench(tmp_path), Memory()
    bench.write({**two_lessons(), "02-second/lesson.md": lesson(2, "::: wihtout\nx\n:::\n")})
    for _ in range(2):
        with pytest.raises(LessonErrors, match="wihtout"):
            bench.build(memory=memory)
