"""Lint, format and types of all Python in the project: house rules that a machine keeps."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.project import ROOT


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["ruff", "check"], id="lint"),
        pytest.param(["ruff", "format", "--check"], id="format"),
        pytest.param(["mypy"], id="types"),
    ],
)
def test_python_keeps_the_house_rules(command: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
