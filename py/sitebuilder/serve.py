"""Show the site on this machine: build, serve, watch the sources, build again, tell the open pages.

The builder is a process of its own, replaced when its code (py/) changes. Only changes to this module, host
and standby need a restart.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
import sys
import webbrowser
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from watchfiles import DefaultFilter, awatch

from sitebuilder.errors import BuildError
from sitebuilder.host import Host, News
from sitebuilder.report import Report
from sitebuilder.site import Folders
from sitebuilder.standby import Standby

_PORTS_TRIED = 20
_PATIENCE = 1.0
"""Seconds for a build of older sources to end by itself. Most do; a loop in a lesson may take minutes."""


@dataclass(frozen=True, slots=True)
class Serving:
    """What was asked for. `again` are the arguments for each `build.py build`."""

    folders: Folders
    out: Path
    base: str
    port: int
    open: bool
    again: Sequence[str]


def serve(serving: Serving, report: Report) -> int:
    """Serve until Ctrl-C; returns the exit code."""
    listener = listen(serving.port, report)
    try:
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(_serve(serving, listener, report))
    finally:
        listener.close()
    report.line("\nStopped.")
    return 0


def listen(port: int, report: Report) -> socket.socket:
    """A listening socket at `port` or the first free one after it. Raises BuildError if there is none."""
    for candidate in range(port, min(port + _PORTS_TRIED, 65536)):
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", candidate))
            listener.listen()
        except OSError as error:
            listener.close()
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise BuildError(f"Cannot listen on port {candidate}: {error}.") from error
            continue
        if candidate != port:
            report.line(f"Port {port} is taken; using {candidate}.")
        return listener
    raise BuildError(f"Port {port} and the next {_PORTS_TRIED - 1} are taken; name a free one with --port.")


async def _serve(serving: Serving, listener: socket.socket, report: Report) -> None:
    builder = _Builder(serving, report)
    watching = asyncio.create_task(builder.watch())
    await asyncio.sleep(0)  # now the system watches; a change during the first build is not lost
    try:
        first = await builder.begin()
        await asyncio.wait({first})
        server = uvicorn.Server(
            uvicorn.Config(
                Host(serving.out, serving.base, builder.news, lambda: server.should_exit),
                log_level="error",
                access_log=False,
                lifespan="off",
                timeout_graceful_shutdown=2,
            )
        )
        url = f"http://localhost:{listener.getsockname()[1]}{serving.base}"
        report.line(f"  Serving {url}  (Ctrl-C stops)")
        if serving.open:
            asyncio.get_running_loop().run_in_executor(None, webbrowser.open, url)
        await server.serve(sockets=[listener])
    finally:
        watching.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watching
        await builder.stop()


class _Builder:
    """Builds, one at a time, and keeps the news."""

    def __init__(self, serving: Serving, report: Report) -> None:
        self.news = News()
        self._folders = serving.folders
        self._report = report
        program = str(serving.folders.root / "build.py")
        self._standby = Standby([sys.executable, program, "build", "--served", *serving.again])
        self._building: asyncio.Task[None] | None = None

    async def watch(self) -> None:
        """Build after every change, for ever."""
        folders = self._folders
        async for changes in awatch(*watched(folders), watch_filter=DefaultFilter(), raise_interrupt=False):
            paths = [Path(path) for _, path in changes]
            # An editor makes files and takes them away again; they are no news.
            there = [path for path in paths if path.exists()]
            names = sorted({str(folders.shown(path)) for path in there or paths})
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            self._report.line(f"↻ {names[0]}{more}")
            await self.begin(anew=any(path.is_relative_to(folders.python) for path in paths))

    async def begin(self, *, anew: bool = False) -> asyncio.Task[None]:
        """Begin a build, `anew` in a new process. One that is still busy with older sources is ended."""
        if self._building and not self._building.done():
            await asyncio.wait({self._building}, timeout=_PATIENCE)
            if self._building.cancel():
                self._report.line("  The sources have changed: the build before is ended")
                await asyncio.wait({self._building})
        self._building = asyncio.create_task(self._build(anew))
        return self._building

    async def _build(self, anew: bool) -> None:
        """Build; the faults go to the terminal and to the open pages."""
        if anew:
            await self._standby.stop()
        code, faults = await self._standby.build()
        self._report.repeat(faults)
        self.news.tell("" if code == 0 else faults or f"The build ended with code {code}.")

    async def stop(self) -> None:
        if self._building:
            self._building.cancel()
            await asyncio.wait({self._building})
        await self._standby.stop()


def watched(folders: Folders) -> Iterable[Path]:
    """What to watch. Of static/ only what is ours: node_modules alone would take thousands of watches."""
    yield from (folders.lessons, folders.templates, folders.python)
    yield from (
        path
        for path in sorted(folders.static.iterdir())
        if path.name != "node_modules" and path.name[0] != "."
    )
