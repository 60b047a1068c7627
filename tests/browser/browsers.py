"""The Chromium that the browser tests drive: found, fetched or installed, and started; never skipped."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import Browser, Error, Playwright

SYSTEM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

# Chromium's own chatter (updates, sync, field trials) fails slowly in a closed network; no test is about it.
QUIET = (
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
)


class NoBrowser(Exception):
    """No Chromium could be had on this machine; the message says what to install."""


def is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def find_chromium(own: Path) -> Path:
    """A Chromium that starts: the system's, Playwright's download (`own` is its place), the distribution's.

    Raises NoBrowser when all three fail.
    """
    tried = []
    if found := on_path():
        return found
    tried.append(f"none of {', '.join(SYSTEM_NAMES)} on PATH starts")
    if starts(own):
        return own
    tried.append(_run([sys.executable, "-m", "playwright", "install", "chromium"]))
    if starts(own):
        return own
    if is_root() and shutil.which("apt-get"):
        tried.append(_run(["apt-get", "-qq", "update"]))
        tried.append(_run(["apt-get", "-qq", "install", "-y", "--no-install-recommends", "chromium"]))
        if found := on_path():
            return found
    raise NoBrowser(
        "The browser tests need Chromium or Google Chrome: install the package `chromium` "
        "(Debian, Ubuntu: `sudo apt-get install chromium`) and run the tests again. "
        f"Tried: {'; '.join(filter(None, tried))}."
    )


def on_path() -> Path | None:
    """The first system browser that starts: Ubuntu's `chromium-browser` can be a stub that asks for snap."""
    paths = (Path(found) for name in SYSTEM_NAMES if (found := shutil.which(name)))
    return next(filter(starts, paths), None)


def starts(executable: Path) -> bool:
    try:
        done = subprocess.run([executable, "--version"], capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def launch(playwright: Playwright) -> Browser:
    """A headless Chromium. Its sandbox is on, except for root, whom Chromium refuses to start with one."""
    executable = find_chromium(Path(playwright.chromium.executable_path))
    try:
        return _launch(playwright, executable, sandbox=not is_root())
    except Error as error:
        # Ubuntu lets only browsers with an AppArmor profile make a sandbox, and Playwright's has none.
        # What is loaded without one is this project's own build, from this machine.
        if "sandbox" not in error.message:
            raise
        return _launch(playwright, executable, sandbox=False)


def _launch(playwright: Playwright, executable: Path, *, sandbox: bool) -> Browser:
    return playwright.chromium.launch(executable_path=executable, args=list(QUIET), chromium_sandbox=sandbox)


def _run(command: Sequence[str]) -> str:
    """Run an installer; return why it failed, or an empty text."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"`{' '.join(command[:3])} …`: {error}"
    if done.returncode == 0:
        return ""
    lines = (done.stderr or done.stdout).strip().splitlines()
    reason = next((line for line in lines if "rror" in line), "no reason given")
    return f"`{' '.join(command)}` failed ({reason.strip()})"
