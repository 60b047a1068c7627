"""Whatever a student does to the interpreter, the run ends with one answer and the next one starts whole."""

from __future__ import annotations

import builtins
import json
import os
import sys

import pytest

from tests.cells import Page


@pytest.fixture
def page() -> Page:
    return Page()


def interpreter_state() -> tuple[object, ...]:
    own = (
        sys.stdout,
        sys.stderr,
        sys.stdin,
        sys.getrecursionlimit(),
        sys.setrecursionlimit,
        os._exit,
        os.abort,
    )
    return *own, dict(vars(builtins)), sys.modules["__main__"]


@pytest.mark.parametrize(
    "sabotage",
    [
        "import sys; sys.stdout = None",
        "import sys; del sys.stdout, sys.stderr",
        "import sys; sys.stdout.close()",
        "print = 3; del print",
        "import builtins; builtins.print = None",
        "import builtins; del builtins.print, builtins.len, builtins.isinstance, builtins.Exception",
        "import builtins; builtins.__dict__.clear()",
        "import builtins; builtins.__import__ = None",
        "del __builtins__",
        "del show_attention, __name__",
        "globals().clear()",
        "import sys; sys.modules.pop('__main__')",
        "import sys; sys.setrecursionlimit(60)",
        "import sys; sys.setrecursionlimit(10 ** 6)\ndef f(): f()\nf()",
        "import os; os._exit(3)",
        "import os; os.abort()",
        "import contextlib, io; c = contextlib.redirect_stdout(io.StringIO()); c.__enter__()",
        "raise SystemExit",
        "exit(3)",
        "raise KeyboardInterrupt",
        "raise GeneratorExit",
        "raise StopIteration",
        "await __import__('asyncio').sleep(0); raise SystemExit",
        "await __import__('asyncio').sleep(0); raise KeyboardInterrupt",
        "import builtins; builtins.__dict__.clear(); 1/0",
        "import asyncio; raise asyncio.CancelledError",
        "def f(): f()\nf()",
        "import linecache; linecache.clearcache(); 1/0",
        "class E(Exception):\n    def __str__(self): raise SystemExit\nraise E",
        "class E(BaseException):\n    __module__ = property(lambda s: 1/0)\nraise E",
        "class V:\n    def __repr__(self): raise KeyboardInterrupt\nV()",
        "class V:\n    def __repr__(self): return 3\nV()",
        "e = ValueError(); e.__cause__ = e; raise e",
    ],
)
def test_nothing_a_student_does_harms_the_next_run(page: Page, sabotage: str) -> None:
    before = interpreter_state()
    answer = page.run(sabotage)
    assert [m["type"] for m in answer.messages].count("done") == 1
    assert answer.done["type"] == "done"
    json.dumps(answer.messages, allow_nan=False)
    assert interpreter_state() == before
    after = page.run("print(len(str(12)))\nimport sys\nsys.stdout is not None")
    assert (after.text(), after.values, after.done["error"]) == ("2\n", ["True"], None)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("input('name? ')", "Assign the value in the code instead"),
        ("import sys; sys.stdin.readline()", "Assign the value in the code instead"),
        ("for line in __import__('sys').stdin: pass", "Assign the value in the code instead"),
        ("breakpoint()", "Print values instead"),
    ],
)
def test_a_cell_cannot_ask(page: Page, source: str, words: str) -> None:
    error = page.run(source).error
    assert error["line"] == 1
    assert words in error["message"]


def test_exit_ends_the_cell_with_a_sentence(page: Page) -> None:
    error = page.run("x = 1\nexit()\nx = 2").error
    assert (error["kind"], error["line"]) == ("SystemExit", 2)
    assert "ended this cell" in error["message"]
    assert page.run("x").values == ["1"]
