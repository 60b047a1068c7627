"""Read the YAML front matter of a lesson: typed, with every fault at the line of its key."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import Any

import yaml

from sitebuilder.faults import Faults
from sitebuilder.model import FrontMatter
from sitebuilder.settings import read_record

_FENCE = "---"
_PACKAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(\s*==\s*[A-Za-z0-9][A-Za-z0-9._+!-]*)?")
_INDENTED = re.compile(rf"^[ \t]+({'|'.join(field.name for field in fields(FrontMatter))})\s*:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class FrontMatterResult:
    """What the top of a lesson said. `meta` is None if it had faults; the body starts after `end` lines."""

    meta: FrontMatter | None
    end: int


def read_front_matter(lines: list[str], folder: str, faults: Faults) -> FrontMatterResult | None:
    """Read the front matter from a lesson's lines; None if it has no end, so that there is no body to read.

    `folder` is the lesson's folder: its number, if it begins with one, must agree with `number`.
    """
    if not any(line.strip() for line in lines):
        faults.add(1, "the lesson is empty", f"begin with a line `{_FENCE}`, then `title: …`")
        return None
    if lines[0].rstrip() != _FENCE:
        faults.add(
            1, "the front matter is missing", f"make `{_FENCE}` the first line, then `title: …` and so on"
        )
        return FrontMatterResult(None, 0)
    end = next((i for i, line in enumerate(lines[1:], 1) if line.rstrip() in (_FENCE, "...")), None)
    if end is None:
        faults.add(1, "the front matter is never closed", f"add a line `{_FENCE}` after its last key")
        return None
    meta = _read("\n".join(lines[1:end]) + "\n", end, folder, faults)
    return FrontMatterResult(meta, end + 1)


def _read(text: str, end: int, folder: str, faults: Faults) -> FrontMatter | None:
    values, places = _values(text, end, faults)
    if values is None:
        return None
    refused = places.keys() - values.keys()
    meta = read_record(FrontMatter, values, places.__getitem__, faults, refused=refused)
    if meta:
        _check(meta, places, folder, faults)
    return meta


def _check(meta: FrontMatter, places: dict[str, int], folder: str, faults: Faults) -> None:
    if meta.number < 0:
        faults.add(places["number"], "`number` is negative", "number lessons from 0 upwards")
    numbered = re.match(r"(\d+)-", folder)
    if numbered and int(numbered[1]) != meta.number:
        faults.add(
            places["number"],
            f"`number` is {meta.number}, but the folder is called {folder}",
            "make the two agree",
        )
    for package in meta.packages:
        if not _PACKAGE.fullmatch(package):
            remedy = "write the bare name, or `name==version` for a package of PyPI"
            faults.add(places["packages"], f"`{package}` is not a package name", remedy)


def _values(text: str, end: int, faults: Faults) -> tuple[dict[str, Any] | None, dict[str, int]]:
    """The keys with their values, and with their lines in the file. Faulty values are noted and left out."""
    loader = yaml.SafeLoader("")
    places: dict[str, int] = {}

    def line_at(mark: yaml.Mark | None) -> int:
        # Counted by character: YAML also ends lines at U+2028 and the like, where editors do not.
        return min(text.count("\n", 0, mark.index) + 2, end) if mark else 2

    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        # YAML reads `key:value` as a word, and stumbles only over the colon of the next line.
        if unspaced := re.search(r"^(\w+):(?=\S)", text, re.MULTILINE):
            line = text.count("\n", 0, unspaced.start()) + 2
            faults.add(line, f"`{unspaced[0]}` has no space after its colon", f"write `{unspaced[1]}: …`")
        elif indented := _INDENTED.search(text):
            line = text.count("\n", 0, indented.start()) + 2
            problem = f"the key `{indented[1]}` is indented, so it seems to belong to a line above"
            faults.add(line, problem, f"write `{indented[1]}:` without anything before it")
        else:
            faults.add(line_at(_best_mark(error)), *_explain(error))
        return None, places
    except yaml.reader.ReaderError as error:
        if error.character:  # a NUL is a fault anywhere, and noted
            line = text.count("\n", 0, error.position) + 2
            faults.add(line, f"the character U+{error.character:04X} cannot stand here", "delete it")
        return None, places
    except RecursionError:
        faults.add(2, "the front matter is nested too deeply to read", "write plain `key: value` lines")
        return None, places
    if root is None:
        return {}, places
    if not isinstance(root, yaml.MappingNode):
        faults.add(line_at(root.start_mark), "the front matter is not `key: value` lines", "write `title: …`")
        return None, places

    values: dict[str, Any] = {}
    for key_node, value_node in root.value:
        line = line_at(key_node.start_mark)
        key = key_node.value if isinstance(key_node, yaml.ScalarNode) else None
        if key is None:
            faults.add(line, "this key is not a word", "write `key: value`")
        elif key in places:
            faults.add(line, f"`{key}` stands here again, first on line {places[key]}", "keep one of the two")
        else:
            places[key] = line
            try:
                values[key] = loader.construct_document(value_node)
            except (yaml.YAMLError, ValueError, OverflowError, RecursionError):
                faults.add(line, f"the value of `{key}` cannot be read", "put it in quotes")
    return values, places


def _best_mark(error: yaml.MarkedYAMLError) -> yaml.Mark | None:
    """Where the author should look: an unclosed quote or bracket is at fault where it opens."""
    if "end of stream" in (error.problem or "") or "flow" in (error.context or ""):
        return error.context_mark or error.problem_mark
    return error.problem_mark or error.context_mark


def _explain(error: yaml.MarkedYAMLError) -> tuple[str, str]:
    problem, context = error.problem or "", error.context or ""
    if "mapping values are not allowed" in problem:
        return "a value with a colon in it confuses YAML", 'put the whole value in quotes: key: "one: two"'
    if "\\t" in problem:
        return "a tab stands where YAML wants spaces", "indent with spaces"
    if "could not find expected ':'" in problem:
        return "a line here has no `key: value`", "add the colon and a space, or indent it under its key"
    if "quoted scalar" in context:
        return "a quotation mark is never closed", "add the closing one"
    if "flow" in context:
        return "a bracket is never closed", "write lists as [one, two]"
    if "block" in context and "expected <block end>" in problem:
        return (
            "this line does not fit the lines above it",
            "indent all keys alike, and quote values with odd marks",
        )
    if "cannot start any token" in problem:
        return "a value begins with a character that means something else in YAML", "put the value in quotes"
    return f"YAML cannot read this: {problem or context}", "put the value in quotes or correct the line"
