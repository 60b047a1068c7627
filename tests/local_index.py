"""A package index that is a folder: tiny wheels for pip, so that tests of downloads need no network."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest


def write_wheel(
    folder: Path,
    name: str,
    version: str,
    files: Mapping[str, bytes | str],
    *,
    needs: Sequence[str] = (),
    tag: str = "py3-none-any",
) -> Path:
    """Write a real, installable wheel with these files in it."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"{name.replace('-', '_')}-{version}"
    requires = "".join(f"Requires-Dist: {need}\n" for need in needs)
    wheel = folder / f"{stem}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, content in files.items():
            archive.writestr(path, content)
        archive.writestr(
            f"{stem}.dist-info/METADATA",
            f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{requires}",
        )
        archive.writestr(
            f"{stem}.dist-info/WHEEL", f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tag}\n"
        )
        archive.writestr(f"{stem}.dist-info/RECORD", "")
    return wheel


def use_index(patch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let pip look into this folder and nowhere else, whatever is configured on this machine."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        patch.delenv(name)
    patch.setenv("PIP_CONFIG_FILE", os.devnull)
    patch.setenv("PIP_NO_INDEX", "1")
    patch.setenv("PIP_FIND_LINKS", str(folder))
