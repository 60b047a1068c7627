"""Attention as PyTorch computes it on small inputs: self and cross, both polarities of masks and precisions.

Imports torch, so only `record.py` imports this module.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

torch: Any = importlib.import_module("torch")  # typed Any: mypy runs without this large package
F: Any = importlib.import_module("torch.nn.functional")

Array = npt.NDArray[Any]
D_MODEL = 8
DTYPES = ("float32", "float64")
WEIGHTS = ("W_Q", "W_K", "W_V", "W_O")


def attention_cases() -> dict[str, Any]:
    """All of tests/oracle/attention.json. Masks are True = blocked there, whatever PyTorch was given."""
    return {
        "torch": torch.__version__.partition("+")[0],
        "params": {dtype: _params(dtype) for dtype in DTYPES},
        "multi_head": list(_multi_head()),
        "scaled_dot_product": list(_scaled_dot_product()),
    }


def causal(n: int) -> Array:
    return np.triu(np.ones((n, n), dtype=bool), k=1)


def key_padding(nq: int, nk: int) -> Array:
    """The last two keys are padding, for every query."""
    return np.broadcast_to(np.arange(nk) >= nk - 2, (nq, nk))


def one_row_blocked(nq: int, nk: int) -> Array:
    return np.broadcast_to(np.arange(nq)[:, None] == 1, (nq, nk))


def _params(dtype: str) -> dict[str, Array]:
    rng = np.random.default_rng(31)
    matrices = rng.standard_normal((len(WEIGHTS), D_MODEL, D_MODEL)) / np.sqrt(D_MODEL)
    return dict(zip(WEIGHTS, matrices.astype(dtype), strict=True))


def _multi_head() -> Iterator[dict[str, Any]]:
    rows = [
        # how PyTorch is called, h, nq, nk (None: self-attention), mask
        ("nn.MultiheadAttention", 1, 5, None, None),
        ("nn.MultiheadAttention", 2, 5, None, None),
        ("nn.MultiheadAttention", D_MODEL, 5, None, None),
        ("nn.MultiheadAttention", 4, 3, 5, None),
        ("nn.MultiheadAttention", 2, 5, None, causal(5)),
        ("nn.MultiheadAttention", 2, 3, 5, key_padding(3, 5)),
        ("nn.MultiheadAttention", 2, 3, None, one_row_blocked(3, 3)),
        ("F.multi_head_attention_forward", 2, 5, None, None),
        ("F.multi_head_attention_forward", 4, 3, 5, key_padding(3, 5)),
    ]
    for dtype in DTYPES:
        for seed, (by, h, nq, nk, mask) in enumerate(rows):
            rng = np.random.default_rng(seed)
            X_q = rng.standard_normal((nq, D_MODEL)).astype(dtype)
            X_kv = None if nk is None else rng.standard_normal((nk, D_MODEL)).astype(dtype)
            call = _by_layer if by.startswith("nn") else _by_function
            output, weights = call(X_q, X_q if X_kv is None else X_kv, _params(dtype), h, mask)
            yield {
                "by": by,
                "dtype": dtype,
                "h": h,
                "X_q": X_q,
                "X_kv": X_kv,
                "mask": mask,
                "output": output[0].numpy(),
                "weights": weights[0].numpy(),
            }


def _by_layer(
    X_q: Array, X_kv: Array, params: dict[str, Array], h: int, mask: Array | None
) -> tuple[Any, Any]:
    """The layer as people use it; its packed projection is (3·d_model, d_model), each stored as (out, in)."""
    layer = torch.nn.MultiheadAttention(
        D_MODEL, h, bias=False, batch_first=True, dtype=getattr(torch, X_q.dtype.name)
    )
    packed = np.hstack([params["W_Q"], params["W_K"], params["W_V"]]).T
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.from_numpy(packed.copy()))
        layer.out_proj.weight.copy_(torch.from_numpy(params["W_O"].T.copy()))
        q, kv = torch.from_numpy(X_q)[None], torch.from_numpy(X_kv)[None]
        blocked = None if mask is None else torch.from_numpy(mask.copy())
        output, weights = layer.eval()(q, kv, kv, attn_mask=blocked, average_attn_weights=False)
    return output, weights


def _by_function(
    X_q: Array, X_kv: Array, params: dict[str, Array], h: int, mask: Array | None
) -> tuple[Any, Any]:
    """The function below the layer, with separate projections, key padding, sequence-first inputs."""
    W = {name: torch.from_numpy(value.T.copy()) for name, value in params.items()}
    q, kv = torch.from_numpy(X_q)[:, None], torch.from_numpy(X_kv)[:, None]
    output, weights = F.multi_head_attention_forward(
        q, kv, kv, D_MODEL, h, None, None, None, None, False, 0.0, W["W_O"], None,
        training=False,
        key_padding_mask=None if mask is None else torch.from_numpy(mask[:1].copy()),
        use_separate_proj_weight=True,
        q_proj_weight=W["W_Q"],
        k_proj_weight=W["W_K"],
        v_proj_weight=W["W_V"],
        average_attn_weights=False,
    )  # fmt: skip
    return output.transpose(0, 1), weights


def _scaled_dot_product() -> Iterator[dict[str, Any]]:
    rows = [
        # h, nq, nk, d_k, d_v, mask, how PyTorch is given it
        (1, 4, 4, 1, 1, None, "none"),
        (2, 3, 5, 4, 6, None, "none"),
        (2, 4, 4, 16, 3, causal(4), "is_causal"),
        (2, 4, 4, 3, 3, causal(4), "bool, True = takes part"),
        (2, 4, 4, 3, 3, causal(4), "float, added"),
        (1, 3, 5, 2, 2, key_padding(3, 5), "bool, True = takes part"),
    ]
    for dtype in DTYPES:
        for seed, (h, nq, nk, d_k, d_v, mask, given) in enumerate(rows):
            rng = np.random.default_rng(100 + seed)
            shapes = {"Q": (h, nq, d_k), "K": (h, nk, d_k), "V": (h, nk, d_v)}
            inputs = {name: rng.standard_normal(shape).astype(dtype) for name, shape in shapes.items()}
            q, k, v = (torch.from_numpy(value)[None] for value in inputs.values())
            output = F.scaled_dot_product_attention(q, k, v, **_mask_as(given, mask, dtype))
            yield {"dtype": dtype, "mask": mask, "given": given, **inputs, "output": output[0].numpy()}


def _mask_as(given: str, mask: Array | None, dtype: str) -> dict[str, Any]:
    match given, mask:
        case _, None:
            return {}
        case "is_causal", _:
            return {"is_causal": True}
        case "float, added", blocked:
            return {"attn_mask": torch.from_numpy(np.where(blocked, -np.inf, 0).astype(dtype))}
        case _, blocked:
            return {"attn_mask": torch.from_numpy(~blocked)}
