"""A running `python build.py serve` for a course in a temporary folder, as an author has it open."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.project import ROOT

_PATIENCE = 300
"""Seconds until a server that says nothing is ended; an upper bound, never a wait."""


@contextmanager
def serving(lessons: Path, out: Path) -> Iterator[str]:
    """Serve the course in `lessons`; gives the site's address once the server says it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--lessons", str(lessons), "--out", str(out), "--port", str(port), "--no-open"]
    server = subprocess.Popen(
        [sys.executable, "build.py", "serve", *options],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    deadline = threading.Timer(_PATIENCE, server.kill)
    deadline.start()
    try:
        assert server.stdout
        said = []
        for line in server.stdout:
            said.append(line)
            if line.startswith("  Serving "):
                break
        else:
            raise AssertionError("".join(said))
        reader = threading.Thread(target=server.stdout.read, daemon=True)  # so that it never waits for us
        reader.start()
        yield line.split()[1]
    finally:
        deadline.cancel()
        server.terminate()
        server.wait()
    reader.join()
    server.stdout.close()
