"""TOML with the lines of its keys, which `tomllib` does not keep, and its faults in a teacher's words."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from sitebuilder.faults import Faults

_TOML_LINE = re.compile(r"\s*\(at line (\d+), column \d+\)")
_REMEDIES = (
    ("Cannot overwrite a value", "a key stands here twice", "keep one of the two"),
    ("Cannot declare", "a table stands here twice", "put their keys under one heading"),
    ("Invalid value", "this value cannot be read", 'put text in quotes: key = "text"'),
    (r"Illegal character '\n'", "a quotation mark is never closed", "add the closing one on the same line"),
    ("Illegal character", "this line holds a character that is no text", "delete it; few editors show it"),
    (
        "Found invalid character",
        "this line holds a character that is no text",
        "delete it; few editors show it",
    ),
    ("Unclosed array", "a bracket is never closed", 'write lists as ["one", "two"]'),
    ("Unterminated string", "a quotation mark is never closed", "add the closing one"),
    ("Expected '=' after a key", "a key has no value", 'write key = "text"'),
)


def read_toml(source: str, faults: Faults) -> dict[str, Any]:
    """The values of a file with unified line ends; nothing, and a fault noted, if it cannot be read."""
    try:
        return tomllib.loads(source)
    except tomllib.TOMLDecodeError as error:
        faults.add(*_explain(str(error), source))
    except RecursionError:
        faults.add(1, "the settings are nested too deeply to read", "write plain `key = value` lines")
    return {}


def line_of(source: str, key: str, table: str = "") -> int:
    """The line of a key, by a look at the text, since tomllib keeps no places; else the table's line."""
    here, found = "", 1
    wanted = re.compile(rf"""\s*(["']?){re.escape(key)}\1\s*[=.]""")
    for number, text in enumerate(source.split("\n"), 1):
        if heading := re.match(r"\s*\[+\s*[\"']?([^\]\"']+)[\"']?\s*\]", text):
            here = heading[1].strip()
            if here == (table or key):
                found = number
        elif here == table and wanted.match(text):
            return number
    return found


def _explain(message: str, source: str) -> tuple[int, str, str]:
    place = _TOML_LINE.search(message)
    line = int(place[1]) if place else source.rstrip("\n").count("\n") + 1
    for start, problem, remedy in _REMEDIES:
        if message.startswith(start):
            return line, problem, remedy
    said = message.partition(" (at ")[0]
    return line, f"TOML cannot read this: {said[0].lower()}{said[1:]}", "correct the line"
