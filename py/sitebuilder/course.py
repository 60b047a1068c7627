"""Read `lessons/course.toml`, what all lessons share, and hold the lessons to it."""

from __future__ import annotations

import re
from dataclasses import fields
from difflib import get_close_matches
from pathlib import PurePath
from typing import Any

from sitebuilder.errors import LessonError
from sitebuilder.faults import Faults, unify_newlines
from sitebuilder.model import ASIDE_KINDS, PLACED_ROLES, SECTION_KINDS, Course, Lesson
from sitebuilder.settings import check_words, read_record
from sitebuilder.theme import check_theme
from sitebuilder.tomlfile import line_of, read_toml

PARTS = (*(kind for kind in SECTION_KINDS if kind not in ASIDE_KINDS), *PLACED_ROLES, "quiz")
"""What a course may require of every lesson."""

ROLES = ("query", "key", "value", "scores", "weights")
"""The roles of the notation that have a colour in static/css/tokens.css. A course may add its own."""

_ROLE = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")


def read_course(text: str, path: PurePath) -> Course:
    """Read the course's settings. Raises LessonErrors with all faults of the text."""
    faults = Faults(path)
    source = unify_newlines(text)
    values = read_toml(source, faults)
    faults.raise_any()
    strayed = _strayed(values, source, faults)
    course = read_record(Course, values, lambda key: line_of(source, key), faults, refused=strayed, toml=True)
    if course:
        _check(course, source, faults)
    faults.raise_any()
    assert course  # otherwise there was a fault
    return course


def _strayed(values: dict[str, Any], source: str, faults: Faults) -> set[str]:
    """Take keys of the course out of the tables whose heading stands above them; each is a fault."""
    known = {field.name for field in fields(Course)} - values.keys()
    tables = {name: inner for name, inner in values.items() if isinstance(inner, dict)}
    strayed = {key: table for table, inner in tables.items() for key in known & inner.keys()}
    for key, table in strayed.items():
        tables[table].pop(key)
        problem = f"`{key}` stands below the heading [{table}], so it belongs to that"
        faults.add(line_of(source, key, table), problem, f"move it above [{table}]")
    return set(strayed)


def missing_parts(course: Course, lesson: Lesson) -> tuple[LessonError, ...]:
    """One fault per part that the course requires of every lesson and this one lacks."""
    present: set[str] = {section.kind for section in lesson.sections()}
    present |= {cell.role for cell in lesson.cells()}
    present |= {"quiz"} if lesson.quizzes() else set()
    return tuple(
        LessonError(
            lesson.path, 1, f"the lesson has no `{part}`", f"add {_example(part)}, which course.toml requires"
        )
        for part in course.required
        if part not in present
    )


def _example(part: str) -> str:
    if part in SECTION_KINDS:
        return f"a block `::: {part}`"
    return "a fence `quiz NAME`" if part == "quiz" else f"a cell `python {part} NAME`"


def _check(course: Course, source: str, faults: Faults) -> None:
    check_words("required", course.required, PARTS, line_of(source, "required"), faults)
    check_theme(course.theme, source, faults)
    owners: dict[str, str] = {}
    for role, identifiers in course.notation.items():
        line = line_of(source, role, table="notation")
        close = get_close_matches(role, ROLES, n=1, cutoff=0.7)
        if role not in ROLES and close:
            faults.add(line, f"unknown role `{role}` in the notation", f"did you mean `{close[0]}`?")
        elif not _ROLE.fullmatch(role):
            faults.add(
                line, f"`{role}` cannot be a role of the notation", "use small letters, digits and hyphens"
            )
        for identifier in identifiers:
            if owners.setdefault(identifier, role) != role:
                problem = f"`{identifier}` stands for `{owners[identifier]}` already"
                faults.add(line, problem, "give each identifier one role")
            if not identifier.strip():
                faults.add(
                    line,
                    f"`{role}` has an empty identifier",
                    "write the name as it stands in code or formulas",
                )
    if course.repository and not re.match(r"https?://\S+$", course.repository):
        faults.add(
            line_of(source, "repository"), "`repository` is not a web address", "begin it with https://"
        )
    if not re.fullmatch(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*", course.language):
        faults.add(
            line_of(source, "language"),
            f"`{course.language}` is not a language code",
            "write one such as `en`",
        )


def source_address(repository: str, path: str) -> str:
    """The address of a source file: GitHub and GitLab show the newest one under HEAD."""
    return f"{repository.rstrip('/')}/blob/HEAD/{path}" if "://git" in repository else repository
