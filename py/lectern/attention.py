"""Multi-head attention in NumPy, as the lessons teach it: the reference that tests compare with PyTorch.

Source of the formulas: Vaswani et al. 2017, "Attention Is All You Need", sections 3.2.1 and 3.2.2.
Every function keeps the dtype of floating-point input: float32 in, float32 out.
"""

from __future__ import annotations

import math
from typing import Any, TypedDict

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class Params(TypedDict):
    """The projections of one layer, each (d_model, d_model), applied from the right: Q = X @ W_Q.

    Head i owns columns i·d_k … (i+1)·d_k − 1 of W_Q, W_K and W_V, and the rows of the same numbers of W_O.
    PyTorch's layers store the transpose, (out, in).
    """

    W_Q: Array
    W_K: Array
    W_V: Array
    W_O: Array


def softmax(x: Array, axis: int = -1) -> Array:
    """exp(x) / Σ exp(x) along `axis`, computed so that large x do not overflow.

    Where all of `axis` is −inf (every key is masked), the result is NaN, as from `torch.softmax`: there is
    nothing to distribute the weight over.
    """
    with np.errstate(invalid="ignore"):  # −inf − (−inf): the NaN that is documented above
        shifted = x - x.max(axis=axis, keepdims=True)  # (…, n), largest is 0
    e = np.exp(shifted)  # (…, n)
    return np.asarray(e / e.sum(axis=axis, keepdims=True))  # (…, n), sums to 1


def scaled_dot_product_attention(
    Q: Array, K: Array, V: Array, mask: Array | None = None
) -> tuple[Array, Array]:
    """softmax(Q·Kᵀ / √d_k)·V and the weights, for Q (…, nq, d_k), K (…, nk, d_k), V (…, nk, d_v).

    `mask` is boolean and broadcasts to (…, nq, nk). **True = blocked**, as in `nn.MultiheadAttention`;
    `F.scaled_dot_product_attention` means the opposite, True = takes part. A fully masked row gives NaN, as
    in `nn.MultiheadAttention` when it returns weights; PyTorch 2.13 gives zeros where it returns none.

    Raises ValueError if Q and K differ in d_k, or K and V in the number of keys; TypeError for a mask that is
    not boolean.
    """
    d_k = Q.shape[-1]
    if K.shape[-1] != d_k:
        raise ValueError(f"Q has shape {Q.shape} and K {K.shape}: their last axes, d_k, must be equal.")
    if V.shape[-2] != K.shape[-2]:
        raise ValueError(f"K has shape {K.shape} and V {V.shape}: each key needs one value.")
    scores = (
        Q @ K.swapaxes(-1, -2) / math.sqrt(d_k)
    )  # (…, nq, nk); math.sqrt, as np.sqrt would make float64 of it
    if mask is not None:
        if mask.dtype != np.bool_:
            raise TypeError(
                f"mask must be boolean, True where attention is blocked, but its dtype is {mask.dtype}."
            )
        scores = np.where(mask, -np.inf, scores)  # (…, nq, nk)
    weights = softmax(scores, axis=-1)  # (…, nq, nk), rows sum to 1
    return weights @ V, weights  # (…, nq, d_v), (…, nq, nk)


def split_heads(x: Array, h: int) -> Array:
    """(seq, d_model) → (h, seq, d_k) with d_k = d_model / h: head i gets columns i·d_k … (i+1)·d_k − 1.

    Raises ValueError if d_model is not a multiple of h.
    """
    seq, d_model = x.shape
    if h < 1 or d_model % h:
        raise ValueError(f"d_model = {d_model} cannot be split into h = {h} heads of equal width.")
    x = x.reshape(seq, h, d_model // h)  # (seq, h, d_k)
    return x.transpose(1, 0, 2)  # (h, seq, d_k)


def combine_heads(x: Array) -> Array:
    """(h, seq, d_v) → (seq, h·d_v): the inverse of `split_heads`."""
    h, seq, d_v = x.shape
    x = x.transpose(1, 0, 2)  # (seq, h, d_v)
    return x.reshape(seq, h * d_v)  # (seq, h·d_v)


def multi_head_attention(
    X_q: Array, params: Params, h: int, X_kv: Array | None = None, mask: Array | None = None
) -> tuple[Array, Array]:
    """Concat(head_1 … head_h)·W_O, and the weights of each head.

    X_q (nq, d_model) asks; X_kv (nk, d_model) answers, and is X_q itself if left out (self-attention).
    `mask` is boolean, (nq, nk) or (h, nq, nk), True = blocked. Returns the output (nq, d_model)
    and the weights (h, nq, nk).

    Raises ValueError if d_model is not a multiple of h.
    """
    X_kv = X_q if X_kv is None else X_kv  # (nk, d_model)
    Q = split_heads(X_q @ params["W_Q"], h)  # (h, nq, d_k)
    K = split_heads(X_kv @ params["W_K"], h)  # (h, nk, d_k)
    V = split_heads(X_kv @ params["W_V"], h)  # (h, nk, d_v)
    heads, weights = scaled_dot_product_attention(Q, K, V, mask)  # (h, nq, d_v), (h, nq, nk)
    return combine_heads(heads) @ params["W_O"], weights  # (nq, d_model), (h, nq, nk)
