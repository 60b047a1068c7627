"""Reads what a person passes as weights, scores, masks and tokens, or says in a sentence why not. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.floating[Any]]
Mask = npt.NDArray[np.bool_] | Literal["causal"]

MAX_NUMBERS = 64_000_000
"""Per array: 256 MB as float32, about what a page's Python can hold twice."""
MAX_NAMES = 100_000


def numbers(values: Any, what: str) -> Numbers:
    """`values` as an array of floats; float32 and float64 stay as they are. PyTorch's tensors are detached.

    Raises TypeError or ValueError for what is not a rectangular array of real numbers.
    """
    if values is None:
        raise TypeError(f"{what} is None. Does the function that computes it return it?")
    array = _array(values, what)
    if array.dtype.kind == "c":
        raise TypeError(f"{what} holds complex numbers ({array.dtype}), but must be real.")
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{what} must hold numbers, but its dtype is {array.dtype}{_culprit(array, what)}.")
    if array.size > MAX_NUMBERS:
        raise ValueError(
            f"{what} has shape {array.shape}, {array.size:,} numbers; at most {MAX_NUMBERS:,} can be shown. "
            "Pass queries= and keys= instead of weights, or show fewer heads."
        )
    return array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)


def factor_of(scale: Any) -> float:
    """What scores are multiplied by: one finite number."""
    value = numbers(scale, "scale")
    if value.size != 1 or not np.isfinite(value).all():
        raise ValueError(f"scale is {scale!r}; it must be one finite number, such as d_k ** -0.5.")
    return float(value.item())


def heads_of(values: Any, what: str, axes: tuple[str, str]) -> tuple[Numbers, list[int]]:
    """An array (h, *axes), and how many of the heads belong to each layer: one number, unless layers came.

    `values` is (n, m), (h, n, m), (1, h, n, m), or a list or tuple of (h, n, m) or (1, h, n, m): layers, as
    Transformers' `outputs.attentions` has them.
    """
    if isinstance(values, (list, tuple)) and values and all(getattr(v, "ndim", 0) >= 3 for v in values):
        layers = [
            _three_axes(numbers(layer, f"{what}[{i}]"), f"{what}[{i}]", axes)
            for i, layer in enumerate(values)
        ]
        odd = next((layer for layer in layers if layer.shape[1:] != layers[0].shape[1:]), None)
        if odd is not None:
            raise ValueError(
                f"{what} has layers of {layers[0].shape} and of {odd.shape}: all need the same tokens."
            )
        return np.concatenate(layers), [len(layer) for layer in layers]
    array = _three_axes(numbers(values, what), what, axes)
    return array, [len(array)]


def names(values: Iterable[object], what: str) -> list[str]:
    """One string per item."""
    if isinstance(values, (str, bytes)):
        raise TypeError(
            f"{what} must be a list of strings, but it is one string. Did you mean {what}.split()?"
        )
    try:
        return [str(value) for value in islice(values, MAX_NAMES)]  # one that never ends is too long, too
    except TypeError as error:
        raise TypeError(f"{what} must be a list of strings, not {type(values).__name__}.") from error


def mask_of(mask: Any, h: int, nq: int, nk: int) -> Mask:
    """The mask as (nq, nk), True where attention is blocked: one for all heads; or "causal"."""
    if isinstance(mask, str):
        if mask != "causal":
            raise ValueError(f'mask is {mask!r}; the one mask that has a name is "causal".')
        return "causal"
    array = _array(mask, "mask")
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
    if array.ndim > 2 and (every_head != every_head[0]).any():
        raise ValueError(
            "mask differs from head to head; one mask is drawn for all heads. Show those heads apart."
        )
    blocked: npt.NDArray[np.bool_] = every_head[0]
    return blocked


def causal(nq: int, nk: int) -> npt.NDArray[np.bool_]:
    """(nq, nk), True where a key lies after its query; the last query sees all keys."""
    return np.triu(np.ones((nq, nk), dtype=bool), 1 + nk - nq)


def _three_axes(array: Numbers, what: str, axes: tuple[str, str]) -> Numbers:
    if array.ndim == 4 and array.shape[0] != 1:
        raise ValueError(
            f"{what} has shape {array.shape}, a batch of {array.shape[0]}. "
            f"Show one example at a time: {what}[0]."
        )
    if array.ndim not in (2, 3, 4):
        first, second = axes
        raise ValueError(
            f"{what} has shape {array.shape}; expected ({first}, {second}) or (h, {first}, {second}), "
            f"which is 2 or 3 axes and not {array.ndim}."
        )
    if not array.size:
        raise ValueError(f"{what} has shape {array.shape}: there is nothing in it to show.")
    return array.reshape((1, *array.shape)[-3:])


def _detached(values: Any) -> Any:
    """A PyTorch tensor without its graph, on the CPU; whatever else it is, itself."""
    return values.detach().cpu() if hasattr(values, "detach") else values


def _array(values: Any, what: str) -> npt.NDArray[Any]:
    """`values` as NumPy reads them. Raises TypeError or ValueError with a sentence where it cannot."""
    try:
        return np.asarray(_detached(values))
    except ValueError as error:
        raise ValueError(f"{what} is ragged: its rows have different lengths, so it is no matrix.") from error
    except (TypeError, RuntimeError) as error:
        raise TypeError(f"{what} cannot be read as an array: {error}") from error


def _culprit(array: npt.NDArray[Any], what: str) -> str:
    """What made objects of an array: its first item that is no number, or how numbers become floats."""
    if array.dtype.kind != "O":
        return ""
    kinds = [type(item).__name__ for item in array.flat if not isinstance(item, (int, float))]
    return f", with {kinds[0]} in it" if kinds else f"; np.array({what}, dtype=float) makes numbers of it"
