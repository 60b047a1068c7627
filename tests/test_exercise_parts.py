"""Exercises in a source: parts become one exercise where its starter stands, and each fault has its line."""

from __future__ import annotations

import re

import pytest

from sitebuilder.model import Exercise, Markdown, Section
from tests.test_parse import BODY, HEAD, PATH, lesson
from tests.test_parse import faults as located

STARTER = "```python exercise split\ndef split(x, h):\n    ...\n```\n"
CHECK = '```python check split\nassert split(2, 1) == 2, "Divide x by h."\n```\n'
SOLUTION = "```python solution split\ndef split(x, h):\n    return x / h\n```\n"
MISTAKE = "```python mistake split\n# Divide x\n# by h.\ndef split(x, h):\n    return x * h\n```\n"
HINT = "```hint split\nWhat is $x / h$?\n```\n"
WHOLE = STARTER + CHECK + SOLUTION + MISTAKE + HINT


def test_the_parts_of_an_exercise_become_one_block() -> None:
    read = lesson(WHOLE)
    (exercise,) = read.blocks
    assert isinstance(exercise, Exercise)
    assert (exercise.name, exercise.line) == ("split", BODY)
    assert exercise.starter.source == "def split(x, h):\n    ..."
    assert [
        (c.role, c.name, c.line - BODY) for c in (exercise.starter, exercise.check, exercise.solution)
    ] == [
        ("exercise", "split", 1),
        ("check", "split", 5),
        ("solution", "split", 8),
    ]
    (mistake,) = exercise.mistakes
    assert (mistake.promise, mistake.line - BODY) == ("Divide x by h.", 12)
    assert mistake.source == "# Divide x\n# by h.\ndef split(x, h):\n    return x * h"
    assert len(exercise.hints) == 1
    assert [(formula.tex, formula.line - BODY) for formula in read.formulas] == [("x / h", 18)]


def test_parts_may_stand_anywhere_below_and_leave_the_text_around_them_whole() -> None:
    read = lesson(
        f"::: note\n{STARTER}:::\n\nOne\n\n{HINT}\n- two\n\n{CHECK}{SOLUTION}\n- three\n\n{MISTAKE}"
    )
    note, text = read.blocks
    assert isinstance(note, Section)
    assert isinstance(text, Markdown)
    assert [exercise.name for exercise in read.exercises()] == ["split"]
    assert note.blocks == read.exercises()


def test_hints_and_mistakes_keep_the_order_of_the_source() -> None:
    other = MISTAKE.replace("Divide x", "Not plus: divide x").replace("*", "+")
    read = lesson(WHOLE + other + HINT.replace("$x / h$", "`x`"))
    (exercise,) = read.exercises()
    assert [mistake.promise for mistake in exercise.mistakes] == [
        "Divide x by h.",
        "Not plus: divide x by h.",
    ]
    assert [hint.tokens[1].content for hint in exercise.hints] == ["What is $x / h$?", "What is `x`?"]


def test_cells_of_a_lesson_are_those_with_a_place() -> None:
    read = lesson("```python run a\n1\n```\n" + WHOLE + "```python run b\n1\n```\n")
    assert [(cell.role, cell.name) for cell in read.cells()] == [
        ("run", "a"),
        ("exercise", "split"),
        ("run", "b"),
    ]
    assert read.cells("check", "solution") == ()


