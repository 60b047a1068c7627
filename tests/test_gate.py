"""The gate: what shows only when a lesson runs is told at its line, in words that a teacher understands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path, PurePath

import pytest
from rich.console import Console

from sitebuilder.errors import LessonError, LessonErrors
from sitebuilder.execute import Executor
from sitebuilder.memory import Memory
from sitebuilder.model import Display, Lesson, Recording, Stream
from sitebuilder.parse import parse_lesson
from sitebuilder.site import NOWHERE, Folders, read_site
from sitebuilder.workshop import Workshop
from tests.project import ROOT
from tests.real_python import executor

HEAD = "---\ntitle: A\nnumber: {number}\ntagline: b\nsummary: c\n---\n"
FIRST = HEAD.count("\n") + 1

SETUP = "```python setup\nimport numpy as np\n```\n"
STARTER = "```python exercise halve\ndef halve(x):\n    ...\n```\n"
CHECK = (
    "```python check halve\n"
    "half = halve(np.arange(4.0))\n"
    'assert half is not None, "halve returned None. Did you forget `return`?"\n'
    'assert half.max() == 1.5, f"Expected 1.5, but the largest is {half.max()}."\n'
    "```\n"
)
SOLUTION = (
    "```python solution halve\ndef halve(x):\n    return x / 2\n\n"
    "halve(np.ones(2))  # → array([0.5, 0.5])\n```\n"
)
MISTAKE = (
    "```python mistake halve\n# Expected 1.5, but the largest is 6.0.\ndef halve(x):\n    return x * 2\n```\n"
)
EXERCISE = STARTER + CHECK + SOLUTION + MISTAKE
WHOLE = SETUP + EXERCISE


def lesson(number: int, body: str) -> Lesson:
    return parse_lesson(HEAD.format(number=number) + body, PurePath(f"lessons/{number:02}-a/lesson.md"))


@dataclass(frozen=True)
class Case:
    """A lesson's body, and the one fault that running it must give; `line` counts within the body."""

    name: str
    body: str
    line: str
    problem: str
    remedy: str


CASES = [
    Case(
        "a raising cell",
        "```python run a\nx = 1\nx / 0\n```\n",
        "3",
        'cell "a" raises ZeroDivisionError: division by zero',
        "",
    ),
    Case(
        "a name that no cell has",
        "```python run a\nnp.eye(2)\n```\n",
        "2",
        "cell \"a\" raises NameError: name 'np' is not defined",
        "Add `import numpy as np`",
    ),
    Case(
        "a name that a cell further down has",
        "```python run a\nx + 1\n```\n```python run b\nx = 1\n```\n",
        "2",
        "cell \"a\" raises NameError: name 'x' is not defined",
        "b",
    ),
    Case(
        "a module that is not there",
        "```python run a\nimport einops\n```\n",
        "2",
        "cell \"a\" raises ModuleNotFoundError: No module named 'einops'",
        "correct the name, or add its package to `packages:` in the front matter",
    ),
    Case(
        "an untrue promise",
        SETUP + "```python run a\nx = np.eye(2)\nx.shape  # → (2, 3)\nx.sum()\n```\n",
        "6:10",
        "`x.shape` gives `(2, 2)`, not `(2, 3)`",
        "write `# → (2, 2)`, or correct the code",
    ),
    Case(
        "an untrue promise of what is printed",
        "```python run a\nprint('one')\nprint('two')  # → three\n```\n",
        "3:15",
        "`print('two')` gives `two`, not `three`",
        "write `# → two`, or correct the code",
    ),
    Case(
        "an untrue promise in a hidden cell",
        "```python setup\n1 + 1  # → 3\n```\n",
        "2:8",
        "`1 + 1` gives `2`, not `3`",
        "write `# → 2`",
    ),
    Case(
        "an untrue promise in a solution",
        WHOLE.replace("0.5, 0.5", "1, 1"),
        "17:20",
        "`halve(np.ones(2))` gives `array([0.5, 0.5])`, not `array([1, 1])`",
        "write `# → array([0.5, 0.5])`",
    ),
    Case(
        "a starter that passes",
        WHOLE.replace("    ...", "    return x / 2"),
        "5",
        'the starter of "halve" passes its check',
        "leave something to do, or let the check ask for more",
    ),
    Case(
        "a solution that fails",
        WHOLE.replace("return x / 2\n\nhalve(np.ones(2))  # → array([0.5, 0.5])", "return x / 3"),
        "14",
        'the solution of "halve" fails its check: “Expected 1.5, but the largest is 1.0.”',
        "correct the solution or the check",
    ),
    Case(
        "a solution that raises",
        WHOLE.replace("    return x / 2", "    return y / 2"),
        "15",
        "the solution of \"halve\" raises NameError: name 'y' is not defined",
        "",
    ),
    Case(
        "a mistake that is told something else",
        WHOLE.replace("x * 2", "x * 3"),
        "20",
        'a mistake of "halve" is promised “Expected 1.5, but the largest is 6.0.”, but is told '
        "“Expected 1.5, but the largest is 9.0.”",
        "put what it is told into its first comment, or correct the check",
    ),
    Case(
        "a mistake that passes",
        WHOLE.replace("x * 2", "x * 0.5"),
        "20",
        'a mistake of "halve" passes the check',
        "add an assertion that finds it, or remove the mistake",
    ),
    Case(
        "a mistake that raises something else than promised",
        WHOLE.replace("# Expected 1.5, but the largest is 6.0.", "# KeyError").replace("x * 2", "x['a']"),
        "20",
        'a mistake of "halve" is promised “KeyError”, but is told “IndexError: only integers',
        "put what it is told into its first comment",
    ),
    Case(
        "a check that breaks",
        WHOLE.replace("assert half.max() == 1.5", "limit = {}['max']\nassert half.max() == limit"),
        "11",
        'the check of "halve" itself raises KeyError: \'max\' for the solution of "halve"',
        "assert, with a message, what its next lines rely on",
    ),
    Case(
        "a cell that never ends",
        "```python run a\nwhile True:\n    pass\n```\n",
        "2",
        'cell "a" was still running when the lesson had taken 6 s',
        "end its loop, or let it compute less",
    ),
    Case(
        "a mistake that never ends",
        WHOLE.replace("return x * 2", "while True: pass"),
        "20",
        'a mistake of "halve" was still running when the lesson had taken 6 s',
        "end its loop",
    ),
    Case(
        "a cell that ends Python",
        "```python run a\nimport js\njs.process.exit(3)\n```\n",
        "2",
        'cell "a" broke Python (Node.js ended with code 3)',
        "take out what ends Python",
    ),
]


