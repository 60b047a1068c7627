"""What a lesson must prove when it is run: no cell raises, promises hold, checks tell right from wrong.

Pure: from what an execution saw to the fault, with its place in the source.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Literal

from sitebuilder.errors import LessonError
from sitebuilder.faults import shorten
from sitebuilder.model import TEXT_MIME, Cell, Display, Exercise, Stream
from sitebuilder.promises import Promise

Error = Mapping[str, Any]
"""`CellError` in static/js/protocol.js."""

_LONGEST = 160
"""Characters of somebody's words that a fault quotes."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to an exercise that the gate tries; `line` is that of its first line of code."""

    role: Literal["starter", "solution", "mistake"]
    source: str
    line: int
    promise: str = ""

    def of(self, exercise: Exercise) -> str:
        article = "a" if self.role == "mistake" else "the"
        return f'{article} {self.role} of "{exercise.name}"'


def answers(exercise: Exercise) -> tuple[Answer, ...]:
    """All that are tried, in this order."""
    return (
        Answer("starter", exercise.starter.source, exercise.starter.line),
        Answer("solution", exercise.solution.source, exercise.solution.line),
        *(Answer("mistake", mistake.source, mistake.line, mistake.promise) for mistake in exercise.mistakes),
    )


def raised(path: PurePath, what: str, first: int, error: Error) -> LessonError:
    """The fault of code that raised; `first` is its first line."""
    is_name = error["kind"] == "NameError"
    remedy = error["hint"] or ("define it in this cell or in one above" if is_name else "correct the code")
    if error["kind"] == "ModuleNotFoundError":  # the hint tells a student to install it
        remedy = "correct the name, or add its package to `packages:` in the front matter"
    return LessonError(path, first + (error["line"] or 1) - 1, f"{what} raises {_told(error)}", remedy)


def broken_promise(
    path: PurePath, cell: Cell, promise: Promise, outputs: Sequence[Stream | Display]
) -> LessonError | None:
    """The fault of an untrue `# →`, from what its expression alone showed."""
    last = outputs[-1] if outputs else None
    if isinstance(last, Display) and last.mime == TEXT_MIME:
        came = str(last.data)
    else:
        printed = "".join(o.text for o in outputs if isinstance(o, Stream) and o.name == "stdout")
        came = printed or "None"
    if promise.is_kept(came):
        return None
    return LessonError(path, cell.line + promise.line - 1, *promise.refusal(came), column=promise.column)


def misjudged(path: PurePath, exercise: Exercise, answer: Answer, error: Error | None) -> LessonError | None:
    """The fault of an exercise whose check says something else of this answer than its author meant."""

    def fault(problem: str, remedy: str, line: int = answer.line) -> LessonError:
        return LessonError(path, line, problem, remedy)

    what = answer.of(exercise)
    if error and error.get("cell"):
        problem = f'checking {what}, the cell "{error["cell"]}" above raises {_told(error)}'
        return fault(problem, "let that cell run with only those that define the names in it")
    if error and error["kind"] == "BrokenCheck":
        problem = f'the check of "{exercise.name}" itself raises {_quoted(error["message"])} for {what}'
        remedy = "assert, with a message, what its next lines rely on"
        return fault(problem, remedy, exercise.check.line + (error["at"] or 1) - 1)
    if answer.role == "starter":
        if error is None:
            return fault(f"{what} passes its check", "leave something to do, or let the check ask for more")
        return None
    if answer.role == "solution":
        if error is None:
            return None
        if error["kind"] != "check":
            return raised(path, what, answer.line, error)
        problem = f"{what} fails its check: “{_quoted(error['message'])}”"
        return fault(problem, "correct the solution or the check")
    if error is None:
        return fault(f"{what} passes the check", "add an assertion that finds it, or remove the mistake")
    told = error["message"] if error["kind"] == "check" else _told(error)
    if " ".join(answer.promise.split()) in " ".join(str(told).split()):
        return None
    problem = f"{what} is promised “{_quoted(answer.promise)}”, but is told “{_quoted(told)}”"
    return fault(problem, "put what it is told into its first comment, or correct the check")


def _told(error: Error) -> str:
    message = _quoted(error["message"])
    return f"{error['kind']}: {message}" if message else str(error["kind"])


def _quoted(words: object) -> str:
    return shorten(str(words), _LONGEST)
