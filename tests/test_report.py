"""What a build says about faults: one line each for people and editors, or commands for GitHub's runner."""

from __future__ import annotations

import io
from pathlib import PurePosixPath, PureWindowsPath

import pytest
from rich.console import Console

from sitebuilder.errors import LessonError
from sitebuilder.report import Report, Style, github_annotation

LESSON = PurePosixPath("lessons/01-a/lesson.md")


def said(style: Style, *errors: LessonError, trouble: str = "") -> list[str]:
    """The lines of a report on a console much narrower than they are."""
    console = Console(file=io.StringIO(), width=20, highlight=False)
    report = Report(console, console, style)
    if trouble:
        report.trouble(trouble)
    else:
        report.faults(errors, kept=None)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


def test_each_fault_is_one_line_however_narrow_the_terminal_is() -> None:
    errors = [
        LessonError(LESSON, 7, "unknown role `rum`", "did you mean `run`?"),
        LessonError(LESSON, 9, "[bold]", "x"),
    ]
    assert said("text", *errors) == [
        "lessons/01-a/lesson.md:7: unknown role `rum`; did you mean `run`?",
        "lessons/01-a/lesson.md:9: [bold]; x",
        "✗ 2 faults. Nothing was written.",
    ]


def test_github_gets_an_annotation_for_each_fault() -> None:
    error = LessonError(LESSON, 7, "unknown role `rum`", "did you mean `run`?")
    assert said("github", error) == [
        "::error file=lessons/01-a/lesson.md,line=7::"
        "lessons/01-a/lesson.md:7: unknown role `rum`; did you mean `run`?",
        "✗ 1 fault. Nothing was written.",
    ]


def test_github_gets_other_trouble_as_one_error() -> None:
    assert said("github", trouble="No network:\n100 % lost") == ["::error::No network:%0A100 %25 lost"]


@pytest.mark.parametrize(
    ("error", "annotation"),
    [
        (
            LessonError(PurePosixPath("a,b: c/100%.md"), 1, "x", "y"),
            "::error file=a%2Cb%3A c/100%25.md,line=1::a,b: c/100%25.md:1: x; y",
        ),
        (
            LessonError(PureWindowsPath("lessons\\a\\lesson.md"), 2, "x", "y"),
            "::error file=lessons/a/lesson.md,line=2::lessons\\a\\lesson.md:2: x; y",
        ),
        (
            LessonError(LESSON, 3, "50 %25 off\r\n::error::no", "a, b: c"),
            "::error file=lessons/01-a/lesson.md,line=3::"
            "lessons/01-a/lesson.md:3: 50 %2525 off%0D%0A::error::no; a, b: c",
        ),
    ],
)
def test_what_has_a_meaning_for_github_is_escaped(error: LessonError, annotation: str) -> None:
    assert github_annotation(error) == annotation
