"""Whether running a cell again can give other values: random numbers without a seed, the time, input. Pure.

Guesses from names, for a note that says "may". A seed counts within its own cell only. Not seen: what modules
of the lesson do, and a generator that is drawn from in another order than before.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Literal

Chance = Literal["random", "time", "input"]

_SEEDED_BY_ARGUMENT = {
    "default_rng",
    "RandomState",
    "Random",
    "seed",
    "SeedSequence",
    "PCG64",
    "Philox",
    "MT19937",
}
_CLOCKS = {
    "now",
    "utcnow",
    "today",
    "perf_counter",
    "monotonic",
    "process_time",
    "time_ns",
    "perf_counter_ns",
}
_DRAWS = {"urandom", "uuid1", "uuid4", "token_hex", "token_bytes", "token_urlsafe", "SystemRandom"}
_HARMLESS = {"sleep", "strptime", "mktime", "Generator", "get_state", "getstate", "setstate", "set_state"}


def chances(tree: ast.Module) -> tuple[Chance, ...]:
    """What may make another run of the cell end differently, each named once."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    imported = dict(_imported(tree))
    found = {chance for call in calls if (chance := _chance(call, imported))}
    if "random" in found and any(_path(call.func, imported)[-1:] == ["seed"] and call.args for call in calls):
        found.discard("random")
    return tuple(sorted(found))


def _chance(call: ast.Call, imported: dict[str, list[str]]) -> Chance | None:
    path = _path(call.func, imported)
    if not path or path[-1] in _HARMLESS:
        return None
    *owners, name = path
    if path == ["input"] or "stdin" in owners:
        return "input"
    if name in _SEEDED_BY_ARGUMENT:
        return None if call.args or call.keywords else "random"
    if name in _DRAWS or "random" in owners or "secrets" in owners:
        return "random"
    if name in _CLOCKS or owners == ["time"]:
        return "time"
    return None


def _path(node: ast.expr, imported: dict[str, list[str]]) -> list[str]:
    """`np.random.rand` as its parts, with `from … import` undone; empty for what is not a dotted name."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.insert(0, node.attr)
        node = node.value
    return [*imported.get(node.id, [node.id]), *parts] if isinstance(node, ast.Name) else []


def _imported(tree: ast.Module) -> Iterator[tuple[str, list[str]]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            origin = (node.module or "").split(".") if isinstance(node, ast.ImportFrom) else []
            for alias in node.names:
                if origin or alias.asname:
                    yield alias.asname or alias.name, [*origin, *alias.name.split(".")]
