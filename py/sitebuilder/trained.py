"""Trained models that lessons bring along: what the index beside lesson.md says of each. Pure.

An index `NAME.model.json` names a pinned wheel of PyPI, and the size and SHA-256 of every file that the site
serves. It is part of the lesson: lectern/fetched.py reads it in the page, and vouches for what it fetches.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from sitebuilder.cache import sha256
from sitebuilder.errors import BuildError
from sitebuilder.model import Lesson, LessonFile

SUFFIX = ".model.json"

_IMPORT = re.compile(r"^\s*(?:import|from)\s+(\w+)", re.MULTILINE)


class Index(msgspec.Struct, forbid_unknown_fields=True):
    """`files` maps a name to size and SHA-256; `sha256` is that of the wheel; the rest is for the notices."""

    model: str
    requirement: str
    sha256: str
    licence: str
    url: str
    changes: str
    files: dict[str, tuple[int, str]]


@dataclass(frozen=True, slots=True)
class Model:
    """A model as the site serves it, from `folder`. Its address changes with its content."""

    index: Index
    digest: str
    folder: Path
    files: Mapping[str, str]
    """SHA-256 by name."""

    def served(self) -> Iterator[tuple[str, Path]]:
        """The files by their paths in the site: beside the folder of Python's runtime."""
        return ((f"runtime/{self.digest}/{name}", self.folder / name) for name in self.files)


def indices(lesson: Lesson) -> dict[str, bytes]:
    """The indices beside a lesson whose models are served, by file name."""
    found = {file.name: file.content for file in lesson.files if file.name.endswith(SUFFIX)}
    return {name: content for name, content in found.items() if read_index(name, content).files}


def without_models(lesson: Lesson) -> Lesson:
    """The lesson with empty indices: lectern/fetched.py then says that its models are not served."""
    empty = {
        name: msgspec.json.encode(msgspec.structs.replace(read_index(name, content), files={}))
        for name, content in indices(lesson).items()
    }
    files = (LessonFile(file.name, empty.get(file.name, file.content)) for file in lesson.files)
    return replace(lesson, files=tuple(files))


def digest_of(index: bytes) -> str:
    """What the folder of a model's files is called."""
    return sha256(index)[:12]


def read_index(name: str, content: bytes) -> Index:
    """Raises BuildError if the index cannot be read."""
    try:
        return msgspec.json.decode(content, type=Index)
    except msgspec.DecodeError as error:
        raise BuildError(
            f"{name} is no index of a model ({error}); bring back the file as it came."
        ) from error


def fetched_by(lesson: Lesson) -> dict[str, int]:
    """Bytes that a run of a cell first waits for, by the cell's name; cells that fetch nothing are left out.

    A cell fetches the core of a model if its source, or that of a module which it imports, names the index.
    """
    cores = {
        name: sum(
            size for file, (size, _) in read_index(name, index).files.items() if file.startswith("core")
        )
        for name, index in indices(lesson).items()
    }
    modules = {
        f.name[:-3]: f.content.decode(errors="replace") for f in lesson.files if f.name.endswith(".py")
    }
    needed = {
        cell.name: sum(size for name, size in cores.items() if name in _with_imports(cell.source, modules))
        for cell in lesson.cells("run", "exercise")
    }
    return {cell: size for cell, size in needed.items() if size}


def _with_imports(source: str, modules: Mapping[str, str]) -> str:
    """The source, and those of the lesson's modules that it imports."""
    imported = dict.fromkeys(_IMPORT.findall(source))
    return "\n".join([source, *(modules[name] for name in imported if name in modules)])
