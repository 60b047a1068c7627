"""A builder on standby: one process that builds whenever it is asked, and remembers what it made before.

`serve` keeps one. It asks by a line; the answer is what the build says of its faults, then a line with its
exit code. A process of its own can be replaced when the builder itself changes, and stopped in mid-build.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Sequence

INTERRUPTED = 130
_END = "\x04"
"""Begins the last line of an answer; no fault does."""

_LONGEST_LINE = 4_000_000


def answer(build: Callable[[], int]) -> int:
    """The builder's side: build for each line of the standard input, until it ends."""
    for _ in sys.stdin:
        code = build()
        sys.stdout.flush()
        print(f"{_END}{code}", file=sys.stderr, flush=True)
        if code == INTERRUPTED:
            return code
    return 0


class Standby:
    """The side that asks. `command` starts a builder, which speaks to the terminal but for its faults."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._process: Process | None = None

    async def build(self) -> tuple[int | None, str]:
        """Have it build once: the exit code, and what it said of faults. If cancelled, the builder ends."""
        try:
            process = self._process or await self._start()
            assert process.stdin
            assert process.stderr
            with contextlib.suppress(ConnectionError):  # it has ended; its last words say why
                process.stdin.write(b"\n")
                await process.stdin.drain()
            said: list[str] = []
            async for line in process.stderr:
                text = line.decode("utf-8", errors="replace")
                if text.startswith(_END):
                    return int(text.removeprefix(_END)), "".join(said).strip()
                said.append(text)
            code = await process.wait()
        except asyncio.CancelledError:
            await self.stop()
            raise
        await self.stop()
        return code, "".join(said).strip()

    async def stop(self) -> None:
        """End the builder and all that it has started; the next build starts a new one."""
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            _end(process)
        await process.communicate()  # a pipe left open would complain after the loop has ended

    async def _start(self) -> Process:
        self._process = await asyncio.create_subprocess_exec(
            *self._command, stdin=PIPE, stderr=PIPE, limit=_LONGEST_LINE, start_new_session=True
        )
        return self._process


def _end(process: Process) -> None:
    """End it with its group: Node, at work on a lesson that loops, would not notice that nobody listens."""
    if sys.platform == "win32":
        process.terminate()
    else:
        os.killpg(process.pid, signal.SIGTERM)
