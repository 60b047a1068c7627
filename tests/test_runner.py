"""The cell runner: what a cell shows and says, where it failed, and that no damage outlives a run."""

from __future__ import annotations

import asyncio
import builtins
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

import pytest

from lectern import bridge
from lectern.streams import MAX_CHARACTERS, MAX_DISPLAYS, MAX_LINES, Outbox
from tests.cells import Message, Page
from tests.project import run


@pytest.fixture
def page() -> Page:
    return Page()


@pytest.mark.parametrize(
    ("source", "values"),
    [
        ("1 + 1", ["2"]),
        ("'text'", ["'text'"]),
        ("x = 3", []),
        ("x = 3\nx", ["3"]),
        ("x = 3; x", ["3"]),
        ("x = 3\nx;", []),
        ("x = 3\nx;  # not shown", []),
        ("x = 3\nx  # a comment with ;", ["3"]),
        ("(1,\n 2)", ["(1, 2)"]),
        ("(\n1\n);", []),
        ("'é;'", ["'é;'"]),
        ("'é';", []),
        ("None", []),
        ("print", ["<built-in function print>"]),
        ("for i in range(3):\n    i", []),
        ("", []),
        ("# only a comment", []),
        ("def f():\n    return 1", []),
        ("[i for i in range(3)]", ["[0, 1, 2]"]),
        ("\ufeff5", ["5"]),
        ("x: int = 5\nx", ["5"]),
    ],
)
def test_the_value_of_the_last_expression_is_shown(page: Page, source: str, values: list[str]) -> None:
    answer = page.run(source)
    assert answer.done["error"] is None
    assert answer.values == values


def test_messages_are_those_of_the_protocol(page: Page) -> None:
    answer = page.run("print('a')\n1")
    *others, done = answer.messages
    assert others == [
        {"type": "stream", "id": 7, "name": "stdout", "text": "a\n"},
        {"type": "display", "id": 7, "mime": "text/plain", "data": "1"},
    ]
    assert done == {"type": "done", "id": 7, "ok": True, "error": None, "ms": done["ms"]}
    assert done["ms"] >= 0


def test_cells_share_their_variables_until_reset(page: Page) -> None:
    page.run("x = 1")
    assert page.run("x", cell="other").values == ["1"]
    page.runner.reset()
    assert page.run("x").error["kind"] == "NameError"


def test_underscore_is_the_last_value_unless_it_is_the_students(page: Page) -> None:
    page.run("40 + 2")
    page.run("None")
    assert page.run("_").values == ["42"]
    page.run("_ = 'mine'")
    page.run("1")
    assert page.run("_").values == ["'mine'"]


def test_a_cell_may_await(page: Page) -> None:
    page.run("import asyncio\nasync def f():\n    await asyncio.sleep(0)\n    return 5\nx = await f()")
    assert page.run("await f() + x").values == ["10"]
    assert page.run("y = [await f() for _ in range(2)]\ny").values == ["[5, 5]"]


def test_stop_iteration_is_an_error_like_any_other(page: Page) -> None:
    error = page.run("numbers = iter([])\nnext(numbers)").error
    assert (error["kind"], error["line"]) == ("StopIteration", 2)
    page.run("class V:\n    def __repr__(self): return next(numbers)")
    assert page.run("V()").error["kind"] == "StopIteration"


def test_context_variables_last_from_cell_to_cell(page: Page) -> None:
    page.run("import numpy as np, asyncio\nnp.seterr(divide='raise')")
    page.run("await asyncio.sleep(0)\nnp.seterr(over='raise')")
    assert page.run("np.ones(1) / 0").error["kind"] == "FloatingPointError"
    assert page.run("np.geterr()['over']").values == ["'raise'"]
    page.runner.reset()
    assert page.run("import numpy as np\nnp.geterr()['over']").values == ["'warn'"]


def test_an_exception_reaches_a_cell_that_awaits(page: Page) -> None:
    page.run("import asyncio\nlong = asyncio.sleep(5)")
    answer = page.run("try:\n    await asyncio.wait_for(long, 0.01)\nexcept TimeoutError:\n    print('late')")
    assert answer.text() == "late\n"


def test_a_cell_without_await_runs_in_one_go(page: Page) -> None:
    messages: list[Message] = []
    coroutine = page.runner.run("cell", "1", emit=messages.append)
    with pytest.raises(StopIteration):
        coroutine.send(None)
    assert messages[-1]["ok"]


