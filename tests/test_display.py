"""What is shown of a value, and how `show_attention` sends its frame."""

from __future__ import annotations

import numpy as np
import pytest

import lectern
from lectern.display import ATTENTION_MIME, MAX_CHARACTERS
from lectern.frame import attention_frame
from tests.cells import Page


@pytest.fixture
def page() -> Page:
    page = Page()
    page.run("import numpy as np")
    return page


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("np.array([1e-17, 1 / 3, 1])", "array([0.    , 0.3333, 1.    ])"),
        ("np.arange(3)", "array([0, 1, 2])"),
        ("np.float64(0.5)", "0.5"),
        ("(np.float32(0.25), np.int64(3), np.bool_(True))", "(0.25, 3, True)"),
        ("np.ones((2, 3)).shape", "(2, 3)"),
        ("{'b': 1, 'a': 2}", "{'b': 1, 'a': 2}"),
        ("list(range(5))", "[0, 1, 2, 3, 4]"),
        ("'<img src=x onerror=alert(1)>'", "'<img src=x onerror=alert(1)>'"),
        ("'\\ud800'", "'\\ud800'"),
    ],
)
def test_a_value_is_shown_as_text(page: Page, source: str, text: str) -> None:
    (message, _) = page.run(source).messages
    assert (message["mime"], message["data"]) == ("text/plain", text)


def test_a_students_own_number_format_holds(page: Page) -> None:
    page.run("np.set_printoptions(precision=2)")
    assert page.run("np.array([1 / 3])").values == ["array([0.33])"]
    page.runner.reset()
    page.run("import numpy as np")
    assert page.run("np.array([1 / 3])").values == ["array([0.3333])"]


@pytest.mark.parametrize(
    ("source", "start"),
    [
        ("list(range(10 ** 6))", "[0, 1, 2, 3"),
        ("'a' * 10 ** 8", "'aaaa"),
        ("b'a' * 10 ** 8", "b'aaaa"),
        ("{i: -i for i in range(10 ** 5)}", "{0: 0, 1: -1"),
        ("['a' * 10 ** 6] * 1_000", "['aaaa"),
        ("(('a' * 1_000,) * 1_000,) * 1_000", "(('aaaa"),
        ("{(i, j) for i in range(300) for j in range(300)}", "{("),
        ("class V:\n    def __repr__(self): return 'v' * 10 ** 6\nV()", "vvvv"),
        ("class V:\n    def __repr__(self): return 'v\\n' * 5_000\nV()", "v\nv"),
        ("np.zeros(10 ** 6)", "array([0., 0., 0., ..., 0., 0., 0.])"),
    ],
)
def test_a_huge_value_is_shown_in_part(page: Page, source: str, start: str) -> None:
    answer = page.run(source)
    (text,) = answer.values
    assert text.startswith(start)
    assert len(text) <= MAX_CHARACTERS + 100
    assert answer.done["ms"] < 5_000


def test_how_much_is_missing_is_said(page: Page) -> None:
    page.run("class V:\n    def __repr__(self): return 'v' * 30_000")
    assert page.run("V()").values[0].endswith("v\n… (10,000 more characters)")


def test_a_repr_that_raises_is_an_error_of_the_cell(page: Page) -> None:
    error = page.run("class V:\n    def __repr__(self):\n        return 1 / 0\nV()").error
    assert (error["kind"], error["line"]) == ("ZeroDivisionError", 3)


def test_show_attention_displays_a_frame_and_returns_none(page: Page) -> None:
    answer = page.run("show_attention(np.eye(2), ['x', 'y'])")
    (message, done) = answer.messages
    assert message["mime"] == ATTENTION_MIME
    assert message["data"] == attention_frame(np.eye(2), ["x", "y"])
    assert done["ok"]


def test_large_arrays_travel_beside_the_message(page: Page) -> None:
    answer = page.run("show_attention(np.full((3, 100, 100), 0.01), range(100))")
    (message, _) = answer.messages
    assert message["data"]["weights"] == {"buffer": 0}
    (weights,) = message["buffers"]
    assert (weights.dtype, weights.shape) == (np.float32, (3, 100, 100))


def test_queries_and_keys_travel_instead_of_weights(page: Page) -> None:
    page.run("Q, K = np.ones((2, 3, 4)), np.ones((2, 5, 4))")
    answer = page.run("show_attention(tokens=list('abc'), key_tokens=range(5), queries=Q, keys=K)")
    (message, _) = answer.messages
    assert message["data"]["lazy"] == {
        "queries": {"buffer": 0},
        "keys": {"buffer": 1},
        "dk": 4,
        "scale": 0.5,
    }
    assert [array.shape for array in message["buffers"]] == [(2, 3, 4), (2, 5, 4)]


def test_show_attention_can_be_imported(page: Page) -> None:
    page.run("del show_attention")
    assert len(page.run("from lectern import show_attention\nshow_attention([[1]], ['x'])").values) == 1


def test_show_attention_outside_of_a_cell_checks_and_shows_nothing() -> None:
    assert lectern.show_attention([[1.0]], ["x"]) is None  # type: ignore[func-returns-value]
    with pytest.raises(ValueError, match="tokens has 2"):
        lectern.show_attention([[1.0]], ["x", "y"])


def test_an_error_of_show_attention_is_at_the_students_line(page: Page) -> None:
    error = page.run("x = 1\nshow_attention(np.ones(3), ['x'])").error
    assert error["line"] == 2
    assert error["traceback"].count("File") == 1
