"""Checks of exercises: what is a wrong answer, an error or a broken check, and that nothing old can help."""

from __future__ import annotations

import builtins
import math
import random
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.cells import Answer, Page

NUMPY = {"name": "set-up", "source": "import numpy as np\nX = np.arange(24.0).reshape(3, 8)"}

STARTER = "def split(x, h):\n    ..."
RIGHT = "def split(x, h):\n    return x.reshape(len(x), h, -1).swapaxes(0, 1)"
CHECK = """\
got = split(X, 4)
assert got is not None, "Nothing came back. Is there a return?"
assert got.shape == (4, 3, 2), f"Expected (4, 3, 2), got {got.shape}."
assert got[1, 0, 0] == 2, "The columns of a head have to stay together."
"""


@pytest.fixture
def page() -> Iterator[Page]:
    """A page whose cells may do to modules what they like."""
    modules = builtins, np, np.linalg, np.random, math, random, warnings
    kept = [(vars(module), dict(vars(module))) for module in modules]
    filters = list(warnings.filters)
    warnings.simplefilter("ignore")  # pytest has its own
    yield Page()
    for names, true in kept:
        for name in names.keys() - true.keys():
            del names[name]
        names.update(true)
    warnings.filters[:] = filters  # type: ignore[index]


def check(page: Page, source: str, check: str = CHECK, **more: Any) -> Answer:
    exercise = {"before": [NUMPY], "starter": STARTER, **more}
    return page.run(source, cell="split-heads", check=check, **exercise)


def test_a_right_answer_passes_and_shows_what_it_prints(page: Page) -> None:
    answer = check(page, RIGHT + "\nprint('hello')\nsplit(X, 4).shape")
    assert answer.done["ok"]
    assert answer.text() == "hello\n"
    assert answer.values == ["(4, 3, 2)"]


@pytest.mark.parametrize(
    ("source", "message", "met"),
    [
        (STARTER, "Nothing came back. Is there a return?", [0, 3]),
        ("def split(x, h):\n    return x", "Expected (4, 3, 2), got (3, 8).", [1, 3]),
        (
            "def split(x, h):\n    return x.reshape(h, len(x), -1)",
            "The columns of a head have to stay together.",
            [2, 3],
        ),
    ],
)
def test_a_wrong_answer_gets_the_authors_words(page: Page, source: str, message: str, met: list[int]) -> None:
    error = check(page, source).error
    assert error == {
        "kind": "check",
        "message": message,
        "line": None,
        "traceback": "",
        "hint": None,
        "met": met,
    }


def test_an_assertion_without_words_shows_what_it_asks(page: Page) -> None:
    error = check(page, "def f(x):\n    return 3", "assert f(2) == 4")
    assert (error.error["kind"], error.error["message"]) == ("check", "Expected: f(2) == 4")
    assert "met" not in error.error


NOTHING = "def f(x):\n    return None"