@dataclass(frozen=True)
class Told:
    """What one execution of all lessons said: the faults by case, and where the recording lies."""

    faults: dict[str, list[str]]
    python: Executor


GOOD = (
    SETUP
    + '```python run before\nx = np.eye(2)  # rows\nx.shape  # → (2, 2)\nprint("a\\nb")  # → a\n#   b\n'
    "x.T  # → array([[1., 0.], [0., …]])\n```\n" + EXERCISE.replace("...", "raise NotImplementedError")
    + "```python mistake halve\n# TypeError\ndef halve(x, y):\n    return x\n```\n"
    "```python run after\nhalve(x).sum()\n```\n"
)  # fmt: skip


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    python = executor(tmp_path_factory.mktemp("recordings"), timeout=6.0)
    lessons = [lesson(number, case.body) for number, case in enumerate(CASES, 1)]
    with pytest.raises(LessonErrors) as caught:
        python.execute([lesson(90, GOOD), *lessons])
    return Told(
        {
            case.name: [
                re.sub(r"^[^:]*:", "", str(fault))
                for fault in caught.value.errors
                if fault.path == PurePath(f"lessons/{number:02}-a/lesson.md")
            ]
            for number, case in enumerate(CASES, 1)
        }
        | {"good": [str(fault) for fault in caught.value.errors if "90-a" in str(fault)]},
        python,
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_is_wrong_is_told_at_its_line(told: Told, case: Case) -> None:
    (fault,) = told.faults[case.name]
    line, _, column = case.line.partition(":")
    place = f"{FIRST - 1 + int(line)}" + (f":{column}" if column else "")
    assert fault.startswith(f"{place}: {case.problem}"), fault
    assert case.remedy in fault.partition("; ")[2], fault


def recording(told: Told) -> Recording:
    assert told.faults["good"] == []
    found = told.python.recorded(lesson(90, GOOD))
    assert found is not None
    return found


def test_a_lesson_that_keeps_its_promises_passes_and_shows_what_its_page_will_show(told: Told) -> None:
    assert {name: run.outputs for name, run in recording(told).items()} == {
        "setup": (),
        "before": (Stream("stdout", "a\nb\n"), Display("text/plain", "array([[1., 0.],\n       [0., 1.]])")),
        "after": (Display("text/plain", "1.0"),),
    }


@pytest.mark.parametrize(
    ("old", "new", "runs_again"),
    [
        ("```python setup", "Some more words.\n\n```python setup", False),
        ("```python run after", "```hint halve\nA half?\n```\n```python run after", False),
        ("halve(x).sum()", "halve(x).max()", True),
        ("# rows", "# rows and columns", True),
        ("half.max() == 1.5", "half.max() == 3 / 2", True),
        ("def halve(x, y)", "def halve(x, z)", True),
        ("# → (2, 2)", "# → (2, …)", True),
    ],
)
def test_only_a_change_of_what_runs_runs_again(told: Told, old: str, new: str, runs_again: bool) -> None:
    assert recording(told)
    assert GOOD.count(old) == 1
    assert (told.python.recorded(lesson(90, GOOD.replace(old, new))) is None) is runs_again


def test_what_does_not_need_a_failed_cell_is_still_run(tmp_path: Path) -> None:
    body = (
        "```python run a\nx = 1\n1 / 0\n```\n```python run b\nx + 1\n```\n```python run c\n'a' + 1\n```\n"
        + SETUP
        + EXERCISE.replace("x * 2", "x * 3")
    )
    with pytest.raises(LessonErrors) as caught:
        executor(tmp_path).execute([lesson(1, body)])
    assert [
        (fault.line - FIRST + 1, fault.problem.partition(" is ")[0]) for fault in caught.value.errors
    ] == [
        (3, 'cell "a" raises ZeroDivisionError: division by zero'),
        (9, 'cell "c" raises TypeError: can only concatenate str (not "int") to str'),
        (30, 'a mistake of "halve"'),
    ]


def test_every_lesson_of_the_course_passes() -> None:
    """Each cell, promise, solution and mistake. What has passed with the same code is not run again."""
    workshop = Workshop(Folders.of(ROOT), Console(quiet=True))
    workshop.bundle()  # brings Pyodide where npm has not been yet
    faults: list[LessonError] = []
    lessons = read_site(workshop.folders, NOWHERE, faults, Memory()).lessons
    assert faults == []
    recordings = workshop.execute(lessons, workshop.runtime(lessons), workshop.models(lessons))
    assert {slug: sorted(runs) for slug, runs in recordings.items()} == {
        each.slug: sorted(cell.name for cell in each.cells("setup", "run")) for each in lessons
    }
    assert sum(len(exercise.mistakes) for each in lessons for exercise in each.exercises()) >= 16