# Each: what is wrong, the body, the line of the fault within it, a piece of the sentence.
BAD: list[tuple[str, str, int, str]] = [
    ("no check", STARTER + SOLUTION + MISTAKE, 1, "`split` has no check; add a fence `python check split`"),
    ("no solution", STARTER + CHECK + MISTAKE, 1, "has no solution; add a fence `python solution split`"),
    ("no mistake", STARTER + CHECK + SOLUTION, 1, "has no mistake; add a fence `python mistake split`"),
    ("two checks", WHOLE + CHECK, 21, f"a second check for `split`, after the one on line {BODY + 4}"),
    (
        "two solutions",
        WHOLE + SOLUTION,
        21,
        f"a second solution for `split`, after the one on line {BODY + 7}",
    ),
    (
        "a check without its exercise",
        WHOLE + CHECK.replace("check split", "check spilt"),
        21,
        "this check belongs to no exercise: there is no `spilt`; did you mean `split`?",
    ),
    ("a hint without any exercise", HINT, 1, "there is no `split`; add `python exercise split` above it"),
    (
        "a solution of a run cell",
        "```python run split\n1\n```\n" + SOLUTION,
        4,
        "this solution belongs to no exercise",
    ),
    ("a check under another name", WHOLE.replace("check split", "check spilt"), 5, "did you mean `split`?"),
    ("a hint above", HINT + WHOLE, 1, f"stands above its exercise, which begins on line {BODY + 3}; move it"),
    (
        "a check without a name",
        WHOLE.replace("check split", "check"),
        5,
        "write `python check NAME` with the",
    ),
    (
        "a hint without a name",
        WHOLE.replace("hint split", "hint"),
        18,
        "this hint has no name; write `hint NAME`",
    ),
    ("a mistake with two names", WHOLE.replace("mistake split", "mistake split it"), 12, "has 2 names"),
    ("an exercise without a name", "```python exercise\n1\n```\n", 1, "write `python exercise NAME`"),
    (
        "an exercise with a bad name",
        WHOLE.replace("split\n", "Split\n"),
        1,
        "cannot be the name of an exercise",
    ),
    ("a name used twice", "```python run split\n1\n```\n" + WHOLE, 4, "already used on line"),
    ("an empty starter", WHOLE.replace("def split(x, h):\n    ...\n", ""), 1, "this exercise has no code"),
    (
        "an empty check",
        WHOLE.replace('assert split(2, 1) == 2, "Divide x by h."\n', ""),
        5,
        "check has no code",
    ),
    ("an empty hint", WHOLE.replace("What is $x / h$?\n", ""), 18, "this hint is empty"),
    (
        "a silent mistake",
        WHOLE.replace("# Divide x\n# by h.\n", ""),
        12,
        "promises no feedback; begin it with a",
    ),
    (
        "a mistake that is only promised",
        STARTER + CHECK + SOLUTION + "```python mistake split\n# No.\n```\n",
        12,
        "this mistake has no code",
    ),
    (
        "an assertion without a message",
        WHOLE.replace(', "Divide x by h."', ""),
        6,
        "this assertion has no message",
    ),
    ("a check that is not Python", WHOLE.replace("assert split", "assert = split"), 6, "this is not Python"),
    ("a mistake that is not Python", WHOLE.replace("return x * h", "return x *"), 16, "this is not Python"),
    ("a bad formula in a hint", WHOLE.replace("$x / h$", "$ \\frac $"), 19, "dollar signs do not match"),
    ("a heading in a hint", WHOLE.replace("What is", "## What is"), 19, "a hint has no headings"),
    (
        "a check in a list",
        STARTER + SOLUTION + MISTAKE + "- x\n\n  " + CHECK.replace("\n", "\n  "),
        17,
        "stands inside",
    ),
    (
        "a hint with a language",
        WHOLE.replace("```hint", "```python hint"),
        18,
        "a hint is text and has no language; write `hint split`",
    ),
    (
        "a role without its language",
        WHOLE.replace("```python check", "```check"),
        5,
        "write `python check split`",
    ),
    (
        "a misspelt hint",
        WHOLE.replace("```hint", "```hints"),
        18,
        "unknown language `hints`; did you mean `hint`?",
    ),
]


@pytest.mark.parametrize(("body", "line", "piece"), [c[1:] for c in BAD], ids=[c[0] for c in BAD])
def test_a_fault_of_an_exercise_is_named_with_its_line(body: str, line: int, piece: str) -> None:
    found = [str(fault).removeprefix(f"{PATH}:") for fault in located(HEAD + body)]
    assert len(found) == 1, found
    assert re.match(rf"{BODY - 1 + line}:(\d+:)? ", found[0]), found
    assert piece in found[0]


def test_everything_missing_is_told_at_once() -> None:
    assert [fault.problem for fault in located(HEAD + STARTER)] == [
        "the exercise `split` has no check",
        "the exercise `split` has no mistake",
        "the exercise `split` has no solution",
    ]
