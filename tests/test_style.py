"""Lint, format and types of all Python in the project: house rules that a machine keeps."""

from __future__ import annotations

import sys

import pytest

from tests.project import run


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["ruff", "check"], id="lint"),
        pytest.param(["ruff", "format", "--check"], id="format"),
        pytest.param(["mypy"], id="types"),
    ],
)
def test_python_keeps_the_house_rules(command: list[str]) -> None:
    run([sys.executable, "-m", *command])
