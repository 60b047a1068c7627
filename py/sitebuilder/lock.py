"""Pyodide's lock: which packages a Pyodide version has, what they need, and the hash of every file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sitebuilder.errors import BuildError


def normalized(name: str) -> str:
    """A package name as the lock and PyPI compare it: `Typing_Extensions` is `typing-extensions`."""
    return re.sub(r"[-_.]+", "-", name).lower()


@dataclass(frozen=True, slots=True)
class LockedFile:
    """A file that has exactly one right content."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Lock:
    """`pyodide-lock.json` of one Pyodide version, keyed by normalized names."""

    version: str
    info: Mapping[str, Any]
    packages: Mapping[str, Mapping[str, Any]]

    @classmethod
    def read(cls, npm_package: Path) -> Lock:
        """The lock inside the npm package `pyodide`. Raises BuildError if that is not there or not whole."""
        try:
            version = json.loads((npm_package / "package.json").read_bytes())["version"]
            content = json.loads((npm_package / "pyodide-lock.json").read_bytes())
            return cls(version, content["info"], content["packages"])
        except (OSError, ValueError, KeyError) as error:
            raise BuildError(
                f"The npm package pyodide in {npm_package} is missing or damaged ({error}); "
                "delete the folder node_modules and build again"
            ) from error

    @property
    def python(self) -> str:
        """Python's version as a student says it: "3.14"."""
        return ".".join(str(self.info["python"]).split(".")[:2])

    def __contains__(self, name: object) -> bool:
        return name in self.packages

    def version_of(self, name: str) -> str:
        return str(self.packages[name]["version"])

    def file_of(self, name: str) -> LockedFile:
        package = self.packages[name]
        return LockedFile(str(package["file_name"]), str(package["sha256"]))

    def closure(self, names: Iterable[str]) -> tuple[str, ...]:
        """These packages and all that they depend on, each after what it needs."""
        found: dict[str, None] = {}

        def visit(name: str, above: tuple[str, ...]) -> None:
            if name in found or name in above:
                return
            for needed in self.packages[name]["depends"]:
                visit(normalized(needed), (*above, name))
            found[name] = None

        for name in names:
            visit(name, ())
        return tuple(found)

    def trimmed(self, names: Iterable[str]) -> bytes:
        """A `pyodide-lock.json` of these only: what a site does not ship must not look installable."""
        kept = {name: self.packages[name] for name in sorted(names)}
        content = {"info": self.info, "packages": kept}
        return json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
