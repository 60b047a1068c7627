"""This checkout as the tests see it: its files and its own command line."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def files(*patterns: str) -> list[Path]:
    """The project's files that match the Git patterns: tracked, or new and not ignored. Paths from ROOT."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns]
    names = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return sorted(Path(name) for name in set(names.split("\0")) if name and (ROOT / name).is_file())


def run(command: Sequence[str | Path], *, cwd: Path = ROOT) -> str:
    """Run a tool; return what it printed. If it fails, its own report is the test's failure."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, encoding="utf-8", check=False)
    printed = done.stdout + done.stderr
    if done.returncode:
        shown = " ".join(Path(word).name for word in map(str, command))
        pytest.fail(f"{shown} ended with {done.returncode}:\n{printed}", pytrace=False)
    return printed


def build(out: Path, *options: str) -> str:
    """Run the real build; return what it printed."""
    return run([sys.executable, "build.py", "--out", str(out), *options])
