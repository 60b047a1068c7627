"""What it means that a check did not end well: a wrong answer, the student's own error, or a broken check.

The innermost frame that is the answer's or the check's decides. In the answer, it is the student's error. In
the check, a failed assertion is a wrong answer, told in the author's words. Anything else raised there is a
wrong answer where the check was at work on what the answer gives: in the test of an assertion, or in a
statement that uses a name of the answer. (`assert split(x).shape == (2, 3), "…"` raises AttributeError for an
answer that returns None.) What remains is a fault of the check.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from types import FunctionType, TracebackType
from typing import NamedTuple

from lectern.explain import CellError
from lectern.names import CellNames, read_names
from lectern.source import normalise, parse_cell

MAX_QUOTE = 120
"""Characters of code that a sentence quotes."""


class Answer(NamedTuple):
    """What is judged: the name of its code, what it has bound, and the names that the starter would bind."""

    filename: str
    bound: Mapping[str, object]
    expected: frozenset[str]

    def lacks(self, check: str, source: str) -> CellError | None:
        """That a name is missing which the starter had and the check uses, whatever defines it above."""
        needed = _reading(check).needs & self.expected
        absent = sorted(needed - self.bound.keys() - names_of(source))
        return _undefined(absent[0]) if absent else None


class Place(NamedTuple):
    """Where in the check something was raised: the statement, and the expectation it belongs to, if any."""

    statement: ast.stmt | None
    offset: tuple[int, int]  # line and column, as in ast
    quote: str  # the code that was being evaluated


Tell = Callable[[str], CellError]
"""Explains the failure as one of the code that has this name."""


def names_of(source: str) -> frozenset[str]:
    """What running this code would define; nothing if it cannot be read."""
    names = _reading(source)
    return names.binds | names.touches


def _reading(source: str) -> CellNames:
    try:
        return read_names(parse_cell(normalise(source), "<exercise>")[0])
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return CellNames(frozenset(), frozenset(), frozenset())


def judge(failure: BaseException, check: str, check_file: str, answer: Answer, tell: Tell) -> CellError:
    """What to tell of `failure`, which ended the check.

    kind "check": a wrong answer, `message` in the author's words; `met`: how many expectations held before,
    of how many. kind "BrokenCheck": `message` has the exception, `at` the line of the check that raised it.
    Other kinds: the student's own exception.
    """
    frames = [tb for tb in _entries(failure.__traceback__) if _file(tb) in (check_file, answer.filename)]
    if isinstance(failure, KeyboardInterrupt):
        return tell(answer.filename)
    if not frames:  # it cannot be compiled
        return _broken(tell(check_file))
    tree, _ = parse_cell(check, check_file)
    calls = [tb for tb in frames if _file(tb) == check_file]
    place = _place(calls[-1], tree, check_file)
    if frames[-1] is not calls[-1]:
        return _called(tell(answer.filename), place)
    if error := _misnamed(failure, answer, place, tell):
        return error
    told = tell(check_file)
    raised = f"{told['kind']}: {told['message']}"
    expectation = place.statement if isinstance(place.statement, ast.Assert) else None
    met = _met(tree, calls[0].tb_lineno)
    if isinstance(failure, AssertionError):
        return _wrong(told["message"] or _unworded(expectation), None, met)
    if isinstance(failure, NameError):
        return _broken(told)
    hint = f"`{place.quote}` raised {raised}"
    if expectation and expectation.msg and _starts(expectation.msg) <= place.offset:
        return _wrong(_unworded(expectation), f"The check's own words for it could not be made: {hint}.", met)
    if expectation:
        return _wrong(_words(expectation, calls[-1]) or _unworded(expectation), f"{hint}.", met)
    if "NoneType" in raised or _names(place.statement) & answer.bound.keys():
        return _wrong("The check could not go on with what your code gives it.", f"{hint}.", met)
    return _broken(told)


def _wrong(message: str, hint: str | None, met: list[int] | None) -> CellError:
    error: CellError = {"kind": "check", "message": message, "line": None, "traceback": "", "hint": hint}
    return {**error, "met": met} if met else error


def _broken(told: CellError) -> CellError:
    message = f"{told['kind']}: {told['message']}"
    return {**told, "kind": "BrokenCheck", "message": message, "line": None, "hint": None, "at": told["line"]}


def _called(told: CellError, place: Place) -> CellError:
    """The student's own error, with the call that led to it: nothing on the page shows it otherwise."""
    call = f"The check had called `{place.quote}`."
    return {**told, "hint": f"{call} {told['hint']}" if told["hint"] else call}


