"""The attention frame: what `show_attention` sends to the page's heat map, checked with care. Pure.

Version 2, as JSON (static/js/frame.js gives its type). Arrays of up to 6,000 numbers stand in it as lists
per head; larger ones are float32 arrays, which `packed` takes out so that they travel as bytes. A *lazy*
frame has Q and K instead of weights: the page computes softmax(Q·Kᵀ·scale + mask) where someone looks.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from lectern.arrays import Mask, Numbers, causal, factor_of, heads_of, mask_of, names, numbers
from lectern.checks import Finding, findings, scale_finding

VERSION = 2
DECIMALS = 6
SCORE_DECIMALS = 4
MOST_AS_TEXT = 6_000  # numbers of one array: what the builder would put into a page (its heatmap.py)

Frame = dict[str, Any]


def attention_frame(
    weights: Any = None,
    tokens: Iterable[object] | None = None,
    key_tokens: Iterable[object] | None = None,
    *,
    queries: Any = None,
    keys: Any = None,
    scale: float | None = None,
    mask: Any = None,
    labels: Iterable[object] | None = None,
    scores: Any = None,
) -> Frame:
    """The attention frame of weights, or of queries and keys; the parameters are those of `show_attention`.

    As lists, weights are rounded to 6 decimals and scores to 4, and NaN and infinities become None.
    −∞ in the scores, and what is hidden in a masked array, is taken for the mask if none is given.

    Raises TypeError or ValueError, with what came and what was expected, if these do not fit together.
    """
    if queries is not None or keys is not None:
        if weights is not None or scores is not None:
            raise ValueError("Pass either weights or queries and keys: the weights are computed from those.")
        return _lazy_frame(queries, keys, scale, tokens, key_tokens, mask, labels)
    w, layers = heads_of(weights, "weights", ("n_queries", "n_keys"))  # (h, nq, nk)
    frame = _frame(w.shape, tokens, key_tokens, labels, layers, "weights")
    hidden = _hidden(weights)
    s = None if scores is None else _scores(scores, w.shape)  # (h, nq, nk)
    if mask is None and hidden is not None and hidden.any():
        mask = hidden
    if mask is None and s is not None and np.isneginf(s).any():
        mask = np.isneginf(s)
    blocked = None if mask is None else mask_of(mask, *w.shape)
    if isinstance(blocked, str):
        blocked = causal(*w.shape[-2:])
    notes = findings(w, frame["queryTokens"], blocked)
    if getattr(weights, "dtype", None) == np.bool_:
        notes.append(Finding("bool", "The weights are True and False. Is this the mask?"))
    frame |= {
        "weights": _values(w, DECIMALS),
        "scores": None if s is None else _values(s, SCORE_DECIMALS),
        "mask": _mask_values(blocked),
        "checks": _told(notes),
    }
    return frame


def _hidden(weights: Any) -> npt.NDArray[np.bool_] | None:
    """What a masked array hides, else None. Who has none must not pay for numpy.ma: 0.4 MB in a page."""
    ma = sys.modules.get("numpy.ma")
    return ma.getmaskarray(weights) if ma and isinstance(weights, ma.MaskedArray) else None


def packed(frame: Frame) -> tuple[Frame, list[npt.NDArray[Any]]]:
    """The frame with `{"buffer": i}` in the place of each array, and the arrays."""
    arrays: list[npt.NDArray[Any]] = []

    def out(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: out(item) for key, item in value.items()}
        if not isinstance(value, np.ndarray):
            return value
        arrays.append(value)
        return {"buffer": len(arrays) - 1}

    return out(frame), arrays


def _lazy_frame(
    queries: Any,
    keys: Any,
    scale: float | None,
    tokens: Iterable[object] | None,
    key_tokens: Iterable[object] | None,
    mask: Any,
    labels: Iterable[object] | None,
) -> Frame:
    for what, value in (("queries", queries), ("keys", keys)):
        if value is None:
            raise ValueError(f"{what} is missing: weights are computed from queries and keys.")
    q, layers = heads_of(queries, "queries", ("n_queries", "d_k"))  # (h, nq, d_k)
    k, _ = heads_of(keys, "keys", ("n_keys", "d_k"))  # (h, nk, d_k)
    if q.shape[0] != k.shape[0] or q.shape[2] != k.shape[2]:
        raise ValueError(
            f"queries has shape {q.shape} and keys {k.shape}: (h, n, d_k) need the same h and d_k in both."
        )
    h, nq, d_k = q.shape
    nk = k.shape[1]
    factor = d_k**-0.5 if scale is None else factor_of(scale)
    frame = _frame((h, nq, nk), tokens, key_tokens, labels, layers, "queries and keys")
    blocked = None if mask is None else mask_of(mask, h, nq, nk)
    return frame | {
        "weights": None,
        "scores": None,
        "lazy": {"queries": _floats(q), "keys": _floats(k), "dk": d_k, "scale": factor},
        "mask": blocked if isinstance(blocked, str) else _mask_values(blocked),
        "checks": _told(scale_finding(factor, d_k)),
    }


def _frame(
    shape: tuple[int, ...],
    tokens: Iterable[object] | None,
    key_tokens: Iterable[object] | None,
    labels: Iterable[object] | None,
    layers: list[int],
    what: str,
) -> Frame:
    """Sizes and names, fitted together."""
    h, nq, nk = shape
    queries = names(tokens, "tokens")  # type: ignore[arg-type]  # it says what None lacks
    if len(queries) != nq:
        hint = ""
        if len(queries) == h == nk:
            hint = " Do the heads stand on the last axis? Then pass weights.transpose(2, 0, 1)."
        elif len(queries) in (h, nk) and nq != nk:
            hint = " Which axis are the queries? The order is (h, n_queries, n_keys)."
        raise ValueError(
            f"{what} has {_count(nq, 'query', 'queries')} (shape {shape}), "
            f"but tokens has {len(queries)}.{hint}"
        )
    keys = queries if key_tokens is None else names(key_tokens, "key_tokens")
    if len(keys) != nk and key_tokens is None:
        raise ValueError(
            f"{what} has {_count(nq, 'query', 'queries')} and {_count(nk, 'key', 'keys')}. "
            f"Pass key_tokens with {_count(nk, 'string', 'strings')}, so that the keys have names too."
        )
    if len(keys) != nk:
        raise ValueError(
            f"{what} has {_count(nk, 'key', 'keys')} (shape {shape}), but key_tokens has {len(keys)}."
        )
    named = None if labels is None else names(labels, "labels")
    if named is None and len(layers) > 1:
        named = [f"layer {i}, head {j}" for i, heads in enumerate(layers, 1) for j in range(1, heads + 1)]
    if named is not None and len(named) != h:
        raise ValueError(
            f"{what} has {_count(h, 'head', 'heads')} (shape {shape}), but labels has {len(named)}."
        )
    return {
        "version": VERSION,
        "h": h,
        "nq": nq,
        "nk": nk,
        "queryTokens": queries,
        "keyTokens": keys,
        "headLabels": named,
    }


def _scores(scores: Any, shape: tuple[int, ...]) -> Numbers:
    """The scores as (h, nq, nk), the shape of the weights."""
    s = numbers(scores, "scores")
    if s.shape[-3:] not in (shape, shape[-2:]) or s.size != np.prod(shape):
        raise ValueError(
            f"scores has shape {s.shape}, but the weights have {shape}. Each weight needs its score."
        )
    return s.reshape(shape)


def _values(values: Numbers, decimals: int) -> list[list[float | None]] | npt.NDArray[np.float32]:
    """Per head, row by row, None where there is no number; many of them as an array."""
    if values.size > MOST_AS_TEXT:
        return _floats(values)
    kept = np.round(values.astype(np.float64), decimals) + 0.0  # (h, nq, nk); + 0.0 turns −0 into 0
    return [_with_gaps(head) for head in kept]


def _mask_values(blocked: Mask | None) -> list[int] | npt.NDArray[np.uint8] | None:
    """Row by row, 1 = blocked; many of them as an array."""
    if blocked is None or isinstance(blocked, str):
        return None
    flat = np.ascontiguousarray(blocked, dtype=np.uint8).ravel()
    return flat if flat.size > MOST_AS_TEXT else [int(b) for b in flat]


def _floats(values: Numbers) -> npt.NDArray[np.float32]:
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(values, dtype=np.float32)


def _with_gaps(head: npt.NDArray[np.float64]) -> list[float | None]:
    values: list[float | None] = [*head.ravel().tolist()]
    for index in np.flatnonzero(~np.isfinite(head)):
        values[index] = None
    return values


def _told(notes: Iterable[Finding]) -> list[dict[str, str]]:
    return [finding._asdict() for finding in notes]


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
