"""What the browser loads beside Python: npm packages, and scripts and styles under hashed names."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from sitebuilder.cache import (
    alone,
    digest,
    folder_made_once,
    keep_newest,
    read_json,
    sha256,
    sha256_of,
    write_json,
    write_whole,
)
from sitebuilder.errors import BuildError
from sitebuilder.node import run_node, run_npm
from sitebuilder.progress import say, waiting_for_another

_BUNDLER = Path(__file__).with_name("bundle.mjs")
_PINS = ("package.json", "package-lock.json", ".npmrc")
_STAMP = ".lectern"
_INDEX, _FILES = "index.json", "files"
_KEPT_FOLDERS = 20


@dataclass(frozen=True, slots=True)
class Assets:
    """A folder to be copied to `dist/assets/`; `assets["main.js"]` is its name there, `main-4T7XKZQA.js`."""

    folder: Path
    files: Mapping[str, str]
    imports: Mapping[str, tuple[str, ...]]

    def __getitem__(self, name: str) -> str:
        return self.files[name]

    @property
    def fonts(self) -> tuple[str, ...]:
        """The logical names of the fonts there are, such as `serif-400.woff2`."""
        return tuple(sorted(name for name in self.files if name.endswith(".woff2")))

    def preloads(self, name: str) -> tuple[str, ...]:
        """The hashed names of the scripts that `name` imports before it starts, for `modulepreload`."""
        return self.imports[name]


def install_packages(static: Path, *, cache: Path, console: Console) -> Path:
    """Have `node_modules` as package-lock.json says; returns that folder. Only a change starts npm."""
    modules, pins = static / "node_modules", _hash_of(static, _PINS)
    stamp = modules / _STAMP

    def current() -> bool:
        return stamp.is_file() and stamp.read_text(encoding="utf-8") == pins

    if not current():
        with alone(cache / "npm.lock", waiting_for_another(console)):
            if not current():
                say(console, "Installing the browser-side packages with npm")
                # none of them needs an install script, so none gets to run one
                run_npm(["ci", "--ignore-scripts"], cwd=static, doing="npm ci")
                write_whole(stamp, pins.encode())
    return modules


def bundle_assets(static: Path, *, cache: Path, console: Console, typefaces: Path | None = None) -> Assets:
    """Bundle the scripts and styles of `static`, whose packages are installed; if unchanged, without Node.

    `typefaces` is the folder, named by its content, of what styles call `typefaces/…`.

    Raises BuildError with `file:line` for every syntax error and every import that leads nowhere.
    """
    parts = [_hash_of(static, _sources(static)), sha256_of(_BUNDLER), typefaces.name if typefaces else ""]
    key = digest(parts)[:12]

    def make(folder: Path) -> None:
        say(console, "Bundling scripts and styles")
        files = folder / _FILES
        files.mkdir(parents=True)
        request = {"static": str(static.resolve()), "out": str(files.resolve())}
        request |= {"typefaces": str(typefaces.resolve())} if typefaces else {}
        answer = json.loads(run_node([_BUNDLER], cwd=static, stdin=json.dumps(request), doing="Bundling"))
        if faults := answer.get("faults"):
            raise BuildError("\n".join(f"{static / f['file']}:{f['line']}: {f['text']}" for f in faults))
        write_json(
            folder / _INDEX, answer | {"sha256": {f.name: sha256_of(f) for f in sorted(files.iterdir())}}
        )

    folder = folder_made_once(cache / "bundles" / key, make, sound=_is_sound)
    keep_newest(folder.parent, _KEPT_FOLDERS)
    index = read_json(folder / _INDEX)
    imports = {name: tuple(names) for name, names in index["imports"].items()}
    return Assets(folder / _FILES, index["files"], imports)


def _is_sound(folder: Path) -> bool:
    index = read_json(folder / _INDEX)
    if not isinstance(index, dict):
        return False
    files = {folder / _FILES / name: sha for name, sha in index["sha256"].items()}
    return all(file.is_file() and sha256_of(file) == sha for file, sha in files.items())


def _sources(static: Path) -> list[str]:
    """Every file that may end up in the bundle; `node_modules` is pinned by the lock, which is among them."""
    files = [file for file in static.iterdir() if file.is_file()]
    for folder in static.iterdir():
        if folder.is_dir() and folder.name != "node_modules":
            files += (file for file in folder.rglob("*") if file.is_file())
    return sorted(file.relative_to(static).as_posix() for file in files)


def _hash_of(folder: Path, names: Sequence[str]) -> str:
    present = (name for name in names if (folder / name).is_file())
    return sha256("\n".join(f"{sha256_of(folder / name)} {name}" for name in present).encode())
