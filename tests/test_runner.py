"""The cell runner: what a cell shows, which line failed, what lasts from cell to cell."""

from __future__ import annotations

import asyncio
import sys

import pytest

from tests.cells import Message, Page


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


def test_input_asks_the_reader_and_leaves_question_and_answer_in_the_output(page: Page) -> None:
    messages: list[Message] = []
    asked: list[str] = []

    def ask(prompt: str) -> str:
        asked.append(prompt)
        return "Ada"

    source = "import sys\nprint('before')\nname = input('Name? ')\nname, sys.stdin.readline()"
    asyncio.run(page.runner.run("cell", source, emit=messages.append, ask=ask))
    assert asked == ["Name? ", ""]
    said = "".join(each["text"] for each in messages if each["type"] == "stream")
    assert said == "before\nName? Ada\nAda\n"
    assert messages[-2]["data"] == "('Ada', 'Ada\\n')"


def test_where_nobody_can_be_asked_input_says_what_to_do_instead(page: Page) -> None:
    error = page.run("input('Name? ')").error
    assert error["kind"] == "EOFError"
    assert 'name = "Ada"' in error["message"]


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


@pytest.mark.parametrize("source", ["sys.modules.clear()", "sys.modules = {}", "del sys.modules['asyncio']"])
def test_modules_that_a_cell_takes_away_are_put_back(page: Page, source: str) -> None:
    before = dict(sys.modules)
    page.run(f"import sys\n{source}")
    assert {name for name in before if sys.modules.get(name) is not before[name]} <= {"__main__"}
    assert page.run("import asyncio, json\njson.dumps([1])").values == ["'[1]'"]
