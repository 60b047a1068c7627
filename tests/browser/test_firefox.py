"""Another engine: one visit in Firefox, whose WebAssembly, storage and editing are not Chromium’s."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from sitebuilder.assets import install_packages
from sitebuilder.node import NODE
from tests.browser.browsers import is_root, starts
from tests.project import ROOT, run
from tests.site_server import SiteServer

SCRIPTS = ROOT / "tests/firefox"


def find_firefox() -> Path:
    """A Firefox that starts: the system's or the distribution's; a failure otherwise, never a skip."""
    paths = (Path(path) for name in ("firefox-esr", "firefox") if (path := shutil.which(name)))
    if present := next(filter(starts, paths), None):
        return present
    if is_root() and shutil.which("apt-get"):
        subprocess.run(["apt-get", "-qq", "update"], check=False)
        install = ["apt-get", "-qq", "install", "-y", "--no-install-recommends", "firefox-esr"]
        subprocess.run(install, capture_output=True, check=False)
        if (installed := shutil.which("firefox-esr")) and starts(Path(installed)):
            return Path(installed)
    pytest.fail("This test needs Firefox: install it (Debian: `apt-get install firefox-esr`).", pytrace=False)


@pytest.fixture(scope="module")
def seen(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """What tests/firefox/visit.mjs saw on lesson 31."""
    install_packages(SCRIPTS, cache=tmp_path_factory.mktemp("cache"), console=Console(quiet=True))
    site = SiteServer(dist)
    address = site.url + "31-multi-head-attention/"
    yield json.loads(run([NODE, SCRIPTS / "visit.mjs", find_firefox(), address]))
    site.close()


def test_nothing_goes_wrong(seen: dict[str, Any]) -> None:
    assert "failed" not in seen, seen["failed"]
    assert seen["errors"] == []


def test_a_cell_runs_after_those_it_needs(seen: dict[str, Any]) -> None:
    assert seen["beforeRun"] == "idle"
    assert seen["heads"] == {"state": "done", "text": "output (12, 64)  weights (4, 12, 12)\n"}
    assert seen["aboveRan"] == "done"


def test_the_keyboard_goes_from_head_to_head(seen: dict[str, Any]) -> None:
    assert seen["turned"] == ["0", "1"]


def test_an_edited_cell_runs_as_edited(seen: dict[str, Any]) -> None:
    assert seen["edited"] == {"state": "done", "text": "14"}


def test_where_python_cannot_be_suspended_input_says_what_to_do(seen: dict[str, Any]) -> None:
    if seen["suspends"]:
        assert seen["asked"] == "waits"
    else:
        assert "this browser cannot pause a cell while it runs" in seen["asked"]


def test_stop_ends_an_endless_loop_and_brings_variables_back(seen: dict[str, Any]) -> None:
    assert seen["afterStop"] == {"state": "done", "text": "(4, 12, 12)"}


def test_a_sentence_goes_through_72_heads_of_a_fetched_model(seen: dict[str, Any]) -> None:
    assert seen["realHeads"] == {"state": "done", "h": 72}


def test_a_second_visit_starts_and_has_the_edits(seen: dict[str, Any]) -> None:
    assert seen["secondVisit"] == {"state": "done", "code": "while True: pass"}


def test_all_rows_but_the_cursors_come_from_a_worker(seen: dict[str, Any]) -> None:
    assert seen["lazy"] == {"answered": 199 * 200, "shares": ["50\u202f%", "50\u202f%"]}
