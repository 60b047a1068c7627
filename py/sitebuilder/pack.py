"""Pack the runtime for the browser: bytecode instead of sources, in few files, compressed by us."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from sitebuilder.cache import (
    alone,
    digest,
    folder_made_once,
    keep_newest,
    read_json,
    scratch,
    sha256_of,
    write_json,
)
from sitebuilder.contents import (
    NUMPY_ARCHIVES,
    STDLIB_REST,
    Member,
    Places,
    numpy_members,
    stdlib_members,
    waiting,
)
from sitebuilder.node import run_node
from sitebuilder.progress import say, waiting_for_another

WASM, PYTHON, NUMPY = "pyodide.asm.wasm.zst", "python.pack.zst", "numpy.pack.zst"
LECTERN = "lectern.pack.zst"
_GLUE = ("pyodide.mjs", "pyodide.asm.mjs")
GLUE = tuple(f"{name}.zst" for name in _GLUE)
"""Pyodide's own scripts: each by itself, because it is needed before all else."""

ARCHIVES = tuple(f"{name}.zst" for name in (STDLIB_REST, *NUMPY_ARCHIVES))
"""Fetched by the first import that needs them."""

INDEX_PATH, LOCK_PATH = "/lib/lectern/archives.json", "/lib/lectern/pyodide-lock.json"
"""Where the browser finds which module waits in which archive, and what can be installed."""

_SCRIPT, _COMPILER = Path(__file__).with_name("pack.mjs"), Path(__file__).with_name("precompile.py")
_SHELF = "packed"
_INDEX = "index.json"
_KEPT_FOLDERS = 24


@dataclass(frozen=True, slots=True)
class Originals:
    """What is packed, and the npm package whose Pyodide compiles it."""

    npm: Path
    wasm: Path
    stdlib: Path
    numpy: Path
    lectern: Path
    lock: bytes
    python: str


Packer = Callable[[Originals], Mapping[str, Path]]
"""Makes the packed files; returns where each lies, by its name in the runtime's folder."""


@dataclass(frozen=True, slots=True)
class PyodidePacker:
    """The real one. What it made is kept below `cache`, by the hashes of all that went in."""

    cache: Path
    console: Console

    def __call__(self, originals: Originals) -> dict[str, Path]:
        return self._runtime(originals) | self._lectern(originals)

    def _runtime(self, originals: Originals) -> dict[str, Path]:
        def make(work: Path) -> dict[str, list[Member]]:
            places = Places(originals.python)
            with (
                zipfile.ZipFile(originals.stdlib) as library,
                zipfile.ZipFile(originals.numpy) as numpy,
                zipfile.ZipFile(work / "sources.zip", "w") as sources,
            ):
                first, rest = stdlib_members(library.namelist(), places)
                numpy_first, numpy_rest = numpy_members(numpy.namelist(), places)
                archives = {STDLIB_REST: rest, **numpy_rest}
                index: dict[str, str] = {}
                for name, members in archives.items():
                    index |= waiting(members, f"{name}.zst", places)
                sources.writestr("archives.json", json.dumps(index, sort_keys=True, separators=(",", ":")))
                for prefix, archive in (("stdlib", library), ("numpy", numpy)):
                    for name in archive.namelist():
                        sources.writestr(f"{prefix}/{name}", archive.read(name))
            own = Member("archives.json", INDEX_PATH, "")
            return {"python.pack": [*first, own], "numpy.pack": numpy_first, **archives}

        say_so = "Packing Python and NumPy for the browser (a minute; the result is kept)"
        glue = [originals.npm / name for name in _GLUE]
        inputs = [originals.wasm, originals.stdlib, originals.numpy, *glue]
        return self._made(inputs, say_so, originals, make, wasm=originals.wasm, glue=glue)

    def _lectern(self, originals: Originals) -> dict[str, Path]:
        files = [file for file in sorted(originals.lectern.rglob("*.py")) if "__pycache__" not in file.parts]
        site = Places(originals.python).site

        def make(work: Path) -> dict[str, list[Member]]:
            members = [Member("lock", LOCK_PATH, "")]
            with zipfile.ZipFile(work / "sources.zip", "w") as sources:
                sources.writestr("lock", originals.lock)
                for file in files:
                    name = f"{originals.lectern.name}/{file.relative_to(originals.lectern).as_posix()}"
                    sources.writestr(name, file.read_bytes())
                    members.append(Member(name, f"{site}/{name}", f"{site}/{name}", docstrings=False))
            return {"lectern.pack": members}

        return self._made(files, "", originals, make)

    def _made(
        self,
        inputs: Sequence[Path],
        announcement: str,
        originals: Originals,
        make: Callable[[Path], Mapping[str, Sequence[Member]]],
        wasm: Path | None = None,
        glue: Sequence[Path] = (),
    ) -> dict[str, Path]:
        """The files of a packed folder: from the cache, or made in one run of Pyodide."""
        scripts = (_SCRIPT, _COMPILER, Path(__file__), Path(__file__).with_name("contents.py"))
        key = digest(
            {
                "files": [(file.name, sha256_of(file)) for file in (*inputs, *scripts)],
                "pyodide": sha256_of(originals.npm / "pyodide.asm.wasm"),
                "lock": "" if wasm else originals.lock.decode(),
            }
        )

        def assemble(fresh: Path) -> None:
            if announcement:
                say(self.console, announcement)
            fresh.mkdir()
            with scratch(self.cache / _SHELF) as work:
                containers = make(work)
                described = [
                    {"name": n, "members": [m.as_json() for m in ms]} for n, ms in containers.items()
                ]
                write_json(work / "request.json", described)
                request = {
                    "pyodide": str(originals.npm.resolve()),
                    "script": str(_COMPILER),
                    "work": str(work.resolve()),
                    "out": str(fresh.resolve()),
                    "containers": list(containers),
                    "compress": {str(wasm): WASM.removesuffix(".zst")} if wasm else {},
                    "minify": {str(script): script.name for script in glue},
                }
                run_node(
                    [_SCRIPT], cwd=work, stdin=json.dumps(request), doing="Packing Python for the browser"
                )
            write_json(fresh / _INDEX, {file.name: sha256_of(file) for file in fresh.iterdir()})

        with alone(self.cache / "packed-lock", waiting_for_another(self.console)):
            folder = folder_made_once(self.cache / _SHELF / key[:24], assemble, sound=_is_sound)
        keep_newest(folder.parent, _KEPT_FOLDERS)
        return {name: folder / name for name in read_json(folder / _INDEX)}


def _is_sound(folder: Path) -> bool:
    index = read_json(folder / _INDEX)
    return isinstance(index, dict) and all(
        (folder / name).is_file() and sha256_of(folder / name) == sha for name, sha in index.items()
    )
