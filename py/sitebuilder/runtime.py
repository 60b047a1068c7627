"""The Python runtime as the site ships it: one content-addressed folder, and what a lesson needs of it."""

from __future__ import annotations

import gzip
import io
import os
import shutil
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from sitebuilder.cache import folder_made_once, keep_newest, read_json, sha256, sha256_of, write_json
from sitebuilder.lock import Lock, LockedFile
from sitebuilder.packages import Resolved, Resolver
from sitebuilder.sources import CDN, Sources

CORE = ("pyodide.asm.wasm", "pyodide.asm.mjs", "pyodide.mjs", "python_stdlib.zip")
"""From the npm package, in the order in which a start needs them; npm has checked their hashes."""

LOCK, LECTERN = "pyodide-lock.json", "lectern.zip"

_ALWAYS = ("numpy",)
_ON_DEMAND = ("micropip", "packaging")
"""In every site's folder, fetched when something is installed in the page."""

_COMPRESSED = (".wasm", ".mjs", ".js", ".json")
"""What GitHub Pages sends gzipped. Archives go as they are."""

_KEPT_FOLDERS = 8


@dataclass(frozen=True, slots=True)
class RuntimeFile:
    """A file of the folder; `wire` is its size as a compressing host sends it."""

    name: str
    bytes: int
    wire: int
    sha256: str

    def as_json(self) -> dict[str, Any]:
        return {"name": self.name, "bytes": self.bytes, "wire": self.wire, "sha256": self.sha256}


@dataclass(frozen=True, slots=True)
class Runtime:
    """A folder ready to be copied to `dist/runtime/<digest>/`. Copy, never link: the cache keeps using it."""

    folder: Path
    digest: str
    lock: Lock
    files: Mapping[str, RuntimeFile]
    resolved: Mapping[str, Resolved]

    def packages(self, entries: Iterable[str] = ()) -> tuple[str, ...]:
        """The lock's packages to load for a lesson with these `packages:`, each after what it needs."""
        chosen = [self.resolved[entry] for entry in entries]
        return self.lock.closure([*_ALWAYS, *(name for r in chosen for name in r.locked)])

    def wheels(self, entries: Iterable[str] = ()) -> tuple[str, ...]:
        """The wheels from PyPI that such a lesson installs after the lock's packages."""
        return tuple(dict.fromkeys(wheel.name for entry in entries for wheel in self.resolved[entry].wheels))

    def boot_files(self, entries: Iterable[str] = ()) -> tuple[RuntimeFile, ...]:
        """What the browser fetches before the first cell runs, in order of need."""
        entries = tuple(entries)
        locked = (self.lock.file_of(name).name for name in self.packages(entries))
        return tuple(self.files[name] for name in (*CORE, LOCK, *locked, LECTERN, *self.wheels(entries)))

    def size_on_wire(self, entries: Iterable[str] = ()) -> int:
        """The bytes that a student's first Run fetches."""
        return sum(file.wire for file in self.boot_files(entries))

    def manifest(self, entries: Iterable[str] = ()) -> dict[str, Any]:
        """RuntimeManifest of static/js/protocol.js, but for `url` and `worker`, which depend on the page."""
        entries = tuple(entries)
        return {
            "python": self.lock.python,
            "pyodide": self.lock.version,
            "files": [file.as_json() for file in self.boot_files(entries)],
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
) -> Runtime:
    """Get and assemble everything that Python in the browser needs.

    `entries` are the `packages:` of all lessons, `npm` is the installed npm package pyodide, `lectern` the
    folder of the Python package that runs in the page, `cdn` a URL that may contain `{version}`.
    Raises PackageFaults for wrong entries and BuildError if a file cannot be had.
    """
    lock = Lock.read(npm)
    resolver = Resolver(lock, cache / "wheels", console)
    resolved = resolver.resolve(entries)
    shipped = lock.closure([*_ALWAYS, *_ON_DEMAND, *(name for r in resolved.values() for name in r.locked)])
    sources = Sources(cache / "files", cdn.format(version=lock.version), console, wheels)

    origins: dict[LockedFile, Path | bytes] = {LockedFile(n, sha256_of(npm / n)): npm / n for n in CORE}
    origins |= sources.obtain(lock.file_of(name) for name in shipped)
    origins |= {wheel: resolver.wheel_path(wheel) for r in resolved.values() for wheel in r.wheels}
    for name, data in ((LOCK, lock.trimmed(shipped)), (LECTERN, zip_package(lectern))):
        origins[LockedFile(name, sha256(data))] = data

    content = "\n".join(sorted(f"{file.sha256} {file.name}" for file in origins))
    digest = sha256(content.encode())[:12]
    folder = folder_made_once(
        cache / "runtime" / digest,
        lambda fresh: _assemble(fresh, origins),
        sound=lambda folder: all(_is_sound(folder / file.name, file.sha256) for file in origins),
    )
    keep_newest(folder.parent, _KEPT_FOLDERS)
    files = {file.name: _measure(folder / file.name, file.sha256, cache / "wire.json") for file in origins}
    return Runtime(folder, digest, lock, files, resolved)


def zip_package(package: Path) -> bytes:
    """A zip that Python can import a package from: the same bytes for the same files, on every machine.

    Stored, not deflated: zlib's output differs between its builds, and 20 kB more are nothing beside 9 MB.
    """
    buffer = io.BytesIO()
    files = {
        file.relative_to(package.parent).as_posix(): file for file in package.rglob("*") if file.is_file()
    }
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, file in sorted(files.items()):
            if "__pycache__" in file.parts or file.name.startswith("."):
                continue
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.external_attr = 3, 0o644 << 16
            archive.writestr(entry, file.read_bytes())
    return buffer.getvalue()


def _is_sound(file: Path, sha: str) -> bool:
    return file.is_file() and sha256_of(file) == sha


def _assemble(folder: Path, origins: Mapping[LockedFile, Path | bytes]) -> None:
    folder.mkdir()
    for file, origin in origins.items():
        if isinstance(origin, bytes):
            (folder / file.name).write_bytes(origin)
            continue
        try:
            os.link(origin, folder / file.name)  # 16 MB for every edit of `lectern` would fill a disk
        except OSError:
            shutil.copyfile(origin, folder / file.name)


def _measure(file: Path, sha: str, known: Path) -> RuntimeFile:
    """Sizes of a file; compressing the wasm takes a second, so its result is kept by content."""
    size = file.stat().st_size
    if file.suffix not in _COMPRESSED:
        return RuntimeFile(file.name, size, size, sha)
    wires = read_json(known)
    wires = wires if isinstance(wires, dict) else {}
    if not isinstance(wires.get(sha), int):
        wires[sha] = len(gzip.compress(file.read_bytes(), 6, mtime=0))
        write_json(known, wires)
    return RuntimeFile(file.name, size, wires[sha], sha)