def test_main_is_a_module_that_pickle_dataclasses_and_inspect_can_find(page: Page) -> None:
    page.run("from dataclasses import dataclass\nimport inspect, pickle\n@dataclass\nclass P:\n    x: int\n")
    assert page.run("pickle.loads(pickle.dumps(P(3)))").values == ["P(x=3)"]
    page.run("def f():\n    return 1  # here\n")
    assert page.run("print(inspect.getsource(f), end='')").text() == "def f():\n    return 1  # here\n"
    assert page.run("__name__").values == ["'__main__'"]


def test_main_of_the_host_is_put_back(page: Page) -> None:
    main = sys.modules["__main__"]
    page.run("import __main__\n__main__.x = 5\nx")
    assert sys.modules["__main__"] is main


# What is printed


def test_streams_and_displays_keep_their_order(page: Page) -> None:
    source = (
        "import sys\nprint('a')\nprint('b', file=sys.stderr)\nshow_attention([[1.0]], ['t'])\nprint('c')\n'd'"
    )
    kinds = [(m["type"], m.get("name") or m.get("mime")) for m in page.run(source).messages]
    assert kinds == [
        ("stream", "stdout"),
        ("stream", "stderr"),
        ("display", "application/vnd.lectern.attention+json"),
        ("stream", "stdout"),
        ("display", "text/plain"),
        ("done", None),
    ]


def test_an_early_line_leaves_at_once(page: Page) -> None:
    seen: list[Message] = []
    page.runner.namespace["seen"] = lambda: len(seen)
    asyncio.run(page.runner.run("cell", "print('early')\nassert seen() == 1", emit=seen.append))
    assert seen[-1]["ok"]


def test_a_flood_is_batched(page: Page) -> None:
    answer = page.run("for i in range(5_000): print(i)")
    assert answer.text() == "".join(f"{i}\n" for i in range(5_000))
    assert len(answer.messages) < 400


def test_a_flood_without_line_ends_is_batched_though_it_flushes(page: Page) -> None:
    answer = page.run("for i in range(20_000): print('.', end='', flush=True)")
    assert answer.text() == "." * 20_000
    assert len(answer.messages) < 400


@pytest.mark.parametrize(
    "source",
    [
        "for i in range(50_000): print(i)",
        "print('x' * 10_000_000)",
        "print('\\n' * 1_000_000)",
        "while True:\n    print('long ' * 100)\n    n = globals().get('n', 0) + 1\n    if n > 5_000: break",
    ],
    ids=["many lines", "one long line", "empty lines", "long lines"],
)
def test_output_beyond_the_limit_is_cut_with_one_notice(page: Page, source: str) -> None:
    answer = page.run(source)
    assert answer.done["ok"]
    assert answer.text().count("\n") <= MAX_LINES
    assert len(answer.text()) <= MAX_CHARACTERS
    assert answer.text("stderr").strip().startswith("[Output ends here")
    assert answer.text("stderr").count("[Output") == 1


def test_output_of_exactly_the_limit_needs_no_notice(page: Page) -> None:
    assert page.run(f"print('\\n' * {MAX_LINES}, end='')").text("stderr") == ""


def test_figures_beyond_the_limit_are_cut_with_one_notice(page: Page) -> None:
    answer = page.run("for _ in range(200): show_attention([[1.0]], ['t'])")
    assert len(answer.values) == MAX_DISPLAYS
    assert answer.text("stderr").count("[No more figures") == 1


def test_a_held_line_leaves_when_time_has_passed() -> None:
    now = 0.0
    messages: list[Message] = []
    outbox = Outbox(messages.append, 1, clock=lambda: now)
    outbox.write("stdout", "no line end")
    assert messages == []
    now = 0.06
    outbox.write("stdout", " yet")
    assert [m["text"] for m in messages] == ["no line end yet"]


def test_what_is_written_after_the_run_goes_nowhere(page: Page) -> None:
    page.run("import sys\nkept = sys.stdout")
    sys_stdout = sys.stdout
    page.runner.namespace["kept"].write("late")
    assert sys.stdout is sys_stdout
    assert page.run("kept.write('now');").text() == "now"


