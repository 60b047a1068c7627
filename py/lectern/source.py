"""From the text of a cell to code: line ends, commands, the value of the last expression. Runs nothing."""

from __future__ import annotations

import ast
import linecache
import re
from types import CodeType
from typing import NamedTuple

from lectern.packages import imported_modules, is_command, translate_command

_UNREADABLE = re.compile("[\0\ud800-\udfff]")
_FLAGS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT


class Program(NamedTuple):
    """A compiled cell: `parts` run one after the other.

    If the last statement is an expression, it is the last part, and its value is `shown` unless `;` follows.
    """

    parts: tuple[CodeType, ...]
    has_value: bool
    shown: bool
    installs: bool  # has a line that asks for packages
    imports: frozenset[str]


def normalise(source: str) -> str:
    """The same lines, each ended by `\\n`, as Python's and the editor's line numbers count them."""
    return source.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


class Versions:
    """The names of all code that cells were compiled to: one for each version of a cell's source.

    A function outlives an edit of its cell. Its errors must still show the lines that it was made from, so an
    edited source gets a name of its own; in tracebacks the newest version is shown as plain `<cell>`.
    """

    def __init__(self) -> None:
        self._names: dict[str, dict[str, str]] = {}  # cell → source → name
        self.shown: dict[str, str] = {}  # name → how a traceback shows it

    def name(self, cell: str, source: str) -> str:
        """The name of this version, which becomes the newest. Angle brackets: it is no file on any disk."""
        names = self._names.setdefault(cell, {})
        name = names.setdefault(source, f"<{cell}>" if not names else f"<{cell}, edit {len(names) + 1}>")
        self.shown.update(dict.fromkeys(names.values(), f"<{cell}, earlier version>"))
        self.shown[name] = f"<{cell}>"
        return name


def remember_lines(source: str, filename: str) -> None:
    """Let tracebacks, warnings and `inspect.getsource` find the lines of a cell."""
    lines = [line + "\n" for line in source.split("\n")]  # not splitlines: a form feed does not end a line
    linecache.cache[filename] = (len(source), None, lines, filename)


def compile_cell(source: str, filename: str) -> Program:
    """Compile a cell as the module-level code it is; `await` is allowed.

    Raises SyntaxError with the line, text and caret of the student's own source; RecursionError or
    MemoryError for an expression that is nested too deeply for the parser.
    """
    _refuse_unreadable(source, filename)
    try:
        tree, lines = parse_cell(source, filename)
        imports, installs = imported_modules(tree), lines != source.split("\n")
        last = tree.body[-1] if tree.body else None
        if not isinstance(last, ast.Expr):
            return Program((_code(tree, filename),), False, False, installs, imports)
        shown = not re.match(r"[\s\\]*;", _rest(lines, last))
        tree.body.pop()
        parts = _code(tree, filename), _code(ast.Expression(last.value), filename)
        return Program(parts, True, shown, installs, imports)
    except SyntaxError as error:
        if error.text is None and error.lineno:  # the compiler's later passes do not know the text
            error.text = linecache.getline(filename, error.lineno)
        raise


def _refuse_unreadable(source: str, filename: str) -> None:
    """Null characters and halves of surrogate pairs, which Python refuses without saying where."""
    for number, line in enumerate(source.split("\n"), start=1):
        if found := _UNREADABLE.search(line):
            what = f"this line contains a character that is no text (U+{ord(found[0]):04X})"
            shown = _UNREADABLE.sub("\ufffd", line)
            raise SyntaxError(what, (filename, number, found.start() + 1, shown))


def _code(tree: ast.Module | ast.Expression, filename: str) -> CodeType:
    mode = "exec" if isinstance(tree, ast.Module) else "eval"
    # dont_inherit: the cell does not get this file's `from __future__ import annotations`.
    code: CodeType = compile(tree, filename, mode, flags=_FLAGS, dont_inherit=True)
    return code


def parse_cell(source: str, filename: str) -> tuple[ast.Module, list[str]]:
    """The tree and the lines it was made from, with commands translated.

    A line that starts with % can be Python (in a string, after an open bracket). So a line is taken for a
    command only once Python's own parser has refused that very line. Raises like `compile_cell`.
    """
    lines = source.split("\n")
    while True:
        try:
            text = "\n".join(lines)
            tree = compile(text, filename, "exec", flags=_FLAGS | ast.PyCF_ONLY_AST, dont_inherit=True)
            return tree, lines
        except SyntaxError as error:
            number = error.lineno or 0
            if not 1 <= number <= len(lines) or not is_command(lines[number - 1]):
                raise
            line = lines[number - 1]
            try:
                lines[number - 1] = translate_command(line)
            except ValueError as refusal:
                column = len(line) - len(line.lstrip()) + 1
                raise SyntaxError(str(refusal), (filename, number, column, line)) from None


def _rest(lines: list[str], node: ast.stmt) -> str:
    """What stands after a statement in the source."""
    end_line, end_byte = node.end_lineno or 0, node.end_col_offset or 0
    tail = lines[end_line - 1].encode()[end_byte:].decode()
    return "\n".join([tail, *lines[end_line:]])
