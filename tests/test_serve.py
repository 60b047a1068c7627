"""The host of `serve`: types, addresses, news; and one whole run with rebuilds, faults and Ctrl-C."""

from __future__ import annotations

import asyncio
import io
import json
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console
from starlette.requests import Request
from starlette.responses import Response

from sitebuilder.errors import BuildError
from sitebuilder.host import Host, News
from sitebuilder.report import Report
from sitebuilder.serve import listen, watched
from sitebuilder.site import Folders
from tests.project import ROOT

SITE = {
    "index.html": "<body>home</body>",
    "404.html": "<body>no page</body>",
    "1-a/index.html": "<body>a lesson about &lt;/body> tags</body>",
    "1-a/naïve name.txt": "text",
    "assets/main.js": "",
    "assets/main.css": "",
    "runtime/r/pyodide.mjs": "",
    "runtime/r/pyodide.asm.wasm": "",
    "runtime/r/numpy.whl": "",
    "runtime/r/lectern.zip": "",
    "runtime/r/lock.json": "",
    "font.woff2": "",
    "drawing.svg": "",
}


@pytest.fixture
def host(tmp_path: Path) -> Host:
    (tmp_path / "secret.txt").write_text("secret")
    for name, text in SITE.items():
        file = tmp_path / "dist" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return Host(tmp_path / "dist", "/x/y/", News(), lambda: False)


def ask(host: Host, path: str, method: str = "GET") -> Response:
    scope = {"type": "http", "method": method, "path": path, "headers": [], "query_string": b""}
    return asyncio.run(host.respond(Request(scope)))


@pytest.mark.parametrize(
    ("path", "status", "detail"),
    [
        ("/", 307, "/x/y/"),
        ("/x/y", 307, "/x/y/"),
        ("/x/y/", 200, "home"),
        ("/x/y/index.html", 200, "home"),
        ("/x/y/1-a", 301, "/x/y/1-a/"),
        ("/x/y/1-a/", 200, "a lesson"),
        ("/x/y/1-a/naïve name.txt", 200, "text"),
        ("/x/y/1-a/nothing", 404, "no page"),
        ("/x/y/deep/er/", 404, "no page"),
        ("/x/y/assets/", 404, "no page"),
        ("/x/y/index.html/", 404, "no page"),
        ("/x/y/\0", 404, "no page"),
        ("/x/y/1-a/\0/", 404, "no page"),
        ("/x/y/" + 5_000 * "a", 404, "no page"),
        ("/x/y/" + 5_000 * "a/", 404, "no page"),
        ("/x/y/\ud800", 404, "no page"),
        ("/x/y/../secret.txt", 404, "nothing here"),
        ("/x/y/1-a/../../../secret.txt", 404, "nothing here"),
        ("/other/", 404, "under /x/y/"),
    ],
)
def test_an_address_has_one_answer(host: Host, path: str, status: int, detail: str) -> None:
    response = ask(host, path)
    assert response.status_code == status
    assert detail in response.headers.get("location", bytes(response.body).decode())
    assert response.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("index.html", "text/html; charset=utf-8"),
        ("assets/main.js", "text/javascript; charset=utf-8"),
        ("assets/main.css", "text/css; charset=utf-8"),
        ("runtime/r/pyodide.mjs", "text/javascript; charset=utf-8"),
        ("runtime/r/pyodide.asm.wasm", "application/wasm"),
        ("runtime/r/numpy.whl", "application/octet-stream"),
        ("runtime/r/lectern.zip", "application/zip"),
        ("runtime/r/lock.json", "application/json"),
        ("font.woff2", "font/woff2"),
        ("drawing.svg", "image/svg+xml"),
    ],
)
def test_a_file_has_its_type(host: Host, path: str, kind: str) -> None:
    assert ask(host, f"/x/y/{path}").headers["content-type"] == kind


def test_only_served_pages_carry_the_reload_script(host: Host) -> None:
    hook = b'<script type="module" src="/x/y/__lectern/reload.js"></script>\n</body>'
    for path in ("/x/y/", "/x/y/1-a/", "/x/y/nowhere"):
        body = bytes(ask(host, path).body)
        assert body.endswith(hook)
        assert body.count(b"<script") == 1
    assert ask(host, "/x/y/__lectern/reload.js").headers["content-type"].startswith("text/javascript")
    assert "__lectern" not in (host.out / "index.html").read_text()


def test_a_service_worker_of_an_earlier_server_is_removed(host: Host) -> None:
    worker = ask(host, "/x/y/service-worker.js")
    assert worker.headers["content-type"].startswith("text/javascript")
    assert b"registration.unregister()" in bytes(worker.body)


def test_only_reading_is_allowed(host: Host) -> None:
    assert ask(host, "/x/y/", "POST").status_code == 405
    assert ask(host, "/x/y/", "HEAD").status_code == 200


def test_before_the_first_good_build_there_is_a_page_to_wait_on(tmp_path: Path) -> None:
    response = ask(Host(tmp_path / "dist", "/", News("a fault"), lambda: False), "/")
    assert response.status_code == 503
    assert b"There is no site yet" in bytes(response.body)
    assert b"reload.js" in bytes(response.body)


def test_only_a_good_build_makes_a_new_version() -> None:
    news = News()
    first = news.version
    news.tell("lesson.md:1: a fault; mend it")
    assert (news.version, news.faults) == (first, "lesson.md:1: a fault; mend it")
    news.tell("")
    assert news.version != first
    assert news.faults == ""


