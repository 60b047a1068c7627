"""The browser's code by its own tools, from the Node.js that pip installed: strict types, and unit tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import Console

from sitebuilder.assets import install_packages
from sitebuilder.node import NODE
from tests.project import ROOT, files, run

STATIC = ROOT / "static"


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`static/node_modules` as the lock file says."""
    return install_packages(STATIC, cache=tmp_path_factory.mktemp("cache"), console=Console(quiet=True))


def test_the_types_hold(packages: Path) -> None:
    run([NODE, packages / "typescript/bin/tsc", "-p", "tsconfig.json"], cwd=STATIC)


@pytest.mark.usefixtures("packages")
@pytest.mark.parametrize("path", files("tests/js/*.test.js"), ids=lambda path: path.stem)
def test_unit_tests_pass(path: Path) -> None:
    # A timer that a test leaves behind (a watchdog of 90 s) must not be waited for.
    run([NODE, "--test", "--test-force-exit", ROOT / path], cwd=STATIC)
