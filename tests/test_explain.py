"""What a student reads about an error: a hint that helps, their own frames only, and never a second error."""

from __future__ import annotations

import pytest

from tests.cells import Page

SETUP = """\
import numpy as np
Q, K = np.ones((4, 8)), np.ones((3, 8))
x = np.arange(12)
params = {"W_Q": np.ones((6, 6))}
weights = np.ones((2, 3, 3))
def nothing(): pass
class Box: W = np.ones((5, 5))
box = Box()
"""


@pytest.fixture(scope="module")
def page() -> Page:
    page = Page()
    assert page.run(SETUP, cell="setup").done["ok"]
    return page


HINTS: list[tuple[str, str, list[str]]] = [
    # source, kind, what the hint must say
    # shapes
    (
        "Q @ K",
        "ValueError",
        ["`Q` has shape (4, 8)", "`K` has shape (3, 8)", "last but one", "8 and 3", "`K.T` would fit"],
    ),
    ("Q @ x", "ValueError", ["`Q` has shape (4, 8)", "`x` has shape (12,)", "vector on the right"]),
    ("np.matmul(Q, K)", "ValueError", ["`Q` has shape (4, 8)", "`K.T` would fit"]),
    ("Q @ params['W_Q']", "ValueError", ["`params['W_Q']` has shape (6, 6)", "8 and 6"]),
    ("Q @ box.W", "ValueError", ["`box.W` has shape (5, 5)"]),
    ("Q.T[:2] @ K.T", "ValueError", ["`Q.T[:2]` has shape (2, 4)", "`K.T` has shape (8, 3)"]),
    ("Q[:, :3] @ K.reshape(2, 12)", "ValueError", ["has shape (4, 3)", "has shape (2, 12)"]),
    ("Q @ np.ones((2, 2))", "ValueError", ["the left has 8 and the right 2"]),
    (
        "def attend(a, b):\n    return a @ b\nattend(Q, K)",
        "ValueError",
        ["`a` has shape (4, 8)", "`b.T` would fit"],
    ),
    ("np.ones((2, 3, 4)) @ np.ones((5, 4, 3))", "ValueError", ["(2, 3, 4) and (5, 4, 3)", "(2,) and (5,)"]),
    ("a = np.ones((2, 4, 8))\na @ a", "ValueError", ["`a.swapaxes(-1, -2)` would fit"]),
    ("Q @ 3", "ValueError", ["single number", "use *"]),
    ("np.dot(Q, K)", "ValueError", ["(4, 8)", "(3, 8)", ".T, would fit"]),
    ("Q + K", "ValueError", ["`Q` has shape (4, 8)", "`K` has shape (3, 8)", "axis −2 has 4 and 3"]),
    ("Q += x", "ValueError", ["`x` has shape (12,)", "axis −1 has 8 and 12"]),
    ("Q - np.ones(3)", "ValueError", ["(4, 8) and (3,)", "axis −1 has 8 and 3"]),
    ("y = Q.copy()\ny[0] = x", "ValueError", ["(8,)", "(12,)"]),
    ("x.reshape(5, 2)", "ValueError", ["5 · 2 = 10", "12"]),
    ("x.reshape(5, -1)", "ValueError", ["12 numbers", "5 at a time"]),
    ("np.concatenate([Q, np.ones((4, 7))])", "ValueError", ["axis 1", "8 and 7", "axis=…"]),
    ("np.stack([Q, K])", "ValueError", ["np.concatenate"]),
    ("np.array([[1, 2], [3]])", "ValueError", ["different lengths"]),
    ("weights.transpose(0, 1)", "ValueError", ["every axis exactly once", "swapaxes"]),
    ("np.einsum('ij,jk->ik', weights, Q)", "ValueError", ["one letter per axis"]),
    ("h, n = weights.shape", "ValueError", ["2 names", "too many values"]),
    # axes and indices
    ("Q[9]", "IndexError", ["Axis 0 has length 4", "0 to 3"]),
    ("Q[0, 8]", "IndexError", ["Axis 1 has length 8", "0 to 7"]),
    ("np.ones((0, 2))[0]", "IndexError", ["empty"]),
    ("Q[0, 0, 0]", "IndexError", ["2 axes", "3 indices"]),
    ("Q.sum(axis=2)", "AxisError", ["axis 0 to 1", "axis −1"]),
    ("[1, 2][2]", "IndexError", ["len(…) − 1"]),
    ("x[1.0]", "IndexError", ["whole number", "//"]),
    ("{'a': 1}['b']", "KeyError", ["list(d)"]),
    # names and modules
    ("wieghts", "NameError", ["Did you mean `weights`?"]),
    ("q", "NameError", ["Did you mean `Q`?"]),
    ("del print", "NameError", ["`print` is Python's own", "no variable of that name to delete"]),
    ("primt(1)", "NameError", ["Did you mean `print`?"]),
    ("scores", "NameError", ["No cell that has run so far defines `scores`"]),
    ("def f():\n    total = 1\n    return totl\nf()", "NameError", ["Did you mean `total`?"]),
    ("del np\nnp.ones(3)", "NameError", ["import numpy as np"]),
    ("math.pi", "NameError", ["import math"]),
    ("def f():\n    Q = Q + 1\nf()", "UnboundLocalError", ["`Q` is assigned in this function"]),
    ("import snowballstemmer_", "ModuleNotFoundError", ["%pip install snowballstemmer_"]),
    ("import sklearn_.x", "ModuleNotFoundError", ["%pip install sklearn_"]),
    # raised by hand: on the machine that records the oracle, `import torch` succeeds
    ("raise ModuleNotFoundError(\"No module named 'torch'\")", "ModuleNotFoundError", ["run in a browser"]),
    ("raise ModuleNotFoundError(\"No module named '_multiprocessing'\")", "ModuleNotFoundError", ["browser"]),
    ("import numpy\nnumpy.softmax", "AttributeError", ["no softmax"]),
    ("Q.tranpose()", "AttributeError", ["`.transpose`"]),
    ("[1, 2].shape", "AttributeError", ["np.array(…)"]),
    # types and values
    ("if Q == Q: pass", "ValueError", [".all()", ".any()"]),
    ("Q(0)", "TypeError", ["square ones"]),
    ("Q.shape(0)", "TypeError", ["square brackets", "x.shape[0]"]),
    ("sum = 3\nsum([1])", "TypeError", ["holds a int", "`del`"]),
    ("x.reshape(12 / 4, 4)", "TypeError", ["//"]),
    ("x /= 2", "UFuncTypeError", ["integers", "astype(float)"]),
    ("nothing() + 1", "TypeError", ["return"]),
    ("nothing().shape", "AttributeError", ["return"]),
    ("len(np.float64(1))", "TypeError", ["single number"]),
    ("v = np.broadcast_to(x, (2, 12))\nv[0] = 1", "ValueError", ["x.copy()"]),
    ("float('one')", "ValueError", ["print(repr(…))"]),
    ("np.linalg.inv(np.zeros((2, 2)))", "LinAlgError", ["no inverse"]),
    ("10 ** 5_000", "ValueError", ["bit_length"]),
    ("def g(a, b): pass\ng(1)", "TypeError", ["def"]),
    ("1 / 0", "ZeroDivisionError", ["divided by 0"]),
    ("def r(): return r()\nr()", "RecursionError", ["without end"]),
    ("np.ones((10 ** 7, 10 ** 7))", "MemoryError", ["8 bytes"]),
    ("raise MemoryError", "MemoryError", ["2 to 4 GB", "a list in a loop"]),
    # as Python 3.14 says of an expression that its parser gives up
    ("raise MemoryError('Parser stack overflowed - Python source too complex')", "MemoryError", ["nested"]),
    ("raise RecursionError('maximum depth exceeded during compilation')", "RecursionError", ["nested"]),
    ("eval('(' * 500)", "SyntaxError", ["at most 200 deep"]),
    ("bytearray(10 ** 30)", "OverflowError", ["2,147,483,647"]),
    ("len(range(10 ** 30))", "OverflowError", ["2,147,483,647"]),
    ("assert Q.shape == 3", "AssertionError", ["`assert` was false"]),
    # syntax
    ("x = (1 + 2\ny = 3", "SyntaxError", ["not closed"]),
    ("def f()\n    pass", "SyntaxError", ["end with a colon"]),
    ("if x = 3: pass", "SyntaxError", ["two == compare"]),
    ("return 3", "SyntaxError", ["inside a def"]),
    ("def f():\n    await g()", "SyntaxError", ["async def"]),
    ("s = 'text", "SyntaxError", ["quotation mark"]),
    ("for i in x:\nprint(i)", "IndentationError", ["indented"]),
    ("x = 1\n  y = 2", "IndentationError", ["Remove the spaces"]),
    ("pip install numpy", "SyntaxError", ["%pip install numpy"]),
    ("np.dot?", "SyntaxError", ["help(np.dot)"]),
]


