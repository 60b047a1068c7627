"""What a lesson's `packages:` stand for: packages of Pyodide's lock, or pinned pure-Python wheels of PyPI."""

from __future__ import annotations

import re
import shutil
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from rich.console import Console

from sitebuilder.cache import alone, read_json, scratch, sha256_of, write_json
from sitebuilder.errors import BuildError
from sitebuilder.lock import Lock, LockedFile, normalized
from sitebuilder.pip import PipFailed, pip_download
from sitebuilder.progress import say, waiting_for_another

_NAME, _VERSION = r"(?P<name>[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)", r"(?P<version>[A-Za-z0-9.!+_-]+)"
_ENTRY = re.compile(rf"{_NAME}(?:\s*==\s*{_VERSION})?")


@dataclass(frozen=True, slots=True)
class PackageFault:
    """An entry of `packages:` that cannot be had, and what to do; the caller knows where it stands."""

    entry: str
    problem: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.problem}; {self.remedy}"


class PackageFaults(BuildError):
    """Every entry that cannot be had."""

    def __init__(self, faults: Iterable[PackageFault]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(map(str, self.faults)))


@dataclass(frozen=True, slots=True)
class Resolved:
    """What one entry brings: packages of the lock (without their dependencies), and wheels from PyPI."""

    locked: tuple[str, ...] = ()
    wheels: tuple[LockedFile, ...] = ()


@dataclass(frozen=True, slots=True)
class Resolver:
    """Turns entries into packages. Wheels are kept in `store`, in one folder per pinned requirement."""

    lock: Lock
    store: Path
    console: Console

    def resolve(self, entries: Iterable[str]) -> dict[str, Resolved]:
        """What each entry stands for. Raises PackageFaults with every entry that stands for nothing."""
        resolved: dict[str, Resolved] = {}
        faults = []
        for entry in dict.fromkeys(entries):
            answer = self._resolve(entry)
            if isinstance(answer, PackageFault):
                faults.append(answer)
            else:
                resolved[entry] = answer
        if faults:
            raise PackageFaults(faults)
        return resolved

    def wheel_path(self, wheel: LockedFile) -> Path:
        return self.store / "files" / f"{wheel.sha256[:12]}-{wheel.name}"

    def _resolve(self, entry: str) -> Resolved | PackageFault:
        matched = _ENTRY.fullmatch(entry.strip())
        if not matched:
            return PackageFault(
                entry,
                f'package "{entry}" is not a name or name==version',
                "write a package of Pyodide, such as scipy, or a pinned one of PyPI, such as einops==0.8.1",
            )
        name, version = normalized(matched["name"]), matched["version"]
        if name in self.lock and version in (None, self.lock.version_of(name)):
            return Resolved(locked=(name,))
        if version is None:
            near = get_close_matches(name, self.lock.packages, n=1, cutoff=0.75)
            guess = f"did you mean {near[0]}? Otherwise " if near else ""
            return PackageFault(
                entry,
                f'package "{entry}" is not in Pyodide {self.lock.version}',
                f"{guess}for a pure-Python package of PyPI write its exact version, {entry}==…",
            )
        return self._from_pypi(name, version, entry)

    def _from_pypi(self, name: str, version: str, entry: str) -> Resolved | PackageFault:
        known = self.store / f"{name}-{version}-pyodide-{self.lock.version}.json"
        if kept := self._kept(known):
            return kept
        with alone(self.store / "lock", waiting_for_another(self.console)):
            if kept := self._kept(known):
                return kept
            say(self.console, f"Fetching {name} {version} from PyPI")
            try:
                return self._download(name, version, known)
            except PipFailed as error:
                return self._fault(name, entry, error)

    def _fault(self, name: str, entry: str, error: PipFailed) -> PackageFault:
        if error.offline:
            problem, remedy = (
                f'package "{entry}": PyPI cannot be reached ({error})',
                "connect and build again",
            )
        else:
            problem = f'package "{entry}": it, or something it needs, has no pure-Python wheel ({error})'
            remedy = "a browser can only install wheels that end in py3-none-any.whl; leave it out"
            if name in self.lock:
                remedy = f"write {name} for Pyodide's own {self.lock.version_of(name)}"
        return PackageFault(entry, problem, remedy)

    def _kept(self, known: Path) -> Resolved | None:
        content = read_json(known)
        try:
            wheels = tuple(LockedFile(*pair) for pair in content["wheels"])
            resolved = Resolved(tuple(content["locked"]), wheels)
        except (TypeError, KeyError):
            return None
        for wheel in resolved.wheels:
            path = self.wheel_path(wheel)
            if not path.exists():
                return None
            if sha256_of(path) != wheel.sha256:
                say(self.console, f"{wheel.name} in the cache is damaged (wrong SHA-256); fetching it anew")
                path.unlink(missing_ok=True)
                return None
        return resolved

    def _download(self, name: str, version: str, known: Path) -> Resolved:
        """Let pip resolve for no platform; what the lock has, pip finds as an empty stand-in."""
        with scratch(self.store) as work:
            stand_ins, pins = work / "stand-ins", work / "constraints.txt"
            stand_ins.mkdir()
            others = [other for other in self.lock.packages if other != name]
            for other in others:
                _write_stand_in(stand_ins, other, self.lock.version_of(other))
            pins.write_text("".join(f"{o}=={self.lock.version_of(o)}\n" for o in others), encoding="utf-8")
            options = ["--implementation", "py", "--abi", "none", "--platform", "any"]
            options += ["--python-version", self.lock.python]
            options += ["--find-links", str(stand_ins), "--constraint", str(pins)]
            locked, wheels = [], []
            for file in pip_download(f"{name}=={version}", options, work=work, on_bytes=lambda _: None):
                its_name = normalized(file.name.split("-")[0])
                if its_name in self.lock and its_name != name:
                    locked.append(its_name)
                    continue
                wheel = LockedFile(file.name, sha256_of(file))
                self.wheel_path(wheel).parent.mkdir(exist_ok=True)
                shutil.move(file, self.wheel_path(wheel))
                wheels.append(wheel)
        write_json(known, {"locked": locked, "wheels": [(wheel.name, wheel.sha256) for wheel in wheels]})
        return Resolved(tuple(locked), tuple(wheels))


def _write_stand_in(folder: Path, name: str, version: str) -> None:
    stem = f"{name.replace('-', '_')}-{version}"
    files = {
        "METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        "WHEEL": "Wheel-Version: 1.0\nGenerator: lectern\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "RECORD": "",
    }
    with zipfile.ZipFile(folder / f"{stem}-py3-none-any.whl", "w") as wheel:
        for file, text in files.items():
            wheel.writestr(f"{stem}.dist-info/{file}", text)
