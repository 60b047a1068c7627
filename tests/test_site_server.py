"""The tests' own host: what a plain static host does, and each fault that it can play."""

from __future__ import annotations

import gzip
import http.client
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.site_server import SiteServer


@pytest.fixture
def server(tmp_path: Path) -> Iterator[SiteServer]:
    root = tmp_path / "site"
    (root / "lesson").mkdir(parents=True)
    (root / "index.html").write_text("front page")
    (root / "lesson/index.html").write_text("a lesson")
    (root / "code.mjs").write_text("export {}")
    (root / "code.wasm").write_bytes(b"\0asm" * 100)
    (root / "data.whl").write_bytes(b"PK" * 50)
    (tmp_path / "secret.txt").write_text("not part of the site")
    site = SiteServer(root)
    yield site
    site.close()


def fetch(url: str, timeout: float = 10) -> tuple[int, str, bytes]:
    try:
        with urllib.request.urlopen(url, timeout=timeout) as answer:
            return answer.status, answer.headers["Content-Type"], answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers.get("Content-Type", ""), error.read()


@pytest.mark.parametrize(
    ("path", "status", "type_"),
    [
        ("", 200, "text/html; charset=utf-8"),
        ("lesson/", 200, "text/html; charset=utf-8"),
        ("lesson", 200, "text/html; charset=utf-8"),
        ("code.mjs", 200, "text/javascript; charset=utf-8"),
        ("code.wasm", 200, "application/wasm"),
        ("data.whl?fresh", 200, "application/octet-stream"),
        ("nothing.html", 404, "text/html; charset=utf-8"),
        ("../../secret.txt", 404, "text/html; charset=utf-8"),
        ("%2e%2e/secret.txt", 404, "text/html; charset=utf-8"),
    ],
)
def test_it_answers_like_a_static_host(server: SiteServer, path: str, status: int, type_: str) -> None:
    assert fetch(server.url + path)[:2] == (status, type_)


def test_nothing_lives_outside_the_sub_path(server: SiteServer) -> None:
    assert fetch(server.origin + "/")[0] == 404
    assert fetch(server.origin + "/index.html")[0] == 404


def test_the_log_counts_bytes_as_sent(server: SiteServer) -> None:
    body = fetch(server.url + "code.wasm")[2]
    assert gzip.decompress(body) == b"\0asm" * 100
    assert [(request.path, request.sent) for request in server.requests] == [("code.wasm", len(body))]


def test_a_missing_or_corrupt_file_comes_back_when_the_fault_ends(server: SiteServer) -> None:
    url = server.url + "data.whl"
    with server.fault("data.*", "missing"):
        assert fetch(url)[0] == 404
    with server.fault("data.*", "corrupt"):
        damaged = fetch(url)[2]
    assert (len(damaged), damaged == b"PK" * 50) == (100, False)
    assert fetch(url)[2] == b"PK" * 50


def body_of(server: SiteServer, path: str, timeout: float = 10) -> bytes:
    with closing(http.client.HTTPConnection(server.origin.removeprefix("http://"), timeout=timeout)) as line:
        line.request("GET", server.prefix + path)
        with closing(line.getresponse()) as answer:
            return answer.read()


def test_a_file_is_shortened_or_breaks_off(server: SiteServer) -> None:
    with server.fault("data.*", "short"):
        assert body_of(server, "data.whl") == b"PK" * 25
    with server.fault("data.*", "cut"), pytest.raises(http.client.IncompleteRead):
        body_of(server, "data.whl")
    with server.fault("data.*", "stall"), pytest.raises(TimeoutError):
        body_of(server, "data.whl", timeout=0.2)
    with server.fault("data.*", "gone"), pytest.raises(http.client.RemoteDisconnected):
        body_of(server, "data.whl")


def test_what_has_not_changed_is_not_sent_again(server: SiteServer) -> None:
    with urllib.request.urlopen(server.url + "data.whl") as answer:
        tag = answer.headers["ETag"]
    again = urllib.request.Request(server.url + "data.whl", headers={"If-None-Match": tag})
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(again)
    with caught.value as error:
        assert (error.code, server.requests[-1].sent) == (304, 0)


def test_a_hanging_file_never_answers(server: SiteServer) -> None:
    with server.fault("data.whl", "hang"), pytest.raises(TimeoutError):
        fetch(server.url + "data.whl", timeout=0.2)
    assert server.requests == []