def test_a_warning_is_printed_each_time_the_cell_runs() -> None:
    # In a process of its own, as pytest keeps warnings from being printed.
    script = (
        "from tests.cells import Page; page = Page(); "
        "print([page.run('import numpy as np\\nnp.ones(2) / 0').text('stderr') for _ in range(2)])"
    )
    expected = "<cell>:2: RuntimeWarning: divide by zero encountered in divide\n  np.ones(2) / 0\n"
    assert run([sys.executable, "-c", script]).strip() == str([expected, expected])


# What a student may do to the interpreter


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


# Where an error was


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("1/0", 1),
        ("\n\n1/0", 3),
        ("a = 1\r\nb = 2\r\n1/0", 3),
        ("a = 1\rb = 2\r1/0", 3),
        ("x = 1\f\n\f1/0", 2),
        ("if True:\n\t1/0", 2),
        ("'''\n\n'''\n1/0", 4),
        ("s = '\u2028\x85\x1c'\n1/0", 2),
        ("def f():\n    1/0\nf()", 2),
        ("x = (1 +\n  2 +\n  1/0)", 3),
        ("await __import__('asyncio').sleep(0)\n1/0", 2),
        ("x = = 1", 1),
        ("x = 1\ny = (2", 2),
        ("return 3", 1),
        ("for x in y", 1),
        ("def f():\n", 1),
        ("a\n  b", 2),
        ("ok = 1\nbad = '\ud800'", 2),
        ("ok = 1\nbad = '\0'", 2),
        ("'unterminated", 1),
    ],
)
def test_the_line_is_the_one_in_the_cell(page: Page, source: str, line: int) -> None:
    error = page.run(source).error
    assert error["line"] == line
    assert "lectern" not in error["traceback"]


def test_an_error_in_a_function_of_another_cell_marks_the_call_and_names_that_cell(page: Page) -> None:
    page.run("\n\ndef divide(x):\n    return x / 0\n", cell="helpers")
    error = page.run("y = 1\ndivide(y)", cell="use").error
    assert error["line"] == 2
    assert 'File "<use>", line 2, in <module>\n    divide(y)' in error["traceback"]
    assert 'File "<helpers>", line 4, in divide\n    return x / 0' in error["traceback"]


def test_a_function_from_before_an_edit_shows_the_lines_it_was_made_from(page: Page) -> None:
    page.run("def f():\n    return 1 / 0", cell="a")
    edited = page.run("# a new first line\nf()", cell="a").error
    assert edited["line"] == 2
    assert 'File "<a>", line 2, in <module>\n    f()' in edited["traceback"]
    assert 'File "<a, earlier version>", line 2, in f\n    return 1 / 0' in edited["traceback"]
    page.run("import inspect")
    assert page.run("inspect.getsource(f)").values == [repr("def f():\n    return 1 / 0\n")]


def test_a_syntax_error_shows_line_and_caret(page: Page) -> None:
    error = page.run("x = 1\nif x = 1:\n    pass").error
    assert error["kind"] == "SyntaxError"
    assert error["traceback"].startswith('  File "<cell>", line 2\n    if x = 1:\n       ^')


def test_a_syntax_error_of_code_that_the_cell_runs_is_at_the_cells_line(page: Page) -> None:
    assert page.run("x = 1\nexec('\\n\\n= 3')").error["line"] == 2


# Packages


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


# Checks


@pytest.mark.parametrize(
    ("source", "check", "kind", "message"),
    [
        ("x = 2", "assert x == 2, 'two'", None, None),
        ("x = 3", "y = 1\nassert x == 2, f'x is {x}, not 2'", "check", "x is 3, not 2"),
        ("1/0", "assert False, 'never reached'", "ZeroDivisionError", "division by zero"),
        (
            "def f(x):\n    return x.shape",
            "assert f(1)",
            "AttributeError",
            "'int' object has no attribute 'shape'",
        ),
        ("x = 2", "assert y", "NameError", "name 'y' is not defined"),
    ],
)
def test_a_check_judges_the_cell(
    page: Page, source: str, check: str, kind: str | None, message: str | None
) -> None:
    error = page.run(source, check=check).done["error"] or {"kind": None, "message": None}
    assert (error["kind"], error["message"]) == (kind, message)


def test_a_check_leaves_no_variables(page: Page) -> None:
    page.run("x = 1", check="y = x\nassert y")
    assert page.run("y").error["kind"] == "NameError"


# The bridge, without a browser


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