@pytest.mark.parametrize(
    ("source", "check_source", "message", "hint"),
    [
        (
            NOTHING,
            "assert f(X).shape == (3, 8), 'Keep the shape.'",
            "Keep the shape.",
            "`f(X).shape` raised AttributeError: 'NoneType' object has no attribute 'shape'.",
        ),
        (
            NOTHING,
            "got = f(X)\nassert got.shape == (3, 8), f'{got.shape} is not (3, 8).'",
            "Expected: got.shape == (3, 8)",
            "`got.shape` raised AttributeError: 'NoneType' object has no attribute 'shape'.",
        ),
        (
            NOTHING,
            "a, b = f(X)\nassert a, 'a'",
            "The check could not go on with what your code gives it.",
            "`a, b` raised TypeError: cannot unpack non-iterable NoneType object.",
        ),
        (
            "def f(x):\n    return 1",
            "for head in f(X):\n    assert head.any(), 'zeros'",
            "The check could not go on with what your code gives it.",
            "` raised TypeError: 'int' object is not iterable.",
        ),
        (
            NOTHING,
            "def near(a, b):\n    return abs(a - b) < 1e-9\n\nassert near(f(1), 2), 'Two.'",
            "The check could not go on with what your code gives it.",
            "`a - b` raised TypeError: unsupported operand type(s) for -: 'NoneType' and 'int'.",
        ),
        (
            "def f(x):\n    return 'text'",
            "assert f(1) == 2, f'{f(1):.2f} is not 2.'",
            "Expected: f(1) == 2",
            "The check's own words for it could not be made: `f'{f(1):.2f} is not 2.'` raised ValueError: ",
        ),
        (
            "sum = 5\ndef f(x):\n    return 2",
            "total = sum([f(1)])\nassert total == 2, 'Two.'",
            "The check could not go on with what your code gives it.",
            "`sum([f(1)])` raised TypeError: 'int' object is not callable.",
        ),
        (
            "def g(x):\n    return 2",
            "assert f(1) == 2, 'Two.'",
            "The check looks for `f`, which your code does not define.",
            "Keep the name that the starter has. Reset brings it back.",
        ),
    ],
)
def test_a_check_that_stumbles_over_the_answer_says_so(
    page: Page, source: str, check_source: str, message: str, hint: str
) -> None:
    error = check(page, source, check_source, starter="def f(x):\n    ...").error
    assert (error["kind"], error["message"]) == ("check", message)
    assert hint in error["hint"]


def test_an_error_inside_the_answer_is_the_students_with_the_call_that_led_to_it(page: Page) -> None:
    error = check(page, "def split(x, h):\n    y = x\n    return y.reshap(h)").error
    assert (error["kind"], error["line"]) == ("AttributeError", 3)
    assert "reshap" in error["message"]
    assert error["hint"].startswith("The check had called `split(X, 4)`.")
    assert "<split-heads>" in error["traceback"]
    assert "check of" not in error["traceback"]


@pytest.mark.parametrize(
    ("source", "kind", "line"),
    [
        ("def split(x, h)\n    return x", "SyntaxError", 1),
        ("x = 1\nx / 0", "ZeroDivisionError", 2),
        ("def split(x, h):\n    assert h == 3, 'mine'", "AssertionError", 2),
        ("def split(x, h):\n    return np.einsum('ij,j', x, x)", "ValueError", 2),
        ("def split(x, h):\n    raise SystemExit", "SystemExit", 2),
        ("def split(x, h):\n    return split(x, h)", "RecursionError", 2),
        ("\ndef split(x):\n    return x", "TypeError", 2),
    ],
)
def test_the_students_own_errors_keep_their_type_and_line(
    page: Page, source: str, kind: str, line: int
) -> None:
    error = check(page, source).error
    assert (error["kind"], error["line"]) == (kind, line)


def test_other_parameters_than_the_starters_are_named_with_the_call(page: Page) -> None:
    error = check(page, "def split(x):\n    return x").error
    assert error["hint"] == "The check calls `split(X, 4)`. Keep the parameters that the starter has."


@pytest.mark.parametrize(
    ("check_source", "message", "line"),
    [
        ("assert spilt(X, 4) is not None, 'a'", "NameError: name 'spilt' is not defined", 1),
        ("assert split(X, 4) is not None, 'a'\n1 / 0", "ZeroDivisionError: division by zero", 2),
        ("def close(a):\n    return a.spelled\n\nassert close(split(X, 4)), 'a'", "AttributeError: ", 2),
        ("x = 1\nassert (", "SyntaxError: ", 2),
        ("import lecturn", "ModuleNotFoundError: No module named 'lecturn'", 1),
        ("\n\nraise ValueError('by design')", "ValueError: by design", 3),
    ],
)
def test_a_broken_check_is_told_apart_from_a_wrong_answer(
    page: Page, check_source: str, message: str, line: int
) -> None:
    error = check(page, RIGHT, check_source).error
    assert (error["kind"], error["line"], error["at"]) == ("BrokenCheck", None, line)
    assert error["message"].startswith(message)


