"""The reference attention equals PyTorch's, and has the properties that the lessons claim."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from lectern.attention import (
    Params,
    combine_heads,
    multi_head_attention,
    scaled_dot_product_attention,
    softmax,
    split_heads,
)

Array = npt.NDArray[Any]

RECORDED = json.loads((Path(__file__).parent / "oracle" / "attention.json").read_text(encoding="utf-8"))
TOLERANCE = {"float32": 1e-6, "float64": 1e-12}
D_MODEL = 8


def array(values: Any, dtype: str) -> Array:
    """Recorded numbers as an array; null is NaN."""
    return np.array(values, dtype=dtype)


def mask_of(case: dict[str, Any]) -> Array | None:
    return None if case["mask"] is None else np.array(case["mask"], dtype=bool)


def recorded_params(dtype: str) -> Params:
    W = {name: array(value, dtype) for name, value in RECORDED["params"][dtype].items()}
    return Params(W_Q=W["W_Q"], W_K=W["W_K"], W_V=W["W_V"], W_O=W["W_O"])


def random_params(seed: int = 0) -> Params:
    W_Q, W_K, W_V, W_O = np.random.default_rng(seed).standard_normal((4, D_MODEL, D_MODEL))
    return Params(W_Q=W_Q, W_K=W_K, W_V=W_V, W_O=W_O)


def tokens(n: int, seed: int = 1) -> Array:
    return np.random.default_rng(seed).standard_normal((n, D_MODEL))


def causal(n: int) -> Array:
    return np.triu(np.ones((n, n), dtype=bool), k=1)


def named(case: dict[str, Any]) -> str:
    by = case.get("by", "F.scaled_dot_product_attention")
    masked = "" if case["mask"] is None else "-masked"
    return f"{by}-{case['dtype']}-h{case.get('h') or len(case['Q'])}{masked}"


def test_the_oracle_is_the_pytorch_that_the_project_pins() -> None:
    pinned = (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    assert f'"torch=={RECORDED["torch"]}"' in pinned


@pytest.mark.parametrize("case", RECORDED["multi_head"], ids=named)
def test_multi_head_attention_equals_pytorch(case: dict[str, Any]) -> None:
    dtype = case["dtype"]
    X_kv = None if case["X_kv"] is None else array(case["X_kv"], dtype)
    output, weights = multi_head_attention(
        array(case["X_q"], dtype), recorded_params(dtype), case["h"], X_kv, mask_of(case)
    )
    assert (output.dtype, weights.dtype) == (dtype, dtype)
    close: dict[str, Any] = {"rtol": 0, "atol": TOLERANCE[dtype], "equal_nan": True}
    np.testing.assert_allclose(weights, array(case["weights"], dtype), **close)
    np.testing.assert_allclose(output, array(case["output"], dtype), **close)


@pytest.mark.parametrize("case", RECORDED["scaled_dot_product"], ids=named)
def test_scaled_dot_product_attention_equals_pytorch(case: dict[str, Any]) -> None:
    dtype = case["dtype"]
    Q, K, V = (array(case[name], dtype) for name in "QKV")
    output, _ = scaled_dot_product_attention(Q, K, V, mask_of(case))
    assert output.dtype == dtype
    np.testing.assert_allclose(output, array(case["output"], dtype), rtol=0, atol=TOLERANCE[dtype])


def test_the_recorded_cases_cover_what_they_should() -> None:
    cases = RECORDED["multi_head"]
    assert {case["h"] for case in cases} >= {1, 2, D_MODEL}
    assert {case["dtype"] for case in cases} == {"float32", "float64"}
    assert any(case["X_kv"] for case in cases), "cross-attention is missing"
    assert any(None in row for case in cases for head in case["weights"] for row in head), (
        "no fully masked row"
    )
    assert {case["given"] for case in RECORDED["scaled_dot_product"]} >= {
        "is_causal",
        "bool, True = takes part",
    }


@pytest.mark.parametrize("h", [1, 2, 4, 8])
def test_rows_sum_to_1(h: int) -> None:
    _, weights = multi_head_attention(tokens(5), random_params(), h)
    np.testing.assert_allclose(weights.sum(axis=-1), np.ones((h, 5)), atol=1e-14)


def test_the_order_of_the_keys_does_not_matter() -> None:
    X_q, X_kv = tokens(3), tokens(6, seed=2)
    order = np.array([4, 0, 5, 2, 1, 3])
    output, weights = multi_head_attention(X_q, random_params(), 2, X_kv)
    output_moved, weights_moved = multi_head_attention(X_q, random_params(), 2, X_kv[order])
    np.testing.assert_allclose(output_moved, output, atol=1e-12)
    np.testing.assert_allclose(weights_moved, weights[:, :, order], atol=1e-12)


def test_permuted_tokens_give_permuted_outputs() -> None:
    X, order = tokens(5), np.array([3, 1, 4, 0, 2])
    output, _ = multi_head_attention(X, random_params(), 4)
    moved, _ = multi_head_attention(X[order], random_params(), 4)
    np.testing.assert_allclose(moved, output[order], atol=1e-12)


@pytest.mark.parametrize("h", [1, 2, 8])
def test_heads_add(h: int) -> None:
    X, params = tokens(5), random_params()
    output, weights = multi_head_attention(X, params, h)
    heads = weights @ split_heads(X @ params["W_V"], h)  # (h, seq, d_v)
    rows = params["W_O"].reshape(h, D_MODEL // h, D_MODEL)  # (h, d_v, d_model)
    np.testing.assert_allclose((heads @ rows).sum(axis=0), output, atol=1e-12)


def test_a_causal_mask_leaves_no_weight_above_the_diagonal() -> None:
    _, weights = multi_head_attention(tokens(6), random_params(), 2, mask=causal(6))
    assert not weights[:, causal(6)].any()
    np.testing.assert_allclose(weights.sum(axis=-1), 1)


def test_a_masked_key_cannot_change_the_output() -> None:
    X, params = tokens(4), random_params()
    before, _ = multi_head_attention(X, params, 2, mask=causal(4))
    X[3] += 100
    after, _ = multi_head_attention(X, params, 2, mask=causal(4))
    np.testing.assert_allclose(after[:3], before[:3], atol=1e-12)


def test_split_and_combine_are_inverse() -> None:
    x = np.arange(24.0).reshape(3, 8)
    assert split_heads(x, 4).shape == (4, 3, 2)
    assert split_heads(x, 4)[1, 2].tolist() == [18.0, 19.0]
    assert (combine_heads(split_heads(x, 4)) == x).all()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_softmax_keeps_the_dtype_and_does_not_overflow(dtype: str) -> None:
    weights = softmax(np.array([[1e4, 0.0], [-1e4, -1e4]], dtype=dtype))
    assert weights.dtype == dtype
    assert weights.tolist() == [[1, 0], [0.5, 0.5]]


def test_softmax_of_a_fully_masked_row_is_nan_and_silent() -> None:
    weights = softmax(np.array([[-np.inf, -np.inf], [0, -np.inf]]))
    assert np.isnan(weights[0]).all()
    assert weights[1].tolist() == [1, 0]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: multi_head_attention(tokens(3), random_params(), 3), ["d_model = 8", "h = 3"]),
        (lambda: split_heads(tokens(3), 0), ["d_model = 8", "h = 0"]),
        (
            lambda: scaled_dot_product_attention(np.ones((3, 4)), np.ones((3, 5)), np.ones((3, 4))),
            ["(3, 4)", "(3, 5)", "d_k"],
        ),
        (
            lambda: scaled_dot_product_attention(np.ones((3, 4)), np.ones((5, 4)), np.ones((3, 4))),
            ["(5, 4)", "(3, 4)", "each key"],
        ),
    ],
)
def test_what_does_not_fit_is_named(call: Any, words: list[str]) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        call()
    assert [word for word in words if word not in str(caught.value)] == []


def test_a_mask_that_is_added_is_refused() -> None:
    with pytest.raises(TypeError, match="True where attention is blocked"):
        scaled_dot_product_attention(np.ones((2, 2)), np.ones((2, 2)), np.ones((2, 2)), np.zeros((2, 2)))
