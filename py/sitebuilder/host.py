"""The web host of `serve`: the built site under its base, uncached, and a stream of news about rebuilds."""

from __future__ import annotations

import asyncio
import json
import mimetypes
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

HOOK = "__lectern/"
"""Below the base: what `serve` adds to the site."""

_RELOAD = Path(__file__).with_name("reload.js")
_RETIRED = Path(__file__).with_name("retire.js")
_TYPES = {
    ".css": "text/css",
    ".html": "text/html",
    ".js": "text/javascript",
    ".json": "application/json",
    ".mjs": "text/javascript",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
    ".whl": "application/octet-stream",
    ".woff2": "font/woff2",
    ".xml": "application/xml",
    ".zip": "application/zip",
}
"""What depends on nobody's system settings: Windows, for one, may say text/plain for JavaScript."""

_NO_STORE = {"Cache-Control": "no-store"}
_SWAP = 1.0
"""Seconds to wait for a site that is being swapped for its successor."""

_NOT_BUILT = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Not built yet</title>
<meta name="color-scheme" content="light dark"></head>
<body><p>There is no site yet. It will appear here.</p></body></html>
"""


@dataclass(slots=True)
class News:
    """How the last build went. `version` names the site on disk; `faults` is "" after a good build."""

    faults: str = ""
    builds: int = 0
    started: float = field(default_factory=time.time)

    @property
    def version(self) -> str:
        return f"{self.started:.3f}-{self.builds}"

    def tell(self, faults: str) -> None:
        self.faults = faults
        self.builds += not faults


@dataclass(frozen=True, slots=True)
class Host:
    """The application. `base` begins and ends with a slash; `closing` says that the server will stop."""

    out: Path
    base: str
    news: News
    closing: Callable[[], bool]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            response = await self.respond(Request(scope))
            await response(scope, receive, send)

    async def respond(self, request: Request) -> Response:
        path = request.scope["path"]
        if request.method not in ("GET", "HEAD"):
            return PlainTextResponse("A static site knows GET only.", 405)
        if path + "/" == self.base or (path == "/" and self.base != "/"):
            return RedirectResponse(self.base, headers=_NO_STORE)
        if not path.startswith(self.base):
            return PlainTextResponse(f"The site lies under {self.base}", 404, headers=_NO_STORE)
        inside = path.removeprefix(self.base)
        if inside == f"{HOOK}events":
            headers = {**_NO_STORE, "X-Accel-Buffering": "no"}
            return StreamingResponse(self._events(), media_type="text/event-stream", headers=headers)
        if inside == f"{HOOK}reload.js":
            return Response(_RELOAD.read_bytes(), media_type="text/javascript", headers=_NO_STORE)
        if inside == "service-worker.js":  # one left here by another server would hide the changes
            return Response(_RETIRED.read_bytes(), media_type="text/javascript", headers=_NO_STORE)
        return await self._file(path, inside)

    async def _file(self, path: str, inside: str) -> Response:
        await self._site_is_there()
        try:
            file = (self.out / inside).resolve()
            is_folder = file.is_dir()
        except (OSError, ValueError):  # no file can have such a name: too long, or with a NUL in it
            return self._missing()
        if not file.is_relative_to(self.out.resolve()):
            return PlainTextResponse("There is nothing here.", 404, headers=_NO_STORE)
        if is_folder:
            if not path.endswith("/"):
                return RedirectResponse(quote(f"{path}/"), 301, headers=_NO_STORE)
            file /= "index.html"
        elif path.endswith("/"):
            file /= "index.html"  # a file's name with a slash is no address of it
        try:
            return self._answer(file.read_bytes(), file.suffix, 200)
        except (OSError, ValueError):
            return self._missing()

    def _missing(self) -> Response:
        page = self.out / "404.html"
        if page.is_file():
            return self._answer(page.read_bytes(), ".html", 404)
        return self._answer(_NOT_BUILT.encode(), ".html", 503)

    async def _site_is_there(self) -> None:
        deadline = time.monotonic() + _SWAP
        while not self.out.is_dir() and self.news.builds and time.monotonic() < deadline:
            await asyncio.sleep(0.02)

    def _answer(self, body: bytes, suffix: str, status: int) -> Response:
        kind = _TYPES.get(suffix) or mimetypes.guess_type(f"x{suffix}")[0] or "application/octet-stream"
        if suffix == ".html":
            hook = f'<script type="module" src="{self.base}{HOOK}reload.js"></script>\n'.encode()
            before, end, after = body.rpartition(b"</body>")
            body = before + hook + end + after if end else body + hook
        return Response(body, status, media_type=kind, headers=_NO_STORE)

    async def _events(self) -> AsyncIterator[str]:
        """The news whenever it changes. A look now and then is simpler than waking."""
        told = None
        while not self.closing():
            news = json.dumps({"version": self.news.version, "faults": self.news.faults})
            if news != told:
                told = news
                yield f"data: {news}\n\n"
            await asyncio.sleep(0.02)