def _misnamed(failure: BaseException, answer: Answer, place: Place, tell: Tell) -> CellError | None:
    """The answer lacks a name that its starter had, or its function takes other arguments."""
    if isinstance(failure, NameError) and failure.name in answer.expected:
        return _undefined(failure.name)
    if isinstance(failure, TypeError):
        called = str(failure).partition("()")[0].rpartition(".")[2]
        function = answer.bound.get(called)
        if isinstance(function, FunctionType) and function.__code__.co_filename == answer.filename:
            hint = f"The check calls `{place.quote}`. Keep the parameters that the starter has."
            return {**tell(answer.filename), "line": function.__code__.co_firstlineno, "hint": hint}
    return None


def _undefined(name: str) -> CellError:
    message = f"The check looks for `{name}`, which your code does not define."
    return _wrong(message, "Keep the name that the starter has. Reset brings it back.", None)


def _words(expectation: ast.Assert, tb: TracebackType) -> str | None:
    """The author's words for an expectation whose test could not even be evaluated."""
    if expectation.msg is None:
        return None
    try:
        code = compile(ast.Expression(expectation.msg), "<check>", "eval", dont_inherit=True)
        return str(eval(code, tb.tb_frame.f_globals, tb.tb_frame.f_locals))
    except Exception:  # they speak of the value that is missing, say
        return None


def _unworded(expectation: ast.Assert | None) -> str:
    """For an assertion without a message."""
    return f"Expected: {_shortened(ast.unparse(expectation.test))}" if expectation else "Not as expected."


def _met(tree: ast.Module, line: int) -> list[int] | None:
    """How many of the expectations of a check come before this line, of how many; None for a single one."""
    steps = [step for step in tree.body if any(isinstance(node, ast.Assert) for node in ast.walk(step))]
    steps = [
        step for step in steps if not isinstance(step, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    ]
    before = sum((step.end_lineno or 0) < line for step in steps)
    return [before, len(steps)] if len(steps) > 1 else None


def _place(tb: TracebackType, tree: ast.Module, check_file: str) -> Place:
    line, end_line, column, end_column = next(
        islice(tb.tb_frame.f_code.co_positions(), tb.tb_lasti // 2, None), (tb.tb_lineno, None, None, None)
    )
    line = line or tb.tb_lineno
    inside = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    statement = inside[-1] if inside else None  # ast.walk goes from the outside in
    lines = [text.rstrip("\n") for text in linecache.getlines(check_file)]
    quote = lines[line - 1].encode()[column:end_column] if end_line == line else lines[line - 1].encode()
    return Place(statement, (line, column or 0), _shortened(quote.decode(errors="replace").strip()))


def _names(statement: ast.stmt | None) -> set[str]:
    """The names in a statement itself, without those of statements inside it."""
    parts = (
        [node for node in ast.iter_child_nodes(statement) if not isinstance(node, ast.stmt)]
        if statement
        else []
    )
    return {node.id for part in parts for node in ast.walk(part) if isinstance(node, ast.Name)}


def _starts(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _shortened(code: str) -> str:
    return code if len(code) <= MAX_QUOTE else f"{code[:MAX_QUOTE]}…"


def _entries(tb: TracebackType | None) -> Iterator[TracebackType]:
    while tb is not None:
        yield tb
        tb = tb.tb_next


def _file(tb: TracebackType) -> str:
    return tb.tb_frame.f_code.co_filename
