"""What is shown of a value, and the attention frame that `show_attention` makes of weights and tokens."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest

import lectern
from lectern.display import ATTENTION_MIME, MAX_CHARACTERS
from lectern.frame import attention_frame
from tests.cells import Page

TOKENS = ["a", "b", "c"]
EYE = np.eye(3)
NAN, INF = float("nan"), float("inf")


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


# Attention frames


def test_a_frame_says_everything_the_map_needs() -> None:
    weights = [[[1, 0], [0.25, 0.75]], [[0.5, 0.5], [0.1, 0.9]]]
    assert attention_frame(weights, ["x", "y"], mask=[[0, 1], [0, 0]], labels=["one", "two"]) == {
        "version": 2,
        "h": 2,
        "nq": 2,
        "nk": 2,
        "queryTokens": ["x", "y"],
        "keyTokens": ["x", "y"],
        "weights": [[1, 0, 0.25, 0.75], [0.5, 0.5, 0.1, 0.9]],
        "scores": None,
        "mask": [0, 1, 0, 0],
        "headLabels": ["one", "two"],
        "checks": {"rowSumError": 0.0, "nan": 0},
    }


@pytest.mark.parametrize(
    ("weights", "h"),
    [
        (EYE, 1),
        (EYE[None], 1),
        (np.stack([EYE, EYE]), 2),
        (np.stack([EYE, EYE])[None], 2),
        (EYE.tolist(), 1),
        ([EYE, EYE], 2),
        (EYE.astype("float16"), 1),
        (EYE.astype("int8"), 1),
        (EYE.astype("uint64"), 1),
        (EYE.astype("longdouble"), 1),
        (EYE.astype(bool), 1),
        (np.asfortranarray(EYE), 1),
        (np.repeat(np.repeat(EYE, 2, 0), 2, 1)[::2, ::2], 1),
        (np.ma.masked_array(EYE), 1),
    ],
)
def test_weights_of_many_kinds_are_taken(weights: Any, h: int) -> None:
    frame = attention_frame(weights, TOKENS)
    assert (frame["h"], frame["nq"], frame["nk"]) == (h, 3, 3)
    assert frame["weights"] == [EYE.ravel().tolist()] * h
    assert {type(value) for head in frame["weights"] for value in head} == {float}


@pytest.mark.parametrize(
    ("weights", "kept", "error", "broken"),
    [
        ([[1 / 3, 2 / 3]], [0.333333, 0.666667], 0.0, 0),
        ([[0.5, 0.6]], [0.5, 0.6], 0.1, 0),
        ([[-0.0, 1]], [0.0, 1.0], 0.0, 0),
        ([[NAN, 0.5]], [None, 0.5], None, 1),
        ([[INF, -INF]], [None, None], None, 2),
        ([[NAN, NAN], [0.25, 0.5]], [None, None, 0.25, 0.5], 0.25, 2),
    ],
)
def test_values_are_rounded_gaps_counted_and_row_sums_checked(
    weights: Any, kept: list[float | None], error: float | None, broken: int
) -> None:
    frame = attention_frame(weights, ["q"] * len(weights), ["k", "l"])
    assert frame["weights"] == [kept]
    assert frame["checks"] == {"rowSumError": error, "nan": broken}
    assert "-0.0" not in json.dumps(frame, allow_nan=False)


@pytest.mark.parametrize(
    "mask",
    [
        np.array([[False, True, True], [False, False, True], [False, False, False]]),
        np.array([[[0, 1, 1], [0, 0, 1], [0, 0, 0]]]),
        np.broadcast_to(np.triu(np.ones((3, 3), dtype=bool), 1), (2, 3, 3)),
        np.triu(np.ones((3, 3), dtype=bool), 1)[None, None],
    ],
)
def test_masks_of_many_shapes_are_one_for_all_heads(mask: Any) -> None:
    frame = attention_frame(np.stack([EYE, EYE]), TOKENS, mask=mask)
    assert frame["mask"] == [0, 1, 1, 0, 0, 1, 0, 0, 0]


def test_a_mask_of_keys_holds_for_every_query() -> None:
    assert attention_frame(EYE, TOKENS, mask=[0, 0, 1])["mask"] == [0, 0, 1] * 3


@pytest.mark.parametrize(
    ("tokens", "names"),
    [
        (["a", "a", "a"], ["a", "a", "a"]),
        (("", " ", "\n"), ["", " ", "\n"]),
        (np.array(["x", "y", "z"]), ["x", "y", "z"]),
        (iter("abc"), ["a", "b", "c"]),
        (range(3), ["0", "1", "2"]),
        (["🦊", "<b>", "\ud83d"], ["🦊", "<b>", "\ud83d"]),
    ],
)
def test_tokens_may_be_any_strings(tokens: Any, names: list[str]) -> None:
    assert attention_frame(EYE, tokens)["queryTokens"] == names


@pytest.mark.parametrize(
    ("arguments", "options", "kind", "words"),
    [
        (
            (np.ones(3), TOKENS),
            {},
            ValueError,
            ["shape (3,)", "(n_queries, n_keys)", "(h, n_queries, n_keys)"],
        ),
        ((1.0, TOKENS), {}, ValueError, ["shape ()", "2 or 3 axes"]),
        ((np.ones((2, 1, 3, 3)), TOKENS), {}, ValueError, ["(2, 1, 3, 3)", "batch of 2", "weights[0]"]),
        ((np.ones((1, 1, 1, 3, 3)), TOKENS), {}, ValueError, ["(1, 1, 1, 3, 3)", "not 5"]),
        ((np.ones((0, 3)), TOKENS), {}, ValueError, ["(0, 3)", "nothing in it"]),
        ((np.ones((3, 0)), TOKENS), {}, ValueError, ["(3, 0)", "nothing in it"]),
        (([[1, 2], [3]], TOKENS), {}, ValueError, ["ragged"]),
        ((EYE * 1j, TOKENS), {}, TypeError, ["complex"]),
        (([["a"]], ["x"]), {}, TypeError, ["must hold numbers", "<U1"]),
        ((None, TOKENS), {}, TypeError, ["must hold numbers", "object"]),
        ((np.ones((257, 3)), TOKENS), {}, ValueError, ["(257, 3)", "256 queries", "weights[:256, :256]"]),
        ((np.ones((1, 3, 9_999)), TOKENS), {}, ValueError, ["256 keys", "weights[:, :256, :256]"]),
        ((np.ones((250, 100, 100)), TOKENS), {}, ValueError, ["2,500,000", "fewer heads"]),
        ((EYE, ["a", "b"]), {}, ValueError, ["3 queries", "tokens has 2"]),
        ((EYE[:1], TOKENS), {}, ValueError, ["1 query", "tokens has 3"]),
        ((EYE[:, :2], TOKENS), {}, ValueError, ["3 queries and 2 keys", "key_tokens with 2 strings"]),
        ((EYE, TOKENS, ["k"]), {}, ValueError, ["3 keys", "key_tokens has 1"]),
        ((EYE, "a b c"), {}, TypeError, ["one string", "tokens.split()"]),
        ((EYE, 3), {}, TypeError, ["tokens must be a list of strings, not int"]),
        ((EYE, None), {}, TypeError, ["tokens must be a list of strings, not NoneType"]),
        ((EYE, TOKENS, "abc"), {}, TypeError, ["key_tokens", "one string"]),
        ((EYE, TOKENS), {"labels": ["a", "b"]}, ValueError, ["1 head", "labels has 2"]),
        ((EYE, TOKENS), {"mask": np.ones((2, 3), dtype=bool)}, ValueError, ["(2, 3)", "(3, 3)"]),
        ((EYE, TOKENS), {"mask": np.zeros((3, 3))}, TypeError, ["boolean", "float64", "np.isneginf"]),
        ((EYE, TOKENS), {"mask": [[2, 0, 0]] * 3}, TypeError, ["boolean"]),
        ((EYE, TOKENS), {"scores": np.ones((3, 2))}, ValueError, ["scores has shape (3, 2)", "(1, 3, 3)"]),
        ((EYE, TOKENS), {"scores": 1j * EYE}, TypeError, ["scores holds complex"]),
        (([EYE, EYE], TOKENS), {"scores": EYE}, ValueError, ["scores has shape (3, 3)", "(2, 3, 3)"]),
        (
            ([EYE, EYE], TOKENS),
            {"mask": np.stack([EYE, 1 - EYE]).astype(bool)},
            ValueError,
            ["differs from head to head"],
        ),
    ],
)
def test_what_does_not_fit_is_named(
    arguments: tuple[Any, ...], options: dict[str, Any], kind: type[Exception], words: list[str]
) -> None:
    with pytest.raises(kind) as caught:
        attention_frame(*arguments, **options)
    assert [word for word in words if word not in str(caught.value)] == []


def test_scores_come_along_in_four_decimals() -> None:
    scores = [[1 / 3, NAN], [-0.0, -2]]
    frame = attention_frame(np.eye(2), ["x", "y"], scores=scores)
    assert frame["scores"] == [[0.3333, None, 0.0, -2.0]]
    assert frame["mask"] is None


def test_minus_infinity_in_the_scores_is_the_mask() -> None:
    frame = attention_frame(np.eye(2), ["x", "y"], scores=[[1, -INF], [2, 3]])
    assert (frame["scores"], frame["mask"]) == ([[1.0, None, 2.0, 3.0]], [0, 1, 0, 0])


def test_the_part_that_the_message_names_can_be_shown() -> None:
    weights, tokens = np.ones((1, 300, 300)) / 300, [str(i) for i in range(300)]
    with pytest.raises(ValueError, match=re.escape("weights[:, :256, :256]")):
        attention_frame(weights, tokens)
    assert attention_frame(weights[:, :256, :256], tokens[:256])["nk"] == 256


def test_show_attention_displays_a_frame_and_returns_none(page: Page) -> None:
    answer = page.run("show_attention(np.eye(2), ['x', 'y'])")
    (message, done) = answer.messages
    assert message["mime"] == ATTENTION_MIME
    assert message["data"] == attention_frame(np.eye(2), ["x", "y"])
    assert done["ok"]


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
