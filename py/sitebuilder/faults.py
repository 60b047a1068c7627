"""Collect the faults of one source file, so that an author sees all of them in one run."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from difflib import get_close_matches
from pathlib import PurePath
from typing import TYPE_CHECKING

from sitebuilder.errors import LessonError, LessonErrors

if TYPE_CHECKING:
    from sitebuilder.model import Lesson


class Faults:
    """A list of faults in one file that grows while the file is read."""

    def __init__(self, path: PurePath, lines: Sequence[str] = ()) -> None:
        """`lines` are those of the file, where faults are to be told with columns."""
        self.path = path
        self.errors: list[LessonError] = []
        self._lines = lines

    def add(self, line: int, problem: str, remedy: str, *, column: int = 0, piece: str = "") -> None:
        """Note a fault at a line (counted from 1) and, where it is known, a column: that of a `piece` of the
        line if it has it only once.
        """
        column = column or self.column_of(piece, line)
        self.errors.append(LessonError(self.path, max(line, 1), problem, remedy, column))

    def column_of(self, piece: str, line: int) -> int:
        """Where a piece of text stands in a line, from 1; 0 if it is not there, or there more than once."""
        text = self._lines[line - 1] if 0 < line <= len(self._lines) else ""
        return text.index(piece) + 1 if piece and text.count(piece) == 1 else 0

    def raise_any(self, damaged: Lesson | None = None) -> None:
        """Raise LessonErrors if anything was noted."""
        if self.errors:
            raise LessonErrors(self.errors, damaged)


def suggest(word: str, known: Collection[str], *, listing: bool = False) -> str:
    """A remedy for a word that is not one of `known`: the nearest one, or all; with `listing` always all."""
    close = get_close_matches(word.lower(), list(known), n=1)
    if not close:
        return f"use {listed(known)}"
    return f"did you mean `{close[0]}`?" + (f" There are {listed(known, 'and')}." if listing else "")


def listed(words: Collection[str], last: str = "or") -> str:
    """`a`, `b` or `c`."""
    marked = [f"`{word}`" for word in words]
    return f"{', '.join(marked[:-1])} {last} {marked[-1]}" if len(marked) > 1 else "".join(marked)


def shorten(text: str, width: int = 48) -> str:
    """A source excerpt on one line, cut where it would no longer fit into a sentence."""
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 1].rstrip() + "…"


def decode_source(data: bytes, path: PurePath) -> str:
    """The text of a source file. Raises LessonErrors at the first line that is not UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        faults = Faults(path)
        line = unify_newlines(data[: error.start].decode("latin-1")).count("\n") + 1
        faults.add(line, "this line is not UTF-8 text", "save the file as UTF-8")
        raise LessonErrors(faults.errors) from None


def unify_newlines(text: str) -> str:
    """Every line end as `\\n`, and no byte-order mark, so that line numbers agree with any editor's."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
