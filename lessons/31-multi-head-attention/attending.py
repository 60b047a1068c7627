"""What the encoder asks of a reader's own attention, and what it says when it gets something else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]
Attention = Callable[[Array, Mapping[str, Array], int], object]


def fitting(attention: Attention | None, otherwise: Attention) -> Attention:
    """The reader's attention if it takes (X, params, h); `otherwise` if not, and a line that says so."""
    if attention is None:
        return otherwise
    try:
        own = signature(attention)
        own.bind("X", "params", "h")
        order = [name for name in own.parameters if name in ("X", "params", "h")]
        if order[2:] and order != ["X", "params", "h"]:
            raise TypeError(f"its order is ({', '.join(order)})")
    except TypeError as misfit:
        print(f"The encoder calls attention(X, params, h). Yours does not fit: {misfit}. It takes its own.")
        return otherwise
    return attention


def checked(answer: object, layer: int, **shapes: tuple[int, ...]) -> tuple[Array, Array]:
    """The two arrays that attention returned, as float32; `shapes` has their names and shapes, in order.

    Raises ValueError, which says what came from the attention of this layer instead.
    """
    if not (isinstance(answer, tuple | list) and len(answer) == 2):
        got = "nothing" if answer is None else f"one {type(answer).__name__}"
        wanted = " and ".join(shapes)
        raise ValueError(f"layer {layer}: attention should return two arrays, {wanted}, not {got}")
    arrays = [np.asarray(array) for array in answer]
    for array, (name, shape) in zip(arrays, shapes.items(), strict=True):
        if array.shape != shape:
            raise ValueError(f"layer {layer}: the {name} should have shape {shape}, not {array.shape}")
        if array.dtype.kind not in "fiub":
            raise ValueError(f"layer {layer}: the {name} should be real numbers, not {array.dtype}")
    with np.errstate(over="ignore"):
        out, weights = (array.astype(np.float32) for array in arrays)
    if not (np.isfinite(out).all() and np.isfinite(weights).all()):
        raise ValueError(f"layer {layer}: there is NaN or ∞ in what attention returned")
    return out, weights
