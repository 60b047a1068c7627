"""Links to other sites: which answers mean that a page is gone, and where the fault then stands."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from sitebuilder.errors import LessonErrors
from sitebuilder.external import unreachable
from tests.workbench import Bench, lesson


class Answers(BaseHTTPRequestHandler):
    """Answers with the status in the path: /404, or /405-200 for HEAD and GET; to /never only at the end."""

    closing = threading.Event()

    def do_GET(self) -> None:
        if self.path == "/never":
            self.closing.wait()
            return
        head, _, get = self.path.strip("/").partition("-")
        self.send_response(int(get if get and self.command == "GET" else head))
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_HEAD = do_GET

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def host() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    Answers.closing.set()
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/200", ""),
        ("/204", ""),
        ("/401", ""),
        ("/403", ""),
        ("/429", ""),
        ("/500", ""),
        ("/405-200", ""),
        ("/404-200", ""),
        ("/404", "there is no such page"),
        ("/403-404", "there is no such page"),
        ("/410", "the page was taken away"),
        ("/never", "the host did not answer within 0.5 s"),
    ],
)
def test_only_what_is_gone_is_dead(host: str, path: str, why: str) -> None:
    assert unreachable([host + path], seconds=0.5) == ({host + path: why} if why else {})


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("http://127.0.0.1:9/", "the host refuses the connection"),
        ("https://nowhere.invalid/", "no host has this name"),
        ("http://[::1/", "no answer"),
    ],
)
def test_an_address_without_a_host_is_dead(address: str, why: str) -> None:
    assert unreachable([address], seconds=5)[address].startswith(why)


def test_a_dead_address_is_a_fault_wherever_it_stands_and_only_when_asked(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    body = "See [this](https://dead.example/) and [that](https://example.org/).\n\nAnd <https://dead.example/>.\n"
    bench.write({"01-first/lesson.md": lesson(1, body)})
    bench.build()
    with pytest.raises(LessonErrors) as caught:
        bench.build(check=True, external=True)
    assert [(error.line, error.problem) for error in caught.value.errors] == [
        (8, "the link https://dead.example/ is dead: there is no such page"),
        (10, "the link https://dead.example/ is dead: there is no such page"),
    ]
