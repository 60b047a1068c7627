"""The Python runtime as the site ships it: one content-addressed folder, and what a lesson needs of it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from sitebuilder.cache import folder_made_once, keep_newest, sha256, sha256_of
from sitebuilder.lock import Lock, LockedFile
from sitebuilder.pack import ARCHIVES, GLUE, LECTERN, NUMPY, PYTHON, WASM, Originals, Packer, PyodidePacker
from sitebuilder.packages import Resolved, Resolver
from sitebuilder.sources import CDN, Sources

START = (*GLUE, WASM, PYTHON, LECTERN, NUMPY)
"""What every start fetches, in the order in which it is needed."""

_PACKED = "numpy"
"""The package that is in the pack, and so in every lesson."""

_ON_DEMAND = ("micropip", "packaging")
"""In every site's folder, fetched when something is installed in the page."""

_KEPT_FOLDERS = 8


@dataclass(frozen=True, slots=True)
class RuntimeFile:
    """A file of the folder, compressed already: no host makes it smaller."""

    name: str
    bytes: int
    sha256: str

    def as_json(self) -> dict[str, Any]:
        return {"name": self.name, "bytes": self.bytes, "sha256": self.sha256}


@dataclass(frozen=True, slots=True)
class Runtime:
    """A folder ready to be copied to `dist/runtime/<digest>/`. Copy, never link: the cache keeps using it."""

    folder: Path
    digest: str
    lock: Lock
    files: Mapping[str, RuntimeFile]
    resolved: Mapping[str, Resolved]
    wheel_files: tuple[Path, ...]
    """The wheels that were packed or are shipped, for their licences."""

    def packages(self, entries: Iterable[str] = ()) -> tuple[str, ...]:
        """The lock's packages to load for a lesson with these `packages:`, each after what it needs.

        Without NumPy: that is in the pack.
        """
        chosen = [self.resolved[entry] for entry in entries]
        names = self.lock.closure(name for r in chosen for name in r.locked)
        return tuple(name for name in names if name != _PACKED)

    def wheels(self, entries: Iterable[str] = ()) -> tuple[str, ...]:
        """The wheels from PyPI that such a lesson installs after the lock's packages."""
        return tuple(dict.fromkeys(wheel.name for entry in entries for wheel in self.resolved[entry].wheels))

    def boot_files(self, entries: Iterable[str] = ()) -> tuple[RuntimeFile, ...]:
        """What the browser fetches before the first cell runs, in order of need."""
        entries = tuple(entries)
        locked = (self.lock.file_of(name).name for name in self.packages(entries))
        return tuple(self.files[name] for name in (*START, *locked, *self.wheels(entries)))

    def size_on_wire(self, entries: Iterable[str] = ()) -> int:
        """The bytes that a student's first Run fetches."""
        return sum(file.bytes for file in self.boot_files(entries))

    def manifest(self, entries: Iterable[str] = ()) -> dict[str, Any]:
        """RuntimeManifest of static/js/protocol.js, but for `url` and `worker`, which depend on the page."""
        entries = tuple(entries)
        return {
            "python": self.lock.python,
            "pyodide": self.lock.version,
            "files": [file.as_json() for file in self.boot_files(entries)],
            "archives": [self.files[name].as_json() for name in ARCHIVES],
            "packages": list(self.packages(entries)),
            "wheels": list(self.wheels(entries)),
        }


def provide_runtime(
    entries: Iterable[str],
    *,
    npm: Path,
    lectern: Path,
    cache: Path,
    console: Console,
    wheels: Path | None = None,
    cdn: str = CDN,
    packer: Packer | None = None,
) -> Runtime:
    """Get and assemble everything that Python in the browser needs.

    `entries` are the `packages:` of all lessons, `npm` is the installed npm package pyodide, `lectern` the
    folder of the Python package that runs in the page, `cdn` a URL that may contain `{version}`.
    Raises PackageFaults for wrong entries and BuildError if a file cannot be had.
    """
    lock = Lock.read(npm)
    resolver = Resolver(lock, cache / "wheels", console)
    resolved = resolver.resolve(entries)
    needed = lock.closure([_PACKED, *_ON_DEMAND, *(name for r in resolved.values() for name in r.locked)])
    sources = Sources(cache / "files", cdn.format(version=lock.version), console, wheels)
    locked = sources.obtain(lock.file_of(name) for name in needed)
    numpy = locked.pop(lock.file_of(_PACKED))
    beside = locked | {wheel: resolver.wheel_path(wheel) for r in resolved.values() for wheel in r.wheels}

    pack = packer or PyodidePacker(cache, console)
    wasm, stdlib = npm / "pyodide.asm.wasm", npm / "python_stdlib.zip"
    packed = pack(Originals(npm, wasm, stdlib, numpy, lectern, lock.trimmed(needed), lock.python))
    origins = {LockedFile(name, sha256_of(path)): path for name, path in packed.items()} | beside

    content = "\n".join(sorted(f"{file.sha256} {file.name}" for file in origins))
    digest = sha256(content.encode())[:12]
    folder = folder_made_once(
        cache / "runtime" / digest,
        lambda fresh: _assemble(fresh, origins),
        sound=lambda folder: all(_is_sound(folder / file.name, file.sha256) for file in origins),
    )
    keep_newest(folder.parent, _KEPT_FOLDERS)
    files = {
        file.name: RuntimeFile(file.name, (folder / file.name).stat().st_size, file.sha256)
        for file in origins
    }
    return Runtime(folder, digest, lock, files, resolved, (numpy, *beside.values()))


def _is_sound(file: Path, sha: str) -> bool:
    return file.is_file() and sha256_of(file) == sha


def _assemble(folder: Path, origins: Mapping[LockedFile, Path]) -> None:
    folder.mkdir()
    for file, origin in origins.items():
        try:
            os.link(origin, folder / file.name)  # 16 MB for every edit of `lectern` would fill a disk
        except OSError:
            shutil.copyfile(origin, folder / file.name)
