"""The attention frame: what `show_attention` sends to the page's heat map, checked with care. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

VERSION = 2
DECIMALS = 6
SCORE_DECIMALS = 4
MAX_TOKENS = 256  # per axis: every label and every cell of a row is an element of the page
MAX_WEIGHTS = 2_000_000  # as JSON some 20 MB

Floats = npt.NDArray[np.float64]


def attention_frame(
    weights: Any,
    tokens: Iterable[object],
    key_tokens: Iterable[object] | None = None,
    *,
    mask: Any = None,
    labels: Iterable[object] | None = None,
    scores: Any = None,
) -> dict[str, Any]:
    """An attention frame, version 2, ready for JSON (static/js/frame.js gives its type).

    `weights` is (n_queries, n_keys), (h, n_queries, n_keys) or (1, h, n_queries, n_keys); `tokens` names the
    queries, `key_tokens` the keys (the same if left out); `mask` is True where attention is blocked; `labels`
    names the heads; `scores`, of the shape of the weights, are Q·Kᵀ/√d_k before the mask, and −∞ in them is
    taken for the mask if none is given. Weights are rounded to 6 decimals, scores to 4; NaN and infinities
    become None, and those of the weights are counted.

    Raises TypeError or ValueError, with what came and what was expected, if these do not fit together.
    """
    w = _three_axes(_numbers(weights, "weights"))  # (h, nq, nk)
    h, nq, nk = w.shape
    queries = _names(tokens, "tokens")
    if len(queries) != nq:
        raise ValueError(
            f"weights has {_count(nq, 'query', 'queries')} (shape {w.shape}), but tokens has {len(queries)}."
        )
    keys = queries if key_tokens is None else _names(key_tokens, "key_tokens")
    if len(keys) != nk and key_tokens is None:
        raise ValueError(
            f"weights has {_count(nq, 'query', 'queries')} and {_count(nk, 'key', 'keys')}. "
            f"Pass key_tokens with {_count(nk, 'string', 'strings')}, so that the keys have names too."
        )
    if len(keys) != nk:
        raise ValueError(
            f"weights has {_count(nk, 'key', 'keys')} (shape {w.shape}), but key_tokens has {len(keys)}."
        )
    names = None if labels is None else _names(labels, "labels")
    if names is not None and len(names) != h:
        raise ValueError(
            f"weights has {_count(h, 'head', 'heads')} (shape {w.shape}), but labels has {len(names)}."
        )

    s = None if scores is None else _scores(scores, w.shape)  # (h, nq, nk)
    if s is not None and mask is None and np.isneginf(s).any():
        mask = np.isneginf(s)
    finite = np.isfinite(w)  # (h, nq, nk)
    whole_rows = finite.all(axis=-1)  # (h, nq)
    errors = np.abs(w[whole_rows].sum(axis=-1) - 1)  # (rows without a gap,)
    return {
        "version": VERSION,
        "h": h,
        "nq": nq,
        "nk": nk,
        "queryTokens": queries,
        "keyTokens": keys,
        "weights": _rounded(w, DECIMALS),
        "scores": None if s is None else _rounded(s, SCORE_DECIMALS),
        "mask": None if mask is None else _mask(mask, h, nq, nk),
        "headLabels": names,
        "checks": {
            "rowSumError": round(float(errors.max()), 9) if errors.size else None,
            "nan": int(w.size - np.count_nonzero(finite)),
        },
    }


def _numbers(values: Any, what: str) -> Floats:
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{what} is ragged: its rows have different lengths, so it is no matrix.") from error
    if array.dtype.kind == "c":
        raise TypeError(f"{what} holds complex numbers ({array.dtype}); attention {what} are real.")
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{what} must hold numbers, but its dtype is {array.dtype}.")
    return array.astype(np.float64)


def _scores(scores: Any, shape: tuple[int, ...]) -> Floats:
    """The scores as (h, nq, nk), the shape of the weights."""
    s = _numbers(scores, "scores")
    if s.shape[-3:] not in (shape, shape[-2:]) or s.size != np.prod(shape):
        raise ValueError(
            f"scores has shape {s.shape}, but the weights have {shape}. Each weight needs its score."
        )
    return s.reshape(shape)


def _three_axes(w: Floats) -> Floats:
    """The same weights as (h, nq, nk)."""
    if w.ndim == 4 and w.shape[0] != 1:
        raise ValueError(
            f"weights has shape {w.shape}, a batch of {w.shape[0]}. Show one example at a time: weights[0]."
        )
    if w.ndim not in (2, 3, 4):
        raise ValueError(
            f"weights has shape {w.shape}; expected (n_queries, n_keys) or (h, n_queries, n_keys), "
            f"which is 2 or 3 axes and not {w.ndim}."
        )
    if not w.size:
        raise ValueError(f"weights has shape {w.shape}: there is nothing in it to show.")
    if max(w.shape[-2:]) > MAX_TOKENS:
        part = ", ".join([*[":"] * (w.ndim - 2), f":{MAX_TOKENS}", f":{MAX_TOKENS}"])
        raise ValueError(
            f"weights has shape {w.shape}; a map shows at most {MAX_TOKENS} queries and {MAX_TOKENS} keys. "
            f"Show a part: weights[{part}], with the tokens that belong to it."
        )
    if w.size > MAX_WEIGHTS:
        raise ValueError(
            f"weights has shape {w.shape}, {w.size:,} numbers; at most {MAX_WEIGHTS:,} can be shown. "
            "Show fewer heads, for example weights[:16]."
        )
    return w.reshape((1, *w.shape)[-3:])


def _names(values: Iterable[object], what: str) -> list[str]:
    if isinstance(values, str):
        raise TypeError(
            f"{what} must be a list of strings, but it is one string. Did you mean {what}.split()?"
        )
    try:
        return [str(value) for value in values]
    except TypeError as error:
        raise TypeError(f"{what} must be a list of strings, not {type(values).__name__}.") from error


def _mask(mask: Any, h: int, nq: int, nk: int) -> list[int]:
    """The mask as row-major 0/1 of (nq, nk): one for all heads."""
    array = np.asarray(mask)
    if array.dtype.kind in "iu" and np.isin(array, (0, 1)).all():
        array = array.astype(bool)
    if array.dtype.kind != "b":
        raise TypeError(
            f"mask must be boolean, True where attention is blocked, but its dtype is {array.dtype}. "
            "For a mask that is added to the scores, pass mask=np.isneginf(mask)."
        )
    try:
        every_head = np.broadcast_to(array.reshape(array.shape[-3:]), (h, nq, nk))  # (h, nq, nk)
    except ValueError:
        raise ValueError(
            f"mask has shape {array.shape}; expected (n_queries, n_keys) = ({nq}, {nk}), as in the weights."
        ) from None
    if (every_head != every_head[0]).any():
        raise ValueError(
            "mask differs from head to head; one mask is drawn for all heads. Show those heads apart."
        )
    return [int(blocked) for blocked in every_head[0].ravel()]


def _rounded(values: Floats, decimals: int) -> list[list[float | None]]:
    """Per head, row by row; None where there is no number."""
    kept = np.round(values, decimals) + 0.0  # (h, nq, nk); + 0.0 turns −0 into 0
    return [_with_gaps(head) for head in kept]


def _with_gaps(head: Floats) -> list[float | None]:
    values: list[float | None] = [*head.ravel().tolist()]
    for index in np.flatnonzero(~np.isfinite(head)):
        values[index] = None
    return values


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
