"""An example for the gradients of the cards model, and directions along which two programs compare them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from cards import Deal, Params, deal

HEADS = (1, 2, 4, 8, 16)
SEED = 31


def example() -> tuple[Params, Deal]:
    """Random parameters in double precision (the training uses single), and four rows of cards.

    Not those with which a training starts: the recorded slopes should not depend on how it starts.
    """
    rng = np.random.default_rng(SEED)
    cards, params = deal(4, rng), Params(16)
    for name, value in params.items():
        size = 0.5 if name in ("letter", "digit", "place") else 0 if name == "bias" else 0.25
        value[...] = rng.standard_normal(value.shape) * size
    return Params(16, params.flat.astype(np.float64)), cards


def directions(name: str, shape: tuple[int, ...]) -> npt.NDArray[np.float64]:
    """(4, …) random directions: a gradient that is wrong anywhere is wrong along nearly all of them.

    Four numbers for each parameter keep the recorded file small; 2,536 for each number of heads would not.
    """
    found: npt.NDArray[Any] = np.random.default_rng([SEED, *name.encode()]).standard_normal((4, *shape))
    return found
