"""The attention frame: what `show_attention` makes of weights, or of queries and keys; or says of them."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from lectern.frame import attention_frame, packed

TOKENS = ["a", "b", "c"]
EYE = np.eye(3)
NAN, INF = float("nan"), float("inf")


class Graph:
    """Something like a tensor that does not leave its device."""

    def detach(self) -> Graph:
        return self

    def cpu(self) -> Any:
        raise RuntimeError("no CPU here")


class Tensor(Graph):
    """Something like a tensor that needs a gradient, and says so to NumPy until it is detached."""

    def __init__(self, values: Any) -> None:
        self.values = values

    @property
    def ndim(self) -> int:
        return int(self.values.ndim)

    def cpu(self) -> Any:
        return self.values

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad")


def test_a_frame_says_everything_the_map_needs() -> None:
    weights = [[[1, 0], [0.25, 0.75]], [[1, 0], [0.1, 0.9]]]
    assert attention_frame(weights, ["x", "y"], mask=[[0, 1], [0, 0]], labels=["one", "two"]) == {
        "version": 2,
        "h": 2,
        "nq": 2,
        "nk": 2,
        "queryTokens": ["x", "y"],
        "keyTokens": ["x", "y"],
        "weights": [[1, 0, 0.25, 0.75], [1, 0, 0.1, 0.9]],
        "scores": None,
        "mask": [0, 1, 0, 0],
        "headLabels": ["one", "two"],
        "checks": [],
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
    ("weights", "kept"),
    [
        ([[1 / 3, 2 / 3]], [0.333333, 0.666667]),
        ([[-0.0, 1]], [0.0, 1.0]),
        ([[NAN, 0.5]], [None, 0.5]),
        ([[INF, -INF]], [None, None]),
        ([[NAN, NAN], [0.25, 0.5]], [None, None, 0.25, 0.5]),
    ],
)
def test_values_are_rounded_and_gaps_are_none(weights: Any, kept: list[float | None]) -> None:
    frame = attention_frame(weights, ["q"] * len(weights), ["k", "l"])
    assert frame["weights"] == [kept]
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
        ((None, TOKENS), {}, TypeError, ["weights is None", "return it?"]),
        ((EYE, TOKENS), {"scores": np.tanh}, TypeError, ["scores must hold numbers", "object"]),
        ((EYE, itertools.repeat("x")), {}, ValueError, ["3 queries", "tokens has 100000"]),
        (
            (),
            {"queries": EYE, "keys": EYE, "tokens": TOKENS, "scale": NAN},
            ValueError,
            ["scale is nan", "finite"],
        ),
        ((), {"queries": EYE, "keys": EYE, "tokens": TOKENS, "scale": -INF}, ValueError, ["scale is -inf"]),
        (
            (),
            {"queries": EYE, "keys": EYE, "tokens": TOKENS, "scale": [1, 2]},
            ValueError,
            ["scale is [1, 2]"],
        ),
        (
            (),
            {"queries": EYE, "keys": EYE, "tokens": TOKENS, "scale": "1"},
            TypeError,
            ["scale must hold numbers"],
        ),
        (
            (np.broadcast_to(0.5, (96, 1024, 1024)), TOKENS),
            {},
            ValueError,
            ["100,663,296", "queries= and keys="],
        ),
        (
            ([np.ones((2, 3, 3)), np.ones((2, 4, 4))], TOKENS),
            {},
            ValueError,
            ["layers of (2, 3, 3)", "(2, 4, 4)"],
        ),
        (([np.ones((2, 3, 3, 3))], TOKENS), {}, ValueError, ["weights[0]", "batch of 2"]),
        (([[[1, 2], [3]]], TOKENS), {}, ValueError, ["ragged"]),
        ((np.array([[1, [2]]], dtype=object), TOKENS), {}, TypeError, ["must hold numbers", "object"]),
        ((np.ones((3, 3, 2)), TOKENS), {}, ValueError, ["3 queries and 2 keys"]),
        ((np.ones((2, 3, 4)), list("abcd")), {}, ValueError, ["3 queries", "Which axis are the queries?"]),
        (([[1, None], [0, 1]], TOKENS), {}, TypeError, ["must hold numbers", "with NoneType in it"]),
        (([[10**30]], TOKENS), {}, TypeError, ["must hold numbers", "np.array(weights, dtype=float)"]),
        (
            (EYE.astype(object), TOKENS),
            {},
            TypeError,
            ["must hold numbers", "np.array(weights, dtype=float)"],
        ),
        (((row for row in EYE), TOKENS), {}, TypeError, ["must hold numbers", "with generator in it"]),
        ((EYE, TOKENS), {"mask": [[True], [True, False]]}, ValueError, ["mask is ragged"]),
        ((EYE, TOKENS), {"mask": Graph()}, TypeError, ["mask cannot be read as an array"]),
        ((np.array("2026-01-01", dtype="datetime64[D]"), TOKENS), {}, TypeError, ["datetime64"]),
        (({"a": 1}, TOKENS), {}, TypeError, ["must hold numbers"]),
        ((object(), TOKENS), {}, TypeError, ["must hold numbers", "object"]),
        ((Graph(), TOKENS), {}, TypeError, ["cannot be read as an array", "no CPU here"]),
        ((EYE, b"abc"), {}, TypeError, ["one string"]),
        ((EYE, TOKENS), {"mask": "triangle"}, ValueError, ["'triangle'", '"causal"']),
        ((EYE, TOKENS), {"mask": 3.5}, TypeError, ["boolean", "float64"]),
        ((EYE, TOKENS), {"labels": "one"}, TypeError, ["labels", "one string"]),
        ((EYE, TOKENS), {"queries": EYE, "keys": EYE}, ValueError, ["either weights or queries and keys"]),
        ((), {"tokens": TOKENS, "queries": EYE}, ValueError, ["keys is missing"]),
        (
            (),
            {"tokens": TOKENS, "queries": np.ones((3, 4)), "keys": np.ones((3, 5))},
            ValueError,
            ["(1, 3, 4)", "(1, 3, 5)", "d_k"],
        ),
        (
            (),
            {"tokens": TOKENS, "queries": np.ones((2, 3, 4)), "keys": np.ones((3, 4))},
            ValueError,
            ["same h"],
        ),
        (
            (),
            {"tokens": TOKENS[:2], "queries": EYE, "keys": EYE},
            ValueError,
            ["queries and keys has 3 queries"],
        ),
        (
            (),
            {"tokens": TOKENS, "queries": np.ones((3, 0)), "keys": np.ones((3, 0))},
            ValueError,
            ["nothing in it"],
        ),
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


@pytest.mark.parametrize("last", [(1, 3, 3), (1, 1, 3, 3)])
def test_a_list_of_layers_is_one_map_whose_heads_name_their_layer(last: tuple[int, ...]) -> None:
    layers = (np.broadcast_to(EYE, (2, 3, 3)), np.broadcast_to(EYE, last))
    frame = attention_frame(layers, TOKENS)
    assert (frame["h"], frame["headLabels"]) == (
        3,
        ["layer 1, head 1", "layer 1, head 2", "layer 2, head 1"],
    )


def test_the_attentions_of_transformers_are_layers() -> None:
    layers = tuple(Tensor(np.broadcast_to(EYE, (1, 2, 3, 3))) for _ in range(2))
    assert attention_frame(layers, TOKENS)["h"] == 4


def test_a_tensor_is_detached_first() -> None:
    assert attention_frame(Tensor(EYE), TOKENS)["weights"] == [EYE.ravel().tolist()]


def test_what_a_masked_array_hides_is_the_mask() -> None:
    weights = np.ma.masked_array(EYE, mask=np.triu(np.ones((3, 3), bool), 1))
    assert attention_frame(weights, TOKENS)["mask"] == [0, 1, 1, 0, 0, 1, 0, 0, 0]


def test_a_causal_mask_has_a_name() -> None:
    assert attention_frame(EYE, TOKENS, mask="causal")["mask"] == [0, 1, 1, 0, 0, 1, 0, 0, 0]


def test_the_last_query_of_a_causal_mask_sees_all_keys() -> None:
    assert attention_frame(np.ones((1, 3)), ["z"], TOKENS, mask="causal")["mask"] == [0, 0, 0]


def test_many_numbers_stay_arrays_of_float32() -> None:
    weights = np.full((2, 50, 100), 0.01, dtype=np.float64)[:, ::-1]  # 10,000 numbers, and a mask of half
    mask = np.zeros((50, 100), dtype=bool)
    frame = attention_frame(weights, range(50), range(100), mask=mask)
    text, buffers = packed(frame)
    assert text["weights"] == {"buffer": 0}
    assert text["mask"] == [0] * 5_000
    assert json.loads(json.dumps(text, allow_nan=False))["checks"] == [
        {
            "kind": "uniform",
            "text": "Several heads are uniform: every key gets the same weight. Are the scores all equal?",
        }
    ]
    (array,) = buffers
    assert (array.dtype.name, array.shape, array.flags.c_contiguous) == ("float32", (2, 50, 100), True)


def test_ninety_six_heads_of_a_thousand_tokens_take_queries_and_keys_only() -> None:
    q = np.zeros((96, 1024, 8), dtype=np.float32)
    frame, buffers = packed(attention_frame(tokens=range(1024), queries=q, keys=q, mask="causal"))
    assert (frame["weights"], frame["mask"], frame["lazy"]["scale"]) == (None, "causal", 8**-0.5)
    assert [b.nbytes for b in buffers] == [96 * 1024 * 8 * 4] * 2


@pytest.mark.parametrize(("scale", "kinds"), [(None, []), (0.5, []), (1.0, ["scale"])])
def test_a_scale_that_is_not_one_over_root_d_k_is_said(scale: float | None, kinds: list[str]) -> None:
    frame = attention_frame(tokens=["x"], queries=np.ones((1, 4)), keys=np.ones((1, 4)), scale=scale)
    assert [check["kind"] for check in frame["checks"]] == kinds


def test_a_frame_does_not_load_masked_arrays() -> None:
    """In the page they lie in an archive of 0.4 MB, which the first import of numpy.ma fetches."""
    code = "import sys, numpy; from lectern.frame import attention_frame; "
    code += "attention_frame(numpy.eye(3), list('abc')); sys.exit('numpy.ma' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
