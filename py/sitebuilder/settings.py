"""Turn a mapping from a file into a typed record; every unknown, missing or mistyped key has its line."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from sitebuilder.faults import Faults, suggest

Record = TypeVar("Record")

_WORDS = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "a table of keys",
    "null": "empty",
    "date": "a date",
    "datetime": "a date",
    "time": "a time of day",
}


def read_record(
    cls: type[Record],
    values: Mapping[str, Any],
    line_of: Callable[[str], int],
    faults: Faults,
    *,
    refused: Collection[str] = (),
    start: int = 1,
    toml: bool = False,
) -> Record | None:
    """Build the dataclass `cls` from `values`, or note every fault and return None.

    `line_of(key)` says where a key stands; missing keys are reported at line `start`. Keys in `refused` had
    values that could not be read at all: they are neither missing nor usable. `toml`: how a line is written.
    """
    before = len(faults.errors)
    assert dataclasses.is_dataclass(cls)
    fields = {field.name: field for field in dataclasses.fields(cls)}
    types = get_type_hints(cls)
    for key in values.keys() - fields.keys():
        faults.add(line_of(key), f"unknown key `{key}`", suggest(key, fields))
    good: dict[str, Any] = {}
    for name, field in fields.items():
        if name in values:
            if _typed(name, values[name], types[name], line_of(name), faults, good):
                continue
        elif name in refused:
            continue
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            faults.add(
                start, f"the key `{name}` is missing", f"add a line `{_example(name, types[name], toml)}`"
            )
    return None if refused or len(faults.errors) > before else cls(**good)


def _typed(name: str, value: Any, wanted: Any, line: int, faults: Faults, good: dict[str, Any]) -> bool:
    try:
        typed = msgspec.convert(value, wanted)
    except msgspec.ValidationError as error:
        if get_origin(wanted) is Literal and isinstance(value, str):
            check_words(name, (value,), get_args(wanted), line, faults)
        else:
            faults.add(line, *_explain(name, str(error)))
        return False
    if isinstance(typed, str):
        typed = typed.strip()
        if not typed:
            faults.add(line, f"`{name}` is empty", "write its text after it")
            return False
    good[name] = typed
    return True


def _explain(name: str, message: str) -> tuple[str, str]:
    """A sentence and a remedy from msgspec's "Expected `str`, got `int` - at `$[0]`"."""
    place = re.search(r" - (?:key )?(?:in|at) `\$(.*)`", message)
    inside = place[1] if place else ""
    index = re.fullmatch(r"\[(\d+)\]", inside)
    subject = (
        f"item {int(index[1]) + 1} of `{name}`"
        if index
        else f"`{name}`"
        if not inside
        else f"`{name}{inside}`"
    )
    found = re.match(r"Expected `(\w+)[^`]*`, got `(\w+)`", message)
    if not found:
        return f"{subject} cannot be used: {message.partition(' - ')[0]}", "correct its value"
    wanted, got = (_WORDS.get(kind, kind) for kind in found.groups())
    if got == "empty" and not inside:
        return f"{subject} is empty", f"write {wanted} after it"
    remedy = {"str": "put it in quotes", "array": "write it in brackets, as in [one, two]"}.get(
        found[1], f"write {wanted}"
    )
    return f"{subject} must be {wanted}, not {got}", remedy


def _example(name: str, wanted: Any, toml: bool) -> str:
    if wanted is int:
        return f"{name} = 1" if toml else f"{name}: 1"
    return f'{name} = "…"' if toml else f"{name}: …"


def check_words(key: str, words: tuple[str, ...], known: tuple[str, ...], line: int, faults: Faults) -> None:
    """Note every word of a list that is not one of `known`."""
    for word in words:
        if word not in known:
            faults.add(line, f"`{key}` has no meaning for `{word}`", suggest(word, known))
