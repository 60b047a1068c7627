"""What is said of wrong weights: each finding on code with that mistake, and none on code without."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from lectern.attention import softmax, split_heads
from lectern.frame import attention_frame

N, D, H = 6, 32, 4
TOKENS = ["The", "animal", "was", "too", "tired", "."]
CAUSAL = np.triu(np.ones((N, N), dtype=bool), 1)

Array = npt.NDArray[np.float64]


def projections() -> tuple[Array, Array]:
    """Q and K of four heads, (h, seq, d_k), of unit variance."""
    draw = np.random.default_rng(3)
    return split_heads(draw.normal(size=(N, D)), H), split_heads(draw.normal(size=(N, D)), H)


Q, K = projections()
SCORES = Q @ K.swapaxes(-1, -2) / np.sqrt(D // H)  # (h, seq, seq)
MASKED = np.where(CAUSAL, -np.inf, SCORES)


def kinds(weights: Any, **options: Any) -> list[str]:
    return [check["kind"] for check in attention_frame(weights, TOKENS, **options)["checks"]]


@pytest.mark.parametrize(
    ("weights", "mask"),
    [
        (softmax(SCORES), None),
        (softmax(MASKED), None),
        (softmax(MASKED), CAUSAL),
        (softmax(SCORES).astype(np.float16), None),
        (np.stack([np.eye(N), softmax(SCORES)[0]]), None),
        (np.stack([softmax(SCORES[0] - 12 * CAUSAL), softmax(SCORES[1])]), None),  # looks back, unmasked
        (np.full((N, N), 1 / N), None),
    ],
)
def test_right_weights_are_not_blamed(weights: Array, mask: Any) -> None:
    assert kinds(weights, mask=mask) == []


@pytest.mark.parametrize(
    ("weights", "mask", "kind", "words"),
    [
        (softmax(SCORES, axis=-2), None, "axis", "over the queries (axis −2)"),
        (softmax(SCORES, axis=0), None, "axis", "over the heads"),
        (np.exp(SCORES), None, "sum", "Rows do not sum to 1"),
        (np.exp(SCORES) / np.exp(SCORES).sum(), None, "sum", "axis −1"),
        (SCORES, None, "negative", "scores, before softmax"),
        (softmax(SCORES), CAUSAL, "mask", "masked keys. The mask belongs on the scores"),
        (softmax(np.where(~CAUSAL, -1e9, SCORES))[:, :-1], CAUSAL[:-1], "mask", "Is the mask inverted?"),
        (
            np.stack([*softmax(MASKED)[:3], softmax(SCORES)[3]]),
            None,
            "ahead",
            "Head 4 looks above the diagonal",
        ),
        (
            softmax(np.broadcast_to(SCORES[0], SCORES.shape)),
            None,
            "identical",
            "Heads 1, 2, 3 and 4 are identical",
        ),
        (np.full((2, N, N), 1 / N), None, "uniform", "every key gets the same weight"),
        (softmax(SCORES * 60), None, "saturated", "divided by √d_k"),
        (softmax(SCORES) == softmax(SCORES).max(-1, keepdims=True), None, "bool", "Is this the mask?"),
    ],
)
def test_a_mistake_is_named_in_a_sentence(weights: Array, mask: Any, kind: str, words: str) -> None:
    queries = TOKENS[: weights.shape[-2]]
    checks = attention_frame(weights, queries, TOKENS, mask=mask)["checks"]
    (found,) = [check for check in checks if check["kind"] == kind]
    assert words in found["text"]


def test_a_query_whose_keys_are_all_masked_is_named() -> None:
    mask = CAUSAL | (np.arange(N) == 2)[:, None]
    with np.errstate(invalid="ignore"):
        weights = softmax(np.where(mask, -np.inf, SCORES))
    (found,) = attention_frame(weights, TOKENS, mask=mask)["checks"]
    assert found == {
        "kind": "nan",
        "text": "Every key is masked for was: softmax divides 0 by 0 there, which gives NaN (crossed).",
    }


@pytest.mark.parametrize(
    ("broken", "text"), [(1, "1 weight is not a number"), (7, "7 weights are not a number")]
)
def test_numbers_that_are_none_are_counted(broken: int, text: str) -> None:
    weights = softmax(SCORES)[0].copy()
    weights.ravel()[:broken] = np.nan
    (found,) = attention_frame(weights, TOKENS)["checks"]
    assert found["text"].startswith(text)