def test_a_cell_that_the_answer_builds_on_and_that_fails_is_named(page: Page) -> None:
    before = [NUMPY, {"name": "heads", "source": "print('unseen')\nh = 4\nh / 0"}]
    answer = check(page, RIGHT, before=before)
    error = answer.error
    assert (error["kind"], error["cell"], error["line"]) == ("ZeroDivisionError", "heads", 3)
    assert answer.text() == ""


def test_cells_before_the_answer_run_unseen(page: Page) -> None:
    before = [NUMPY, {"name": "a", "source": "print('unseen')\nshow_attention(np.eye(2), 'ab')\n1"}]
    answer = check(page, RIGHT, before=before)
    assert [message["type"] for message in answer.messages] == ["done"]


@pytest.mark.parametrize(
    ("source", "passes"), [("pass", False), ("f = f", True), ("def f(x):\n    return 2", True)]
)
def test_what_a_cell_above_defines_is_no_answer(page: Page, source: str, passes: bool) -> None:
    before = [{"name": "given", "source": "def f(x):\n    return 2"}]
    answer = check(page, source, "assert f(1) == 2, 'Two.'", before=before, starter="def f(x):\n    ...")
    assert answer.done["ok"] is passes
    assert passes or answer.error["message"] == "The check looks for `f`, which your code does not define."


# Leftovers

CHEAT = "def cheat(x, h):\n    return x.reshape(len(x), h, -1).swapaxes(0, 1)\n"


@pytest.mark.parametrize(
    ("earlier", "answer"),
    [
        (RIGHT, "pass"),
        (RIGHT, "def spilt(x, h):\n    return x"),
        (CHEAT, "split = cheat"),
        (CHEAT + "import builtins\nbuiltins.cheat = cheat", "split = cheat"),
        (CHEAT + "import builtins\nbuiltins.split = cheat", "pass"),
        (CHEAT + "import sys\nsys.modules['__main__'].cheat = cheat", "from __main__ import cheat as split"),
        (CHEAT + "np.cheat = cheat", "split = np.cheat"),
        (CHEAT + "np.linalg.cheat = cheat", "split = np.linalg.cheat"),
        (CHEAT + "import math\nmath.cheat = cheat", "import math\nsplit = math.cheat"),
        (CHEAT + "np.moveaxis = cheat", "def split(x, h):\n    return np.moveaxis(x, 4, 0)"),
        ("_ = 0\nlambda x, h: x.reshape(len(x), h, -1).swapaxes(0, 1)", "split = _"),
    ],
)
def test_leftovers_of_earlier_runs_do_not_make_a_wrong_answer_pass(
    page: Page, earlier: str, answer: str
) -> None:
    page.run(NUMPY["source"], cell="set-up")
    assert page.run(earlier, cell="split-heads").done["ok"]
    assert not check(page, answer).done["ok"]
    assert check(page, RIGHT).done["ok"]


WRONG = "def f(x):\n    return x + 1"


CAUGHT = "try: {}\nexcept {}: pass\nelse: assert False, 'Not close.'"
TAMPERED = [
    ("np.allclose = lambda *a, **k: True", "assert np.allclose(f(X), X), 'Not close.'"),
    ("np.array_equal = lambda *a: True", "assert np.array_equal(f(X), X), 'Not close.'"),
    ("import math\nmath.isclose = max", "import math\nassert math.isclose(f(1), 1), 'Not close.'"),
    ("import builtins\nbuiltins.abs = min", "assert abs(f(0)) < 0.5, 'Not close.'"),
    ("import builtins\nbuiltins.AssertionError = KeyError", "assert f(1) == 1, 'Not close.'"),
]
"""What a student may do to the tools of a check, and a check that it would fool."""


