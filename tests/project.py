"""This checkout as the tests see it: its files and its own command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def files(*patterns: str) -> list[Path]:
    """The project's files that match the Git patterns: tracked, or new and not ignored. Paths from ROOT."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns]
    names = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return sorted(Path(name) for name in set(names.split("\0")) if name and (ROOT / name).is_file())


def build(out: Path, *options: str) -> str:
    """Run the real build; return what it printed. If it fails, its own report is the test's failure."""
    command = [sys.executable, "build.py", "--out", str(out), *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False)
    printed = done.stdout + done.stderr
    if done.returncode:
        pytest.fail(f"{' '.join(command[1:])} ended with {done.returncode}:\n{printed}", pytrace=False)
    return printed
