"""Fetch wheels from PyPI with this Python's own pip, so that its mirrors, proxies and certificates hold."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path


class PipFailed(Exception):
    """What pip said, in one line; `offline` is true if it could not reach an index at all."""

    def __init__(self, reason: str, *, offline: bool) -> None:
        self.offline = offline
        super().__init__(reason)


def pip_download(
    requirement: str, options: Sequence[str], *, work: Path, on_bytes: Callable[[int], None]
) -> list[Path]:
    """Download wheels with `pip download`; returns the files, which lie inside the folder `work`.

    `on_bytes` hears about four times a second how many bytes have come. Raises PipFailed.
    """
    wheels, partial = work / "wheels", work / "partial"
    wheels.mkdir()
    partial.mkdir()
    command = [sys.executable, "-m", "pip", "download", "--only-binary", ":all:", "--dest", str(wheels)]
    command += ["--quiet", "--no-input", "--disable-pip-version-check", "--no-cache-dir", "--retries", "2"]
    # pip's progress bar is for eyes and differs between versions; the file growing in its TMPDIR does not
    environment = os.environ | {"TMPDIR": str(partial), "TEMP": str(partial), "TMP": str(partial)}
    with (work / "pip.log").open("w+", encoding="utf-8", errors="replace") as log:
        process = subprocess.Popen(
            [*command, *options, requirement],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
        try:
            while process.poll() is None:
                on_bytes(_size(partial))
                time.sleep(0.25)
        finally:
            process.kill()  # a Ctrl-C here must not leave pip downloading
            process.wait()
        log.seek(0)
        said = log.read()
    files = sorted(wheels.glob("*.whl"))
    if process.returncode or not files:
        offline = "Retrying (Retry" in said or "connection" in said.lower()
        raise PipFailed(_last_error(said) or f"pip ended with code {process.returncode}", offline=offline)
    return files


def _size(folder: Path) -> int:
    total = 0
    for parent, _folders, files in os.walk(folder):  # which passes over folders that pip removes meanwhile
        for file in files:
            with contextlib.suppress(OSError):  # moved meanwhile
                total += (Path(parent) / file).stat().st_size
    return total


def _last_error(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
    errors = [error for error in errors if not error.startswith("ResolutionImpossible")]  # a link, no reason
    return (errors or lines or [""])[-1]
