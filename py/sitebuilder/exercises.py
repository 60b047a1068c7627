"""An exercise and its parts, which stand anywhere below it: gathered by name, then put together."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from markdown_it.token import Token

from sitebuilder.enclosed import read_enclosed
from sitebuilder.faults import Faults, suggest
from sitebuilder.fences import check_python, fence_line
from sitebuilder.model import Block, Cell, Exercise, Markdown, Mistake, Section
from sitebuilder.promises import check_promises
from sitebuilder.prose import Prose

_NEEDED = {
    "check": "add a fence `python check {}` whose assertions say what is wrong with an answer",
    "solution": "add a fence `python solution {}` with an answer that passes",
    "mistake": "add a fence `python mistake {}` with a wrong answer that students give",
}


@dataclass(slots=True)
class _Parts:
    """What belongs to one exercise, in source order, each with the line of its fence."""

    cells: dict[str, list[tuple[int, Cell]]] = field(default_factory=lambda: defaultdict(list))
    mistakes: list[Mistake] = field(default_factory=list)
    hints: list[Markdown] = field(default_factory=list)
    fences: list[tuple[int, str]] = field(default_factory=list)


class Exercises:
    """The parts of all exercises of one lesson."""

    def __init__(self, prose: Prose, faults: Faults) -> None:
        self._prose = prose
        self._faults = faults
        self._parts: dict[str, _Parts] = defaultdict(_Parts)
        self._lost: set[str] = set()

    def gather(self, token: Token) -> None:
        """Keep a part, a fence `python check NAME` or `hint NAME`, until its exercise is known."""
        words, line = token.info.split(), fence_line(token)
        role, rest = (words[0], words[1:]) if words[0] == "hint" else (words[1], words[2:])
        form = "hint NAME" if role == "hint" else f"python {role} NAME"
        if len(rest) != 1:
            problem = f"this {role} has " + (f"{len(rest)} names" if rest else "no name")
            self._faults.add(line, problem, f"write `{form}` with the name of its exercise")
            self._lost.add(role)
        parts = self._parts[rest[0]] if len(rest) == 1 else _Parts()
        parts.fences.append((line, role))
        source = token.content.rstrip("\n")
        if role == "hint":
            if not source.strip():
                self._faults.add(line, "this hint is empty", "write something in it or remove it")
            parts.hints.append(read_enclosed(source, line + 1, "hint", self._prose, self._faults))
            return
        check_python(source, line + 1, role, self._faults)
        if role == "mistake":
            parts.mistakes.append(self._mistake(source, line))
            return
        if role == "check":
            self._check_assertions(source, line + 1)
        else:
            check_promises(source, line + 1, self._faults)
        cell = Cell("check" if role == "check" else "solution", rest[0] if rest else "", source, line + 1)
        parts.cells[role].append((line, cell))

    def _mistake(self, source: str, line: int) -> Mistake:
        """A mistake, whose first lines are comments: the feedback it must receive."""
        lines = source.split("\n")
        count = next((n for n, text in enumerate(lines) if not text.startswith("#")), len(lines))
        promise = " ".join(text.lstrip("#").strip() for text in lines[:count]).strip()
        if source.strip() and not promise:
            problem = "this mistake promises no feedback"
            self._faults.add(line, problem, "begin it with a comment: what the student must be told")
        elif promise and not "".join(lines[count:]).strip():
            self._faults.add(line, "this mistake has no code", "write the wrong answer below its comment")
        return Mistake(source, promise, line + 1)

    def _check_assertions(self, source: str, first: int) -> None:
        """The message of a check's assertion is all that the student learns, so there must be one."""
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return  # told already, or `await`, which `ast` reads as well as in any cell
        for node in ast.walk(tree):
            if isinstance(node, ast.Assert) and node.msg is None:
                problem = "this assertion has no message, so a wrong answer would get no feedback"
                remedy = 'write `assert …, "what the student should know"`'
                self._faults.add(first + node.lineno - 1, problem, remedy)

    def lose(self) -> None:
        """A fence could not be read: what is missing later may be there."""
        self._lost.update(_NEEDED)

    def put_together(self, blocks: Sequence[Block]) -> tuple[Block, ...]:
        """The same blocks with every starter become the exercise it begins; notes what is missing or left.

        An exercise that lacks a part is left out.
        """
        starters = {cell.name: cell for cell in _starters(blocks)}
        for name, parts in self._parts.items():
            self._check_place(name, parts, starters)
        return tuple(self._placed(blocks))

    def _placed(self, blocks: Iterable[Block]) -> Iterator[Block]:
        for block in blocks:
            if isinstance(block, Section):
                yield replace(block, blocks=tuple(self._placed(block.blocks)))
            elif isinstance(block, Cell) and block.role == "exercise":
                if exercise := self._exercise(block):
                    yield exercise
            else:
                yield block

    def _exercise(self, starter: Cell) -> Exercise | None:
        parts, line = self._parts[starter.name], starter.line - 1
        checks, solutions = parts.cells["check"], parts.cells["solution"]
        for role, found in (("check", checks), ("solution", solutions), ("mistake", parts.mistakes)):
            if not found and role not in self._lost:  # otherwise it is there, under another name
                problem = f"the exercise `{starter.name}` has no {role}"
                self._faults.add(line, problem, _NEEDED[role].format(starter.name))
        for role, cells in parts.cells.items():
            for at, _ in cells[1:]:
                problem = f"a second {role} for `{starter.name}`, after the one on line {cells[0][0]}"
                self._faults.add(at, problem, "make one of the two")
        if not (checks and solutions):
            return None
        check, solution = checks[0][1], solutions[0][1]
        return Exercise(
            starter.name, starter, check, solution, tuple(parts.mistakes), tuple(parts.hints), line
        )

    def _check_place(self, name: str, parts: _Parts, starters: dict[str, Cell]) -> None:
        """Every part stands below its exercise."""
        starter = starters.get(name)
        for line, role in parts.fences:
            if starter is None:
                near = suggest(name, starters) if starters else f"add `python exercise {name}` above it"
                problem = f"this {role} belongs to no exercise: there is no `{name}`"
                self._faults.add(line, problem, near, piece=name)
                self._lost.add(role)
            elif line < starter.line:
                problem = f"this {role} stands above its exercise, which begins on line {starter.line - 1}"
                self._faults.add(line, problem, "move it below")


def _starters(blocks: Iterable[Block]) -> Iterator[Cell]:
    for block in blocks:
        if isinstance(block, Section):
            yield from _starters(block.blocks)
        elif isinstance(block, Cell) and block.role == "exercise":
            yield block
