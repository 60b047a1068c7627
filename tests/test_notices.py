"""Notices of third-party software: read from wheels and npm packages, never typed."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from sitebuilder.notices import (
    Notice,
    bundled_packages,
    licence_texts,
    npm_notices,
    pyodide_notices,
    wheel_notices,
)


def write_wheel(folder: Path, metadata: str, **files: str) -> Path:
    wheel = folder / "thing-1.2-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(
            "thing-1.2.dist-info/METADATA", f"Name: thing\nVersion: 1.2\n{metadata}\n\nLong text"
        )
        for name, text in files.items():
            archive.writestr(f"thing-1.2.dist-info/{name}", text)
    return wheel


@pytest.mark.parametrize(
    ("metadata", "licence", "url"),
    [
        ("License-Expression: MIT", "MIT", ""),
        ("License: The Licence\n        and its text", "The Licence", ""),
        ("Summary: none", "see its text", ""),
        ("License-Expression: MIT\nHome-page: https://a.test", "MIT", "https://a.test"),
        (
            "License-Expression: MIT\nProject-URL: Homepage, https://b.test\nProject-URL: Source, https://c.test",
            "MIT",
            "https://c.test",
        ),
    ],
)
def test_a_wheel_says_what_it_is(tmp_path: Path, metadata: str, licence: str, url: str) -> None:
    [notice] = wheel_notices([write_wheel(tmp_path, metadata)])
    assert (notice.name, notice.version, notice.licence, notice.url) == ("thing", "1.2", licence, url)


def test_every_licence_file_of_a_wheel_is_kept(tmp_path: Path) -> None:
    files = {"licenses/LICENSE": "one  \r\n", "licenses/vendored/COPYING": "two\n", "RECORD": ""}
    [notice] = wheel_notices([write_wheel(tmp_path, "License-Expression: MIT", **files)])
    assert notice.texts == ("one\n", "two\n")


def test_bundled_are_the_dependencies_and_theirs_but_no_tools(tmp_path: Path) -> None:
    packages: dict[str, dict[str, Any]] = {
        "": {
            "dependencies": {"@a/editor": "1", "pyodide": "1", "temml": "1"},
            "devDependencies": {"esbuild": "1"},
        },
        "@a/editor": {
            "dependencies": {"keys": "1"},
            "repository": {"url": "git+https://code.test/editor.git"},
        },
        "keys": {"repository": "git@code.test:keys"},
        "pyodide": {"dependencies": {"ws": "1"}},
        "temml": {},
        "esbuild": {},
        "ws": {},
    }
    for name, about in packages.items():
        folder = tmp_path / "node_modules" / name if name else tmp_path
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text(
            json.dumps({"name": name, "version": "1.0.0", "license": "MIT", **about})
        )
        (folder / "LICENSE").write_text("The MIT licence")
    notices = npm_notices(bundled_packages(tmp_path))
    assert [(n.name, n.version, n.licence, n.url) for n in notices] == [
        ("@a/editor", "1.0.0", "MIT", "https://code.test/editor"),
        ("keys", "1.0.0", "MIT", ""),
    ]


def test_one_text_is_shown_once_with_all_who_use_it() -> None:
    notices = [Notice(name, "1", "MIT", "", "", texts) for name, texts in USERS.items()]
    assert [(text.names, text.body.count("MIT"), "Zlib" in text.body) for text in licence_texts(notices)] == [
        (("a", "b"), 1, False),
        (("c",), 1, True),
    ]


USERS: dict[str, tuple[str, ...]] = {"a": ("MIT\n",), "b": ("MIT\n",), "c": ("MIT\n", "Zlib\n"), "d": ()}


def test_pyodide_and_python_come_with_their_licences() -> None:
    pyodide, python, *inside = pyodide_notices("314.0.3", "3.14")
    assert pyodide.texts[0].startswith("Mozilla Public License Version 2.0")
    assert "PYTHON SOFTWARE FOUNDATION LICENSE VERSION 2" in python.texts[0]
    assert all(notice.licence and notice.url for notice in inside)