@pytest.mark.parametrize(("source", "kind", "words"), HINTS, ids=[row[0] for row in HINTS])
def test_the_hint_says_what_helps(source: str, kind: str, words: list[str]) -> None:
    page = Page()
    page.run(SETUP, cell="setup")
    error = page.run(source).error
    hint = error["hint"] or ""
    assert error["kind"] == kind
    assert [word for word in words if word not in hint] == [], f"{error['message']}\n→ {hint}"


@pytest.mark.parametrize(
    "source",
    ["raise ValueError('mine')", "raise TypeError('mine')", "raise Exception", "raise SyntaxError('mine')"],
)
def test_where_there_is_nothing_to_add_there_is_no_hint(page: Page, source: str) -> None:
    assert page.run(source).error["hint"] is None


def test_hints_run_none_of_the_students_code(page: Page) -> None:
    page.run(
        "class Loud:\n    @property\n    def W(self):\n        print('ran')\n        return Q\nloud = Loud()",
        cell="loud",
    )
    answer = page.run("(loud.W + 0) @ K")
    assert answer.text() == "ran\n"
    answer = page.run("loud.W @ K")
    assert answer.text() == "ran\n"
    assert "the left has 8" in answer.error["hint"]


def test_frames_of_libraries_are_one_line(page: Page) -> None:
    traceback = page.run("import json\njson.loads('x')").error["traceback"]
    assert traceback == (
        "Traceback (most recent call last):\n"
        '  File "<cell>", line 2, in <module>\n'
        "    json.loads('x')\n"
        "  … inside json\n"
        "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)\n"
    )
    assert "  … inside numpy\n" in page.run("np.linalg.inv(np.ones(3))").error["traceback"]