def test_a_taken_port_is_named_and_the_next_one_used() -> None:
    said = io.StringIO()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with listen(port, Report(Console(file=said))) as other:
            used = other.getsockname()[1]
    assert used > port
    assert said.getvalue() == f"Port {port} is taken; using {used}.\n"


def test_the_last_port_has_no_next_one() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 65535))
        taken.listen()
        with pytest.raises(BuildError, match="--port"):
            listen(65535, Report(Console(file=io.StringIO())))


def test_sources_are_watched_and_packages_are_not() -> None:
    names = [path.relative_to(ROOT).as_posix() for path in watched(Folders.of(ROOT))]
    assert {"lessons", "templates", "py", "static/js", "static/css", "static/package.json"} <= set(names)
    assert "static/node_modules" not in names


# One whole run. Its build.py is a stand-in that copies lessons/page.html, or fails if FAULT is in it. If SLOW
# is, a process that it starts computes without end.

BUILD = """\
import pathlib, subprocess, sys

def build():
    text = pathlib.Path("lessons/page.html").read_text()
    if "SLOW" in text:
        subprocess.run([sys.executable, "-c", "print('at work', flush=True)\\nwhile True: pass"])
    if "FAULT" in text:
        print("lessons/page.html:1: a fault; mend it", file=sys.stderr)
        return 1
    pathlib.Path("dist").mkdir(exist_ok=True)
    pathlib.Path("dist/index.html").write_text(text)
    print("built")
    return 0

from sitebuilder.standby import answer
answer(build)
"""
SERVE = """\
import sys
from pathlib import Path
from sitebuilder.report import Report
from sitebuilder.serve import Serving, serve
from sitebuilder.site import Folders
root = Path.cwd()
sys.exit(serve(Serving(Folders.of(root), root / "dist", "/x/", {port}, False, []), Report()))
"""


def news_of(url: str) -> Iterator[dict[str, str]]:
    """The messages of the event stream, each within half a minute."""
    messages: queue.Queue[dict[str, str]] = queue.Queue()

    def read() -> None:
        with urllib.request.urlopen(url) as stream:
            for line in stream:
                if line.startswith(b"data: "):
                    messages.put(json.loads(line.removeprefix(b"data: ")))

    threading.Thread(target=read, daemon=True).start()
    while True:
        yield messages.get(timeout=30)


def fetch(url: str) -> str:
    with urllib.request.urlopen(url, timeout=30) as answer:
        return str(answer.read().decode())


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], Path, str]]:
    """A running `serve`, the page it builds from, and its address."""
    for folder in ("lessons", "templates", "static", "py"):
        (tmp_path / folder).mkdir()
    page = tmp_path / "lessons" / "page.html"
    page.write_text("<body>one</body>")
    (tmp_path / "build.py").write_text(BUILD)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-c", SERVE.format(port=port)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT / "py"), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = threading.Timer(60, server.kill)  # so that waiting for a line that never comes ends
    deadline.start()
    try:
        url = f"http://localhost:{port}/x/"
        assert server.stdout
        assert server.stdout.readline() == "built\n"
        assert server.stdout.readline() == f"  Serving {url}  (Ctrl-C stops)\n"
        yield server, page, url
    finally:
        deadline.cancel()
        server.kill()
        server.communicate()


def interrupt(server: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Press Ctrl-C; returns the exit code and the rest of what all of its processes say."""
    server.send_signal(signal.SIGINT)
    out, err = server.communicate(timeout=30)
    return server.returncode, out, err


def test_a_change_is_built_and_told_and_so_is_a_fault(
    serving: tuple[subprocess.Popen[str], Path, str],
) -> None:
    server, page, url = serving
    assert "one" in fetch(url)
    news = news_of(f"{url}__lectern/events")
    first = next(news)
    assert first["faults"] == ""

    page.write_text("<body>FAULT</body>")
    told = next(news)
    assert told == {"version": first["version"], "faults": "lessons/page.html:1: a fault; mend it"}
    assert "one" in fetch(url)

    page.write_text("<body>two</body>")
    mended = next(news)
    assert mended["faults"] == ""
    assert mended["version"] != first["version"]
    assert "two" in fetch(url)

    code, out, err = interrupt(server)
    assert (code, err) == (0, "lessons/page.html:1: a fault; mend it\n")
    assert out.endswith("Stopped.\n")


def test_ctrl_c_ends_a_build_too(serving: tuple[subprocess.Popen[str], Path, str]) -> None:
    server, page, _ = serving
    page.write_text("<body>SLOW</body>")
    assert server.stdout
    assert server.stdout.readline() == "↻ lessons/page.html\n"
    assert server.stdout.readline() == "at work\n"
    code, out, err = interrupt(server)
    assert (code, err) == (0, "")
    assert out.endswith("Stopped.\n")


def test_a_build_that_still_runs_older_text_is_ended_with_all_it_has_started(
    serving: tuple[subprocess.Popen[str], Path, str],
) -> None:
    server, page, url = serving
    news = news_of(f"{url}__lectern/events")
    next(news)
    page.write_text("<body>SLOW</body>")
    assert server.stdout
    assert server.stdout.readline() == "↻ lessons/page.html\n"
    assert server.stdout.readline() == "at work\n"
    page.write_text("<body>two</body>")
    assert next(news)["faults"] == ""
    assert "two" in fetch(url)
    _, out, _ = interrupt(server)
    assert out.splitlines()[:3] == [
        "↻ lessons/page.html",
        "  The sources have changed: the build before is ended",
        "built",
    ]
