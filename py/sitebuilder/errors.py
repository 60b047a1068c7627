"""The two ways a build can end early: faults in the sources, and trouble around them.

Both are sentences for a teacher: where, what is wrong, what to do next. Neither shows a traceback.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sitebuilder.model import Lesson


@dataclass(frozen=True, slots=True, order=True)
class LessonError:
    """One mistake in a source file, printed as `path:line:column: problem; remedy`.

    `path` is shown as given (relative to the project where possible); `line` and `column` count from 1, in
    characters. Where only the line is known, `column` is 0 and left out.
    """

    path: PurePath
    line: int
    problem: str
    remedy: str
    column: int = 0

    def __str__(self) -> str:
        place = f"{self.line}:{self.column}" if self.column else f"{self.line}"
        return f"{self.path}:{place}: {self.problem}; {self.remedy}"


class BuildError(Exception):
    """Something other than a lesson's text ends the build; the message says what to do next."""


class LessonErrors(BuildError):
    """Every fault found in one pass over the sources, sorted by file and line.

    `damaged` is the lesson at fault as far as it could be read, so that the rest of it can be checked too.
    """

    def __init__(self, errors: Iterable[LessonError], damaged: Lesson | None = None) -> None:
        self.errors = tuple(sorted(set(errors), key=lambda e: (e.path, e.line, e.column, e)))
        self.damaged = damaged
        super().__init__("\n".join(map(str, self.errors)))
