"""Packages by `%pip install`, and the bridge as the worker calls it, here without a browser."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

from lectern import bridge
from tests.cells import Page


@pytest.fixture
def page() -> Page:
    return Page()


def test_pip_install_awaits_the_installer(page: Page) -> None:
    asked: list[Sequence[str]] = []

    async def install(names: Sequence[str]) -> None:
        await asyncio.sleep(0)
        asked.append(names)

    page = Page(install=install)
    answer = page.run("%pip install -q a 'b>=1.2' c==3  # why\nx = '''\n%pip install not-this\n'''\n1/0")
    assert asked == [["a", "b>=1.2", "c==3"]]
    assert answer.error["line"] == 5
    assert "%pip install not-this" in page.run("x").values[0]
    assert page.run("[n for n in globals() if 'install' in n]").values == ["[]"]


def test_percent_and_exclamation_mark_in_python_stay_python(page: Page) -> None:
    assert page.run("x = (7\n%4)\nx").values == ["3"]
    assert page.run("f'''\n!s\n%pip install x\n'''").done["ok"]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("x = 1\n%timeit x", "%timeit belongs to IPython"),
        ("x = 1\n%matplotlib inline", "%matplotlib belongs to IPython"),
        ("x = 1\n!ls -l", "!ls is a command for a shell"),
        ("x = 1\n!pip install a", "%pip install name"),
        ("x = 1\n%pip list", "%pip install name"),
        ("x = 1\n%pip install", "needs the name of a package"),
        ("x = 1\n%pip install -r all.txt", "the option -r is not supported"),
        ("x = 1\n%pip install 'a", "quotation mark"),
    ],
)
def test_other_commands_are_refused_with_a_sentence(page: Page, source: str, words: str) -> None:
    error = page.run(source).error
    assert (error["kind"], error["line"]) == ("SyntaxError", 2)
    assert words in error["message"]


def test_the_loader_learns_what_a_cell_imports() -> None:
    asked: list[frozenset[str]] = []

    async def load(modules: frozenset[str]) -> None:
        asked.append(modules)

    page = Page(load=load)
    page.run("import json, os.path")
    page.run("def f():\n    from math import pi\nx = 1")
    page.run("x")
    assert asked == [{"json", "os"}, {"math"}]


def ask(request: object) -> list[dict[str, Any]]:
    sent: list[str] = []
    asyncio.run(bridge.run(request if isinstance(request, str) else json.dumps(request), sent.append))
    return [json.loads(text) for text in sent]


def test_the_bridge_speaks_json() -> None:
    bridge.reset()
    run = {"type": "run", "id": 3, "cell": "a", "source": "print('é\\ud83d')\nfloat('nan')", "check": None}
    stream, display, done = ask(run)
    assert stream == {"type": "stream", "id": 3, "name": "stdout", "text": "é\ud83d\n"}
    assert display["data"] == "nan"
    assert (done["type"], done["id"], done["ok"]) == ("done", 3, True)


@pytest.mark.parametrize(
    "request_text", ["", "{}", "[]", '{"id": 4}', "null", '{"id": 4, "cell": 1, "source": 2}']
)
def test_the_bridge_answers_even_nonsense_with_one_done(request_text: str) -> None:
    (done,) = ask(request_text)
    assert (done["type"], done["ok"]) == ("done", False)


def test_the_bridge_never_raises_even_if_nobody_listens() -> None:
    def deaf(_: str) -> None:
        raise OSError("gone")

    asyncio.run(bridge.run(json.dumps({"id": 1, "cell": "a", "source": "print(1)"}), deaf))
    assert ask({"id": 2, "cell": "a", "source": "1"})[-1]["ok"]


async def _refused() -> None:
    raise OSError("404")


async def _silent() -> None:
    await asyncio.Event().wait()


@pytest.mark.parametrize("loading", [_refused, _silent])
def test_a_package_that_does_not_arrive_is_named_with_what_to_do(
    loading: Callable[[], Awaitable[None]],
) -> None:
    with pytest.raises(ConnectionError, match=r"micropip did not arrive.*Check the connection"):
        asyncio.run(bridge.arrived(loading(), "micropip", patience=0.01))