@pytest.mark.parametrize(
    ("earlier", "check_source"),
    [
        *TAMPERED,
        ("X[:] = np.nan", "assert not (f(X) == X + 1).all(), 'Not close.'"),
        ("np.set_printoptions(precision=0)", "assert str(f(np.array([0.5]))) != '[1.5]', 'Not close.'"),
        ("np.seterr(all='raise')", CAUGHT.format("f(np.ones(1) / 0)", "FloatingPointError")),
        ("import warnings\nwarnings.simplefilter('error')", CAUGHT.format("f(np.ones(1) / 0)", "Warning")),
    ],
)
def test_what_an_earlier_run_did_to_its_tools_does_not_sway_a_check(
    page: Page, earlier: str, check_source: str
) -> None:
    page.run(NUMPY["source"], cell="set-up")
    assert page.run(earlier).done["ok"]
    error = check(page, WRONG, check_source).error
    assert (error["kind"], error["message"]) == ("check", "Not close.")


@pytest.mark.parametrize(("code", "check_source"), TAMPERED)
def test_what_the_answer_does_to_its_tools_does_not_sway_a_check(
    page: Page, code: str, check_source: str
) -> None:
    error = check(page, f"{code}\n{WRONG}", check_source).error
    assert (error["kind"], error["message"]) == ("check", "Not close.")


def test_a_check_leaves_nothing_behind(page: Page) -> None:
    page.run("import numpy as np\nx = np.zeros(3)\nnp.random.seed(3)")
    first = page.run("np.random.get_state()[1][:3].tolist()").values
    loud = "np.x = x = 1\nnp.set_printoptions(precision=1)\nnp.random.seed(9)\nX[:] = 5\nsplit = 2\n"
    assert check(page, loud, "assert np.x == 1, 'gone'\nmine = 1").error["kind"] == "check"
    assert page.run("x").values == ["array([0., 0., 0.])"]
    assert page.run("np.random.get_state()[1][:3].tolist()").values == first
    assert page.run("np.get_printoptions()['precision']").values == ["4"]
    for name in ("split", "mine", "X", "np.x"):
        assert page.run(name).error["kind"] in ("NameError", "AttributeError")


def test_a_student_keeps_what_they_did_to_modules(page: Page) -> None:
    page.run("import numpy as np\nnp.mine = 1\nnp.linalg.norm = len\ndel np.moveaxis")
    assert check(page, RIGHT, "assert np.linalg.norm is not len and np.moveaxis, 'true'").done["ok"]
    assert page.run("np.mine, np.linalg.norm is len, hasattr(np, 'moveaxis')").values == ["(1, True, False)"]


def test_random_numbers_of_a_check_are_not_those_that_an_earlier_run_has_set(page: Page) -> None:
    page.run("import numpy as np, random\nnp.random.seed(0); random.seed(0)")
    fixed = np.random.RandomState(0).rand(), random.Random(0).random()
    source = f"assert (np.random.rand(), random.random()) == {fixed}, 'free'"
    error = check(page, "import random", source).error
    assert (error["kind"], error["message"]) == ("check", "free")
    assert page.run("(float(np.random.rand()), random.random())").values == [repr(tuple(map(float, fixed)))]


@pytest.mark.parametrize(
    "ruin", ["warnings.filters = None", "np.random.seed = None", "del sys.modules['numpy']", "del np.random"]
)
def test_a_check_runs_whatever_became_of_modules(page: Page, ruin: str) -> None:
    page.run(f"import sys, warnings\nimport numpy as np\n{ruin}")
    assert check(page, RIGHT).done["ok"]


def test_two_checks_do_not_share_classes_or_counters(page: Page) -> None:
    source = "class Counter:\n    n = 0\n\ndef f():\n    Counter.n += 1\n    return Counter.n"
    for _ in range(2):
        assert check(page, source, "assert f() == 1, 'once'").done["ok"]


def test_a_check_awaits_pickles_and_finds_its_dataclasses(page: Page) -> None:
    source = """\
import dataclasses, pickle
@dataclasses.dataclass
class P:
    a: "int"
async def f():
    return P(1)
"""
    wanted = "assert pickle.loads(pickle.dumps(await f())) == P(1), 'same'"
    assert check(page, source, wanted).done["ok"]
