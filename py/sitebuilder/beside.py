"""The files beside a lesson that its cells import or open: which they are, their faults, their container."""

from __future__ import annotations

import json
import keyword
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path, PurePath
from typing import Any

import zstandard

from sitebuilder.cache import sha256
from sitebuilder.errors import LessonError
from sitebuilder.model import Lesson, LessonFile

DATA = frozenset({".csv", ".json", ".npy", ".npz", ".tsv", ".txt"})
"""Suffixes of data files; pictures are not among them, for Python in the page has no use for them."""

MOST_BYTES = 1_000_000
"""For all of a lesson's files: they come with its first Run."""

NOT_FOR_CELLS = frozenset({"lesson.md", "recorded.json"})

_TAKEN = frozenset({*sys.stdlib_module_names, "js", "lectern", "micropip", "numpy", "pyodide", "pyodide_js"})


def files_beside(folder: Path) -> tuple[LessonFile, ...]:
    """The modules and data directly in a lesson's folder, by name. Folders in it are for the page alone."""
    return tuple(
        LessonFile(path.name, path.read_bytes())
        for path in sorted(folder.iterdir())
        if path.is_file()
        and (path.suffix == ".py" or path.suffix in DATA)
        and path.name not in NOT_FOR_CELLS
        and not path.name.startswith(".")
    )


def beside_faults(lesson: Lesson, shown: PurePath) -> Iterator[LessonError]:
    """Modules that nobody could import or that would hide another, and too many bytes, in folder `shown`."""
    taken = _TAKEN | {_import_name(entry) for entry in lesson.meta.packages}
    for file in lesson.files:
        stem, dot, suffix = file.name.rpartition(".")
        if suffix != "py" or not dot:
            continue
        if not stem.isidentifier() or keyword.iskeyword(stem):
            problem = f"the module {file.name} cannot be imported: its name is not an identifier"
            yield LessonError(shown / file.name, 1, problem, "use letters, digits and _ only")
        elif stem in taken:
            problem = f"the module {file.name} would hide Python’s own or a package’s module {stem}"
            yield LessonError(shown / file.name, 1, problem, "give it another name")
    size = sum(len(file.content) for file in lesson.files)
    if size > MOST_BYTES:
        largest = max(lesson.files, key=lambda file: len(file.content))
        problem = f"the files beside this lesson have {size:,} bytes, and a first Run fetches them all"
        remedy = f"keep them below {MOST_BYTES:,}; {largest.name} is the largest"
        yield LessonError(lesson.path, 1, problem, remedy)


def container(files: Sequence[LessonFile]) -> bytes:
    """All files as one, compressed, as static/js/pack.js reads it: length of a table, table, contents."""
    if not files:
        return b""
    table = json.dumps([[file.name, len(file.content)] for file in files], separators=(",", ":")).encode()
    content = len(table).to_bytes(4, "little") + table + b"".join(file.content for file in files)
    return _compressed(content)


@lru_cache(maxsize=32)  # asked for several times in a build, by what names it, weighs it and writes it
def _compressed(content: bytes) -> bytes:
    return zstandard.ZstdCompressor(level=19).compress(content)


def container_name(lesson: Lesson) -> str:
    """The container's name in the runtime's folder; it changes with the content, so browsers may keep it."""
    return f"{lesson.slug}-{sha256(container(lesson.files))[:12]}.pack.zst"


def manifest_with_files(manifest: Mapping[str, Any], lesson: Lesson) -> dict[str, Any]:
    """A lesson's RuntimeManifest with its own files in it: `own` names their container, or is null."""
    if not lesson.files:
        return {**manifest, "own": None}
    content, name = container(lesson.files), container_name(lesson)
    file = {"name": name, "bytes": len(content), "sha256": sha256(content)}
    return {**manifest, "files": [*manifest["files"], file], "own": name}


def _import_name(entry: str) -> str:
    """What an entry of `packages:` is usually imported as: `scikit-learn==1.0` → `scikit_learn`."""
    return entry.partition("==")[0].strip().replace("-", "_")
