"""What a hint's rule is: a kind of exception, a pattern for its message, and what to say."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from lectern.operands import Operand, Place, operands
from lectern.whereabouts import Finder, nowhere


@dataclass(frozen=True, slots=True)
class Case:
    """One failure: the exception, what the pattern found in its message, and where the student's code was."""

    error: BaseException
    found: re.Match[str]
    place: Place | None
    namespace: Mapping[str, object]
    where: Finder = nowhere

    def __getitem__(self, group: int) -> str:
        return self.found[group] or ""

    def operands(self) -> tuple[Operand, Operand] | None:
        return operands(self.place) if self.place else None


Hint = Callable[[Case], str | None]


@dataclass(frozen=True, slots=True)
class Rule:
    kind: type[BaseException]
    pattern: re.Pattern[str]
    hint: Hint | str


class Rules(list[Rule]):
    """Rules in order of precedence; `@RULES.add(kind, pattern)` adds the function below it."""

    def add(self, kind: type[BaseException], pattern: str) -> Callable[[Hint], Hint]:
        def register(hint: Hint) -> Hint:
            self.append(Rule(kind, re.compile(pattern, re.DOTALL), hint))
            return hint

        return register
