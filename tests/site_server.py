"""A plain static host for the tests: GitHub Pages under a sub-path, with a log, and faults on request."""

from __future__ import annotations

import gzip
import threading
import time
import urllib.parse
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import MappingProxyType
from typing import Literal

Fault = Literal["missing", "corrupt", "short", "cut", "stall", "hang", "mistyped", "gone"]
"""`missing` answers 404, `corrupt` sends other bytes of the same length, `short` the first half as if it were
the whole, `cut` breaks off after the first half, `stall` falls silent after it, `hang` never answers,
`mistyped` says that every file is text, `gone` closes the connection as if nobody were there."""

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".woff2": "font/woff2",
    ".xml": "application/xml",
}
COMPRESSED = {".css", ".html", ".js", ".json", ".mjs", ".svg", ".txt", ".wasm", ".xml"}
"""What GitHub Pages sends with gzip; wheels, zips and fonts go as they are."""

_PIECE = 16_384
"""Bytes written at a time; a slow line carries the pieces of several answers in turn."""


@dataclass(frozen=True, slots=True)
class Request:
    """An answered request: `path` from the site's root, `sent` the bytes of the body on the wire."""

    path: str
    status: int
    sent: int


class Link:
    """A line of `rate` bytes a second, which all answers share, and `delay` seconds before each of them."""

    def __init__(self, rate: float, delay: float) -> None:
        self._rate, self._delay = rate, delay
        self._free_at = 0.0
        self._lock = threading.Lock()

    def begin(self) -> None:
        time.sleep(self._delay)

    def carry(self, size: int) -> None:
        """Return when so many more bytes have gone over the line."""
        with self._lock:
            now = time.monotonic()
            self._free_at = max(self._free_at, now) + size / self._rate
        time.sleep(max(0.0, self._free_at - now))


class SiteServer:
    """Serves `root` below `prefix` on a free port of this machine; everything outside the prefix is a 404.

    `headers` go with every answer, for hosts that are more than plain; `link` makes the line slower.
    """

    def __init__(
        self,
        root: Path,
        prefix: str = "/course/site/",
        headers: Mapping[str, str] | None = None,
        link: Link | None = None,
    ) -> None:
        self.root = root.resolve()
        self.prefix = prefix
        self.headers = headers or {}
        self.link = link
        self.requests: list[Request] = []
        self._faults: dict[str, Fault] = {}
        self._released = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"site": self}))
        self._http.daemon_threads = True
        self.origin = f"http://127.0.0.1:{self._http.server_address[1]}"
        self.url = self.origin + prefix
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self._released.set()
        self._http.shutdown()  # returns after the poll interval given above
        self._http.server_close()

    def paths(self) -> list[str]:
        """The paths asked for so far, relative to the site's root."""
        return [request.path for request in self.requests]

    @contextmanager
    def fault(self, pattern: str, kind: Fault) -> Iterator[None]:
        """While the block runs, files whose path matches the shell pattern are answered with this fault."""
        self._faults[pattern] = kind
        self._released.clear()
        try:
            yield
        finally:
            del self._faults[pattern]
            self._released.set()

    def fault_of(self, path: str) -> Fault | None:
        return next((kind for pattern, kind in self._faults.items() if fnmatch(path, pattern)), None)

    def wait_until_released(self) -> None:
        self._released.wait()


class _Handler(BaseHTTPRequestHandler):
    site: SiteServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body go out apart; the body would wait for an acknowledgement

    def do_GET(self) -> None:
        site = self.site
        path = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path)
        if not path.startswith(site.prefix):
            self._answer(f"outside: {path}", 404, b"outside the site")
            return
        inside = path.removeprefix(site.prefix)
        fault = site.fault_of(inside)
        if fault in ("hang", "gone"):
            if fault == "hang":
                site.wait_until_released()
            self.close_connection = True
            return
        file = (site.root / inside).resolve()
        if file.is_dir():
            if inside and not inside.endswith("/"):
                self._answer(inside, 301, b"", {"Location": path + "/"})
                return
            file /= "index.html"
        if fault == "missing" or not file.is_relative_to(site.root) or not file.is_file():
            not_found = site.root / "404.html"
            body = not_found.read_bytes() if not_found.exists() else b"not found"
            self._answer(inside, 404, body, {"Content-Type": TYPES[".html"]})
            return
        body, headers = _body(file, file.stat().st_mtime_ns)
        if fault in ("corrupt", "short"):
            data = file.read_bytes()
            body = _corrupted(data) if fault == "corrupt" else data[: len(data) // 2]
            headers = {k: v for k, v in headers.items() if "Type" in k}
        if fault == "mistyped":
            headers = headers | {"Content-Type": TYPES[".txt"]}
        tag = f'"{zlib.crc32(body):x}"'
        headers = headers | {"Cache-Control": "max-age=600", "ETag": tag}
        if tag == self.headers["If-None-Match"]:
            self._answer(inside, 304, b"", headers)
        else:
            self._answer(inside, 200, body, headers, fault)

    def _answer(
        self,
        path: str,
        status: int,
        body: bytes,
        headers: Mapping[str, str] = MappingProxyType({}),
        fault: Fault | None = None,
    ) -> None:
        # Logged before it is sent: a test that has seen the answer must find it in the log.
        self.site.requests.append(Request(path, status, len(body)))
        if self.site.link:
            self.site.link.begin()
        try:
            self.send_response(status)
            for name, value in {**headers, **self.site.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            halved = fault in ("cut", "stall")
            body = body[: len(body) // 2] if halved else body
            for start in range(0, len(body), _PIECE):
                piece = body[start : start + _PIECE]
                if self.site.link:
                    self.site.link.carry(len(piece))
                self.wfile.write(piece)
            if fault == "stall":
                self.site.wait_until_released()
            self.close_connection |= halved
        except ConnectionError:
            self.close_connection = True  # the page went away in mid-answer, as pages do

    def log_message(self, format: str, *args: object) -> None:
        pass


@cache
def _body(file: Path, _changed: int) -> tuple[bytes, dict[str, str]]:
    data = file.read_bytes()
    headers = {"Content-Type": TYPES.get(file.suffix, "application/octet-stream")}
    if file.suffix not in COMPRESSED:
        return data, headers
    return gzip.compress(data, 6, mtime=0), {**headers, "Content-Encoding": "gzip", "Vary": "Accept-Encoding"}


def _corrupted(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 0xFF]) + data[middle + 1 :]
