"""The first line of a code fence, "language role name", and the check that a cell is Python."""

from __future__ import annotations

import ast
import re
import warnings
from difflib import get_close_matches
from typing import Literal

from markdown_it.token import Token

from sitebuilder.faults import Faults, suggest
from sitebuilder.model import PLACED_ROLES, Cell, CellRole
from sitebuilder.promises import check_promises

PART_ROLES = ("check", "solution", "mistake")
"""Those of the code that belongs to an exercise, beside its hints."""

ROLES = (*PLACED_ROLES, *PART_ROLES)
"""What may stand after `python`."""

_NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_PIP = re.compile(r"^%pip install\b.*", re.MULTILINE)
_SHELL = re.compile(r"\s*[!%]\s*\w")

PROMISING_ROLES = ("setup", "run", "solution")
"""Those whose `# → value` the build keeps; elsewhere it is a comment as any other."""

FenceKind = Literal["shown", "cell", "part", "hint", "quiz", "fault"]


class Names:
    """The names that cells, exercises, quizzes and figures of one lesson share; each may be used once."""

    def __init__(self, faults: Faults) -> None:
        self._lines: dict[str, int] = {}
        self._faults = faults

    def claim(self, name: str, line: int, what: str) -> None:
        """Check a name and reserve it; `what` is "cell", "exercise", "quiz" or "figure"."""
        if not _NAME.fullmatch(name):
            plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-0123456789") or "heads"
            remedy = f"use small letters, digits and hyphens, as in `{plain}`"
            a = "an" if what.startswith("e") else "a"
            self._faults.add(line, f"`{name}` cannot be the name of {a} {what}", remedy, piece=name)
        elif name in self._lines:
            problem = f"the name `{name}` is already used on line {self._lines[name]}"
            self._faults.add(line, problem, f"give this {what} a name of its own", piece=name)
        self._lines.setdefault(name, line)

    def free(self, stem: str) -> str:
        """`stem`, or `stem-2`, `stem-3` … if it is taken."""
        name, count = stem, 1
        while name in self._lines:
            count += 1
            name = f"{stem}-{count}"
        return name


def fence_line(token: Token) -> int:
    return token.map[0] + 1 if token.map else 1


def fence_kind(token: Token, faults: Faults) -> FenceKind:
    """What a code fence is, by its first line; notes the fault of one that is unknown or never closed."""
    words, line = token.info.split(), fence_line(token)
    language, rest = words[0] if words else "", words[1:]
    if not _is_whole(token, faults):
        return "fault"
    if language == "quiz":
        return "quiz"
    if language == "hint":
        return "hint"
    if language == "python" and rest[:1] == ["hint"]:
        faults.add(line, "a hint is text and has no language", f"write `{' '.join(rest)}`")
        return "fault"
    if language == "python":
        return "shown" if not rest else "part" if rest[0] in PART_ROLES else "cell"
    if language in ROLES:
        faults.add(
            line, f"`{language}` is a role and stands after the language", f"write `python {' '.join(words)}`"
        )
    elif close := get_close_matches(language.lower(), ["python", "quiz", "hint"], n=1, cutoff=0.75):
        faults.add(line, f"unknown language `{language}`", f"did you mean `{close[0]}`?", piece=language)
    elif rest:
        problem = f"`{language}` takes nothing after it"
        faults.add(line, problem, "only `python` fences have a role and a name, `quiz` and `hint` a name")
    else:
        return "shown"
    return "fault"


def _is_whole(token: Token, faults: Faults) -> bool:
    """Whether a code fence is closed where its author meant it."""
    line, mark = fence_line(token), token.markup
    opening = re.compile(rf" {{0,3}}{mark[0]}{{{len(mark)},}}[ \t]*[A-Za-z]")
    for offset, text in enumerate(token.content.split("\n"), 1):
        if opening.match(text):
            problem = f"this code fence is not closed before the next one on line {line + offset}"
            faults.add(line, problem, f"add a line `{mark}` after its code")
            return False
    length = token.map[1] - token.map[0] if token.map else 0
    if length != token.content.count("\n") + 2:
        faults.add(line, "this code fence is never closed", f"add a line `{mark}` after its code")
        return False
    return True


def read_cell(words: list[str], token: Token, names: Names, faults: Faults) -> Cell | None:
    """The cell of a fence `python ROLE NAME`, or None after noting what is wrong with its first line.

    Faults of the code itself are noted too, each at its own line.
    """
    line = fence_line(token)
    role = next((known for known in PLACED_ROLES if known == words[1]), None)
    if role is None:
        faults.add(line, f"unknown role `{words[1]}`", suggest(words[1], ROLES, listing=True), piece=words[1])
    name = _name(words[2:], role, line, names, faults)
    source = token.content.rstrip("\n")
    check_python(source, line + 1, _noun(role), faults)
    if role in PROMISING_ROLES:
        check_promises(source, line + 1, faults)
    return Cell(role, name, source, line + 1) if role and name else None


def _name(rest: list[str], role: CellRole | None, line: int, names: Names, faults: Faults) -> str:
    if len(rest) > 1:
        faults.add(
            line,
            f"a fence has one name, but here are {len(rest)}: {' '.join(rest)}",
            "join them with hyphens",
        )
        return ""
    if not rest:
        if role == "setup":
            name = names.free("setup")
            names.claim(name, line, "cell")
            return name
        if role:
            faults.add(line, f"this {_noun(role)} has no name", f"write `python {role} NAME`")
        return ""
    names.claim(rest[0], line, _noun(role))
    return rest[0]


def _noun(role: CellRole | None) -> str:
    return "exercise" if role == "exercise" else "cell"


def check_python(source: str, first: int, what: str, faults: Faults) -> None:
    """Note where `source`, which begins on line `first`, is not Python. Top-level await is allowed."""
    if not source.strip():
        faults.add(max(first - 1, 1), f"this {what} has no code", f"write some or remove the {what}")
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a doubtful escape is for the author to see when the cell runs
            compile(_PIP.sub("", source), "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    except SyntaxError as error:
        lines = source.split("\n")
        number = min(max(error.lineno or 1, 1), len(lines))
        text = lines[number - 1]
        if _SHELL.match(text):
            faults.add(
                first + number - 1,
                f"`{text.strip()}` is not Python",
                "of such lines only `%pip install` works",
            )
        else:
            problem = f"this is not Python: {error.msg}"
            faults.add(first + number - 1, problem, "correct the code", column=max(error.offset or 0, 0))
    except (ValueError, OverflowError, MemoryError, RecursionError):
        faults.add(
            first, f"Python cannot read this {what}", "simplify it, and remove characters that do not print"
        )
