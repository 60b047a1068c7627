"""Modules that are not in the first pack: the first import that asks for one fetches its archive."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

Fetch = Callable[[str], None]
"""Makes the files of an archive readable, or raises ImportError with a sentence."""


class ArchiveFinder:
    """The last finder of `sys.meta_path`: for modules that no other has found and that wait in an archive.

    `index` names the archive of each module. The standard library's rest is a zip of its own, beside the
    first one; a package may have modules in both.
    """

    def __init__(self, index: Mapping[str, str], fetch: Fetch, *, stdlib: str, rest: str) -> None:
        self._index, self._fetch, self._stdlib, self._rest = index, fetch, stdlib, rest
        self._here: set[str] = set()

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        archive = self._index.get(name)
        if archive is None:
            return None
        if archive not in self._here:
            self._fetch(archive)
            self._here.add(archive)
            importlib.invalidate_caches()
        if path is None:
            return PathFinder.find_spec(name, [self._rest], target)
        both = [*path, *(place.replace(self._stdlib, self._rest) for place in path)]
        return PathFinder.find_spec(name, both, target)


def find_in_archives(index: Mapping[str, str], fetch: Fetch) -> None:
    """Let imports of the modules in `index` fetch what they need."""
    stdlib = f"/lib/python{sys.version_info.major}{sys.version_info.minor}.zip"
    rest = stdlib.replace(".zip", "-rest.zip")
    sys.meta_path.append(ArchiveFinder(index, fetch, stdlib=stdlib, rest=rest))
