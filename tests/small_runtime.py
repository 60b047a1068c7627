"""A runtime small enough to make in a millisecond: a lock, core files, a `lectern`, a folder as index."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console

from sitebuilder.cache import sha256, write_whole
from sitebuilder.pack import ARCHIVES, LECTERN, PYTHON, WASM, Originals
from sitebuilder.pack import NUMPY as NUMPY_PACK
from sitebuilder.runtime import Runtime, provide_runtime
from tests.local_index import write_wheel

VERSION = "314.0.3"
NOWHERE = "http://127.0.0.1:9/"
"""Port 9 is `discard`: nothing listens there."""

NUMPY, MICROPIP, PACKAGING, PLOT = (
    "numpy-2.4.3.whl",
    "micropip-0.11.1.whl",
    "packaging-26.1.whl",
    "plot-3.whl",
)
FILES = {name: f"the true {name}".encode() for name in (NUMPY, MICROPIP, PACKAGING, PLOT)}
DEPENDS = {PLOT: ["numpy", "packaging"]}
SCRIPTS = {"pyodide.asm.mjs": b"glue" * 100, "pyodide.mjs": b"loader" * 100}
CORE = {**SCRIPTS, "pyodide.asm.wasm": b"\0asm" + bytes(4000), "python_stdlib.zip": bytes(1000)}
PACKED = (WASM, PYTHON, NUMPY_PACK, LECTERN, *ARCHIVES)


def lock() -> dict[str, object]:
    packages = {}
    for file, content in FILES.items():
        name, version = file.removesuffix(".whl").split("-")
        packages[name] = {
            "name": name,
            "version": version,
            "file_name": file,
            "sha256": sha256(content),
            "depends": DEPENDS.get(file, []),
        }
    return {"info": {"python": "3.14.0"}, "packages": packages}


def write_files(folder: Path, files: Mapping[str, bytes]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


@dataclass(frozen=True)
class JoiningPacker:
    """Packs without Pyodide: a packed file says what went into it."""

    folder: Path

    def __call__(self, originals: Originals) -> dict[str, Path]:
        runtime = b"".join(file.read_bytes() for file in (originals.stdlib, originals.numpy))
        modules = b"".join(file.read_bytes() for file in sorted(originals.lectern.glob("*.py")))
        made = {name: name.encode() + b" of " + runtime for name in (WASM, PYTHON, NUMPY_PACK, *ARCHIVES)}
        made |= {f"{name}.zst": (originals.npm / name).read_bytes() for name in SCRIPTS}
        made[LECTERN] = originals.lock + modules
        for name, packed in made.items():
            write_whole(self.folder / name, packed)
        return {name: self.folder / name for name in made}


@dataclass
class Workshop:
    """A small npm package, a small `lectern`, an empty cache, an index, and what the last build said."""

    root: Path
    said: io.StringIO = field(default_factory=io.StringIO)

    def __post_init__(self) -> None:
        write_files(self.root / "npm", CORE | {"package.json": json.dumps({"version": VERSION}).encode()})
        write_files(self.root / "npm", {"pyodide-lock.json": json.dumps(lock()).encode()})
        write_files(self.root / "lectern", {"__init__.py": b"", "runner.py": b"x = 1\n"})

    def provide(self, *entries: str, wheels: Path | None = None, cdn: str = NOWHERE) -> Runtime:
        self.said = io.StringIO()
        return provide_runtime(
            entries,
            npm=self.root / "npm",
            lectern=self.root / "lectern",
            cache=self.root / "cache",
            console=Console(file=self.said, width=200),
            wheels=wheels,
            cdn=cdn,
            packer=JoiningPacker(self.root / "packed"),
        )

    def wheels(self, files: Mapping[str, bytes] = FILES) -> Path:
        return write_files(self.root / "wheels", files)

    def offer_on_pypi(self, files: Mapping[str, bytes]) -> None:
        carried = {f"open_webui/frontend/pyodide/{name}": content for name, content in files.items()}
        write_wheel(self.root / "index", "open-webui", "0.12.4", carried)


def content(runtime: Runtime) -> dict[str, bytes]:
    """The files of the runtime's folder."""
    return {file.name: file.read_bytes() for file in runtime.folder.iterdir()}
