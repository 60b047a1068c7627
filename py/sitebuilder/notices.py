"""Third-party software that ships with the site: names, versions and licences, read from the packages."""

from __future__ import annotations

import json
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from email.parser import HeaderParser
from pathlib import Path

from sitebuilder.trained import Model

_TEXTS = Path(__file__).parent / "licences"
"""Texts that their packages refer to but do not contain."""

_NOT_BUNDLED = frozenset({"pyodide", "temml"})
"""Pyodide has notices of its own; temml sets formulas at build time, and nothing of it is shipped."""

_BETWEEN_TEXTS = f"\n{'—' * 40}\n\n"


@dataclass(frozen=True, slots=True)
class Notice:
    """One piece of software. `licence` is an SPDX expression where its authors give one."""

    name: str
    version: str
    licence: str
    purpose: str
    url: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LicenceText:
    """A licence as its authors wrote it, with all the software that came with this very text."""

    names: tuple[str, ...]
    body: str


_EMSCRIPTEN = "MIT, NCSA, Apache-2.0 WITH LLVM-exception"
_INSIDE_PYODIDE = (
    ("Emscripten with musl and LLVM", _EMSCRIPTEN, "https://github.com/emscripten-core/emscripten"),
    ("bzip2", "bzip2-1.0.6", "https://sourceware.org/bzip2/"),
    ("Expat", "MIT", "https://github.com/libexpat/libexpat"),
    ("HACL*", "Apache-2.0 OR MIT", "https://github.com/hacl-star/hacl-star"),
    ("libffi", "MIT", "https://github.com/libffi/libffi"),
    ("libmpdec", "BSD-2-Clause", "https://www.bytereef.org/mpdecimal/"),
    ("liblzma (XZ Utils)", "0BSD", "https://tukaani.org/xz/"),
    ("SQLite", "Public domain", "https://sqlite.org/copyright.html"),
    ("zlib", "Zlib", "https://zlib.net/"),
)
"""Libraries compiled into Pyodide's WebAssembly: name, licence, home. No file says their versions."""


def pyodide_notices(version: str, python: str) -> list[Notice]:
    """Pyodide itself, Python, and what is compiled into the same file."""
    pyodide, cpython = "https://github.com/pyodide/pyodide", "https://www.python.org/"
    runs = "Runs Python in the browser"
    return [
        Notice("Pyodide", version, "MPL-2.0", runs, pyodide, (_own_text("MPL-2.0"),)),
        Notice("CPython", python, "PSF-2.0", "The Python in the page", cpython, (_own_text("PSF-2.0"),)),
        *(
            Notice(name, "", licence, f"Compiled into Pyodide {version}", url, ())
            for name, licence, url in _INSIDE_PYODIDE
        ),
    ]


def wheel_notices(wheels: Iterable[Path]) -> list[Notice]:
    """The Python packages beside Pyodide, each with every licence file of its wheel."""
    return sorted(map(_wheel_notice, wheels), key=lambda notice: notice.name.lower())


def model_notices(models: Iterable[Model]) -> list[Notice]:
    """Trained models that lessons bring along; their wheels hold no text of the licence."""
    found = (model.index for model in models)
    return [Notice(i.model, "", i.licence, i.changes, i.url, (_own_text(i.licence),)) for i in found]


def npm_notices(packages: Iterable[Path]) -> list[Notice]:
    """npm packages whose code or fonts are part of what the browser loads."""
    notices = []
    for package in sorted(packages):
        about = json.loads((package / "package.json").read_text(encoding="utf-8"))
        repository = about.get("repository", "")
        url = repository if isinstance(repository, str) else repository.get("url", "")
        texts = tuple(_tidy(file.read_bytes()) for file in sorted(package.glob("LICEN[CS]E*")))
        licence = str(about.get("license", ""))
        purpose = (
            "Typeface, shipped in parts and under another name"
            if licence.startswith("OFL")
            else "Code editor"
        )
        notices.append(Notice(about["name"], about["version"], licence, purpose, _web(url), texts))
    return notices


def bundled_packages(static: Path) -> list[Path]:
    """The npm packages that end up in the bundle: the dependencies of package.json, and theirs.

    Without `_NOT_BUNDLED`, and without the development tools.
    """
    modules = static / "node_modules"
    found: dict[str, None] = {}
    waiting = [name for name in _dependencies(static) if name not in _NOT_BUNDLED]
    while waiting:
        name = waiting.pop()
        if name not in found and (modules / name / "package.json").is_file():
            found[name] = None
            waiting += _dependencies(modules / name)
    return [modules / name for name in found]


def _dependencies(package: Path) -> list[str]:
    about = json.loads((package / "package.json").read_text(encoding="utf-8"))
    return list(about.get("dependencies", {}))


def licence_texts(notices: Sequence[Notice]) -> list[LicenceText]:
    """What each piece of software came with, in the order of the notices; the same texts appear once."""
    users: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for notice in notices:
        if notice.texts:
            users[notice.texts].append(notice.name)
    return [
        LicenceText(tuple(dict.fromkeys(names)), _BETWEEN_TEXTS.join(texts)) for texts, names in users.items()
    ]


def _wheel_notice(wheel: Path) -> Notice:
    with zipfile.ZipFile(wheel) as archive:
        inside = sorted(name for name in archive.namelist() if ".dist-info/" in name)
        metadata = next(name for name in inside if name.endswith(".dist-info/METADATA"))
        about = HeaderParser().parsestr(archive.read(metadata).decode("utf-8"))
        files = [
            name
            for name in inside
            if "/licenses/" in name or name.rpartition("/")[2].startswith(("LICEN", "COPYING"))
        ]
        texts = tuple(dict.fromkeys(_tidy(archive.read(name)) for name in files))
    licence = about["License-Expression"] or (about["License"] or "see its text").splitlines()[0]
    homes = dict(entry.split(", ", 1) for entry in about.get_all("Project-URL", []) if ", " in entry)
    home = next(
        (
            url
            for key in ("source", "repository", "homepage")
            for name, url in homes.items()
            if name.lower() == key
        ),
        "",
    )
    return Notice(
        about["Name"], about["Version"], licence, "Python package", home or about["Home-page"] or "", texts
    )


def _own_text(name: str) -> str:
    return _tidy((_TEXTS / f"{name}.txt").read_bytes())


def _tidy(text: bytes) -> str:
    lines = text.decode("utf-8", errors="replace").replace("\r\n", "\n").replace("\f", "\n").split("\n")
    return "\n".join(line.rstrip() for line in lines).strip("\n") + "\n"


def _web(url: str) -> str:
    """npm's repository field as a link; "" if it is none."""
    url = url.removeprefix("git+").removesuffix(".git").replace("git://", "https://")
    return url if url.startswith("https://") else ""
