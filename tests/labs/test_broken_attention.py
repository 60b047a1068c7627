"""Lesson 31's encoder with a reader's attention that is broken: a message, or a picture that differs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.labs.real_encoder import encoder, lesson_attention, load, source_of_the_lesson

SENTENCE = "The cat chased the mouse because it was hungry."
Floats = npt.NDArray[Any]


@pytest.fixture(scope="module")
def packed() -> encoder.Encoder:
    return load()


def changed(before: str, after: str) -> Callable[..., Any]:
    """The lesson's function with one mistake in it."""
    source = source_of_the_lesson()
    assert before in source
    names: dict[str, Any] = {}
    exec(source.replace(before, after), names)
    own: Callable[..., Any] = names["multi_head_attention"]
    return own


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (" / np.sqrt(d_k)", ""),
        ("axis=-1", "axis=0"),
        ("    x = x.transpose(1, 0, 2)", "    x = x"),
        ("x = x.reshape(seq, h, d_model // h)", "x = x.reshape(h, seq, d_model // h).transpose(1, 0, 2)"),
    ],
    ids=["not scaled", "softmax over the wrong axis", "heads not put back", "split before the transpose"],
)
def test_a_mistake_that_fits_every_shape_shows_in_the_picture(
    packed: encoder.Encoder, before: str, after: str
) -> None:
    whole, broken = packed(SENTENCE).weights, packed(SENTENCE, changed(before, after)).weights
    assert abs(broken - whole).sum(axis=-1).mean() / 2 > 0.05, "of an average row"


def returns(answer: Callable[[Floats, Floats], Any]) -> Callable[..., Any]:
    """The lesson's function, but for what it makes of its two arrays in the end."""
    own = lesson_attention()["multi_head_attention"]
    return lambda X, params, h: answer(*own(X, params, h))


@pytest.mark.parametrize(
    ("attention", "says"),
    [
        (returns(lambda _out, _weights: None), "layer 1: attention should return two arrays, .* not nothing"),
        (returns(lambda out, _weights: out), "two arrays, output and weights, not one ndarray"),
        (returns(lambda out, weights: (out, weights, 1)), "not one tuple"),
        (returns(lambda out, weights: (weights, out)), r"output should have shape \(12, 384\), not \(12, 12"),
        (returns(lambda out, weights: (out, weights[:4])), r"shape \(12, 12, 12\), not \(4, 12, 12\)"),
        (returns(lambda out, weights: (out * 1j, weights)), "output should be real numbers, not complex"),
        (returns(lambda out, weights: (out, weights.astype(str))), "weights should be real numbers, not <U"),
        (returns(lambda out, weights: (out * np.nan, weights)), "layer 1: there is NaN or ∞"),
        (returns(lambda out, weights: (out * 1e300, weights)), "layer 1: there is NaN or ∞"),
    ],
)
def test_a_mistake_in_what_is_returned_is_told(
    packed: encoder.Encoder, attention: Callable[..., Any], says: str
) -> None:
    with pytest.raises(ValueError, match=says):
        packed(SENTENCE, attention)


def test_lists_of_numbers_are_as_good_as_arrays(packed: encoder.Encoder) -> None:
    found = packed(SENTENCE, returns(lambda out, weights: [out.tolist(), weights.tolist()])).weights
    assert np.allclose(found, packed(SENTENCE).weights, atol=1e-5)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("def own(X, params): return 1", "too many positional arguments"),
        ("def own(X, params, h, mask): return 1", "missing a required argument: 'mask'"),
        ("def own(X, *, params, h): return 1", "too many positional arguments"),
        ("def own(params, X, h): return 1", "its order is (params, X, h)"),
        ("own = 'multi_head_attention'", "is not a callable object"),
    ],
)
def test_what_cannot_be_called_so_is_replaced_and_named(
    packed: encoder.Encoder, capsys: pytest.CaptureFixture[str], source: str, says: str
) -> None:
    names: dict[str, Any] = {}
    exec(source, names)
    found = packed(SENTENCE, names["own"]).weights
    said = capsys.readouterr().out
    assert said.startswith("The encoder calls attention(X, params, h). Yours does not fit: ")
    assert says in said
    assert (found == packed(SENTENCE).weights).all()


def test_more_parameters_with_defaults_are_welcome(
    packed: encoder.Encoder, capsys: pytest.CaptureFixture[str]
) -> None:
    packed(SENTENCE, changed("params, h):", "params, h=4, mask=None):"))
    assert capsys.readouterr().out == ""


def test_an_attention_that_changes_what_it_is_given_spoils_no_later_sentence(packed: encoder.Encoder) -> None:
    own = lesson_attention()["multi_head_attention"]
    before = packed(SENTENCE, own).weights

    def halved(X: Floats, params: Any, h: int) -> Any:
        params["W_Q"] *= 0.5
        return own(X, params, h)

    def replaced(X: Floats, params: Any, h: int) -> Any:
        X *= 2
        params["W_Q"] = params["W_Q"] * 0
        return own(X, params, h)

    def unlocked(X: Floats, params: Any, h: int) -> Any:
        params["W_O"].flags.writeable = params["W_Q"].flags.writeable = True
        return own(X, params, h)

    with pytest.raises(ValueError, match="output array is read-only"):
        packed(SENTENCE, halved)
    with pytest.raises(ValueError, match="cannot set WRITEABLE flag to True"):
        packed(SENTENCE, unlocked)
    assert abs(packed(SENTENCE, replaced).weights - before).max() > 0.5
    assert (packed(SENTENCE, own).weights == before).all()