@pytest.mark.parametrize(
    ("source", "parts"),
    [
        (
            "try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    raise ValueError('worse') from error",
            ["ZeroDivisionError: division by zero", "direct cause", "ValueError: worse"],
        ),
        (
            "try:\n    1 / 0\nfinally:\n    {}['a']",
            ["ZeroDivisionError", "During handling", "KeyError: 'a'"],
        ),
        (
            "def f(): raise KeyError('b')\n"
            "try: f()\n"
            "except KeyError as e: raise ExceptionGroup('two', [ValueError('a'), e])",
            ["two (2 sub-exceptions)", "ValueError: a", "line 1, in f", "KeyError: 'b'"],
        ),
        ("e = ValueError('x')\ne.add_note('look here')\nraise e", ["ValueError: x\nlook here"]),
    ],
)
def test_chains_groups_and_notes_are_told(page: Page, source: str, parts: list[str]) -> None:
    traceback = page.run(source).error["traceback"]
    assert [part for part in parts if part not in traceback] == []
    assert "lectern" not in traceback
    assert "runner.py" not in traceback


@pytest.mark.parametrize(
    "source",
    ["np.linalg.inv(np.ones(3))", "show_attention([[1.0]], 3)", "show_attention([[1], [1, 2]], 'ab')"],
)
def test_what_happened_inside_a_library_before_is_not_told(page: Page, source: str) -> None:
    traceback = page.run(source).error["traceback"]
    assert "During handling" not in traceback
    assert "direct cause" not in traceback


def test_a_cause_that_was_never_raised_is_told(page: Page) -> None:
    assert "KeyError: 'y'" in page.run("raise ValueError('x') from KeyError('y')").error["traceback"]


def test_endless_recursion_is_short(page: Page) -> None:
    plain = page.run("def r(n):\n    return r(n + 1)\nr(0)").error
    assert plain["line"] == 2
    assert plain["traceback"].count("\n") < 20
    mutual = page.run("def a(): return b()\ndef b(): return c()\ndef c(): return a()\na()").error
    assert "more calls" in mutual["traceback"]
    assert mutual["traceback"].count("\n") < 80


@pytest.mark.parametrize(
    ("source", "kind", "message"),
    [
        ("raise KeyError('a')", "KeyError", "'a'"),
        ("np.ones((10 ** 7, 10 ** 7))", "MemoryError", "Unable to allocate"),
        ("raise MemoryError", "MemoryError", "Python ran out of memory."),
        ("raise KeyboardInterrupt", "KeyboardInterrupt", "The cell was interrupted here."),
        ("class E(Exception):\n    def __str__(self): 1 / 0\nraise E", "E", "could not be shown"),
        ("raise ValueError('x' * 100_000)", "ValueError", "xxx …"),
        ("class _Own(ValueError): pass\nraise _Own('x')", "ValueError", "x"),
        ("class Own(Exception): pass\nraise Own('x')", "Own", "x"),
    ],
)
def test_kind_and_message(page: Page, source: str, kind: str, message: str) -> None:
    error = page.run(source).error
    assert error["kind"] == kind
    assert message in error["message"]
    assert len(error["message"]) < 3_000
    assert len(error["traceback"]) < 30_000
