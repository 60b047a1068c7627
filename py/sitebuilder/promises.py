"""`expression  # → value`: where a cell promises what its expressions are, and whether what came is that.

A promise is seen by readers as it stands in the code. It says what the page would show if the cell ended with
that expression: the text of its value, or what a print() prints. `…` in it stands for anything, and
white space counts as one space. It may go on in comment lines right below, indented by two spaces at least.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sitebuilder.faults import Faults, shorten

_MARK = re.compile(r"#\s*→\s?(.*)")
_MORE = re.compile(r"#(?:\s{2,}|\t)(.*)")
_PIP = re.compile(r"^%pip install\b.*", re.MULTILINE)
_LONGEST = 100
"""Characters of a value that a fault suggests to write."""


@dataclass(frozen=True, slots=True)
class Promise:
    """What an expression shall be. `line` and `column` are those of its `#`, from 1 within the cell."""

    expression: str
    text: str
    line: int
    column: int

    def is_kept(self, came: str) -> bool:
        """Whether this is what was promised."""
        pieces = (re.escape(_flat(piece)) for piece in re.split(r"…|\.\.\.", self.text))
        return bool(re.fullmatch(r"\s*.*\s*".join(pieces), _flat(came), re.DOTALL))

    def refusal(self, came: str) -> tuple[str, str]:
        """The problem and the remedy of an untrue promise."""
        flat = _flat(came)
        problem = f"`{shorten(self.expression)}` gives {_said(flat)}, not {_said(_flat(self.text))}"
        if not flat:
            return problem, "end the line without `# →`"
        if len(flat) > _LONGEST:
            return problem, "write what it is now; `…` stands for the parts that do not matter"
        return problem, f"write `# → {flat}`, or correct the code"


@dataclass(frozen=True, slots=True)
class Slice:
    """A piece of a cell, to be run by itself, with empty lines above so that its lines keep their numbers.

    One with a promise holds its expression and nothing that prints besides. All but the last slice of a cell
    show values that the whole cell would not show.
    """

    source: str
    promise: Promise | None


def slices(source: str) -> tuple[Slice, ...]:
    """The cell cut so that every promised expression is a slice; the cell itself if it promises nothing.

    `source` is Python; promises that `check_promises` refuses are left out.
    """
    lines = source.split("\n")
    cuts: list[tuple[int, int, Promise | None]] = []
    done = 0
    for arrow in _read(source):
        if promise := arrow.promise:
            if arrow.first - 1 > done:
                cuts.append((done, arrow.first - 1, None))
            cuts.append((arrow.first - 1, arrow.last, promise))
            done = arrow.last
    if _has_code(lines[done:]):
        cuts.append((done, len(lines), None))
    return tuple(
        Slice("\n" * first + "\n".join(lines[first:last]), promise) for first, last, promise in cuts
    ) or (Slice(source, None),)


def check_promises(source: str, first: int, faults: Faults) -> None:
    """Note every `# →` that follows no expression. `first` is the line of the cell's first line of code."""
    for arrow in _read(source):
        if not arrow.promise:
            problem = f"`# →` promises a value, but {arrow.flaw}"
            remedy = "put it after an expression at the left margin, or leave the arrow out"
            faults.add(first + arrow.line - 1, problem, remedy, column=arrow.column)


@dataclass(frozen=True, slots=True)
class _Arrow:
    """A comment that begins with `→`: a promise, or what it lacks to be one. Lines count within the cell."""

    line: int
    column: int
    promise: Promise | None = None
    first: int = 0  # lines of its slice
    last: int = 0
    flaw: str = ""


def _read(source: str) -> Iterator[_Arrow]:
    if "→" not in source:
        return
    text = _PIP.sub("", source)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            body = ast.parse(text).body
        comments = [
            token
            for token in tokenize.generate_tokens(io.StringIO(text).readline)
            if token.type == tokenize.COMMENT
        ]
    except (SyntaxError, ValueError, RecursionError, MemoryError, tokenize.TokenError):
        return  # told by `check_python`
    lines = source.split("\n")
    for comment in comments:
        if mark := _MARK.fullmatch(comment.string):
            line, column = comment.start
            more = _more(lines[line:])
            promised = "\n".join([mark[1], *more]).strip()
            statement = _promised(body, lines, line, column)
            if statement is None:
                yield _Arrow(line, column + 1, flaw="no expression stands before it")
            elif not promised:
                yield _Arrow(line, column + 1, flaw="names none")
            else:
                expression = _flat(ast.get_source_segment(text, statement) or "")
                promise = Promise(expression, promised, line, column + 1)
                first = _first_line(body, statement.lineno)
                yield _Arrow(line, column + 1, promise, first, line + len(more))


def _promised(body: Sequence[ast.stmt], lines: Sequence[str], line: int, column: int) -> ast.Expr | None:
    """The expression at the left margin that ends right before a comment."""
    for statement in body:
        if isinstance(statement, ast.Expr) and statement.end_lineno == line:
            end = len(lines[line - 1].encode()[: statement.end_col_offset].decode())
            if end <= column and not lines[line - 1][end:column].strip():
                return statement
    return None


def _first_line(body: Sequence[ast.stmt], line: int) -> int:
    """The line on which a slice that has to contain `line` can begin: no statement goes on over it."""
    for statement in reversed(body):
        if statement.lineno < line <= (statement.end_lineno or 0):
            line = statement.lineno
    return line


def _more(lines: Sequence[str]) -> list[str]:
    """The comment lines that a promise goes on in."""
    found = []
    for text in lines:
        more = _MORE.fullmatch(text)
        if not more:
            break
        found.append(more[1])
    return found


def _has_code(lines: Sequence[str]) -> bool:
    return any(text.strip() and not text.lstrip().startswith("#") for text in lines)


def _flat(text: str) -> str:
    return " ".join(text.split())


def _said(text: str) -> str:
    return f"`{shorten(text, _LONGEST)}`" if text else "nothing"
