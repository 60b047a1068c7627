"""The cards model once more, in PyTorch: its loss, and the gradient that autograd finds, in double precision.

Imports torch, so only `record.py` imports this module.
"""

from __future__ import annotations

import importlib
import math
from typing import Any

import numpy as np
from cards import CARDS, DIGITS, Deal, Params

from tests.labs.gradients import HEADS, directions, example

torch: Any = importlib.import_module("torch")  # typed Any: mypy runs without this large package
F: Any = importlib.import_module("torch.nn.functional")


def gradient_cases() -> dict[str, Any]:
    """For each number of heads the loss of the example, and its slopes along given directions."""
    cases = {}
    for h in HEADS:
        params, deal = example()
        loss, gradient = _backward(params, deal, h)
        slopes = {
            name: [float((g * d).sum()) for d in directions(name, g.shape)] for name, g in gradient.items()
        }
        cases[str(h)] = {"loss": loss, "slopes": slopes}
    return {"torch": torch.__version__.split("+")[0], "heads": cases}


def _backward(params: Params, deal: Deal, h: int) -> tuple[float, dict[str, Any]]:
    p = {name: torch.tensor(value, requires_grad=True) for name, value in params.items()}
    letters, digits, answers = map(torch.from_numpy, (deal.letters, deal.digits, deal.answers))
    x = p["letter"][letters] + p["digit"][digits] + p["place"]  # (n, T, d)
    n, _, d = x.shape
    q, k, v = ((x @ p[w]).view(n, CARDS, h, d // h).transpose(1, 2) for w in ("W_Q", "W_K", "W_V"))
    scores = q @ k.transpose(-1, -2) / math.sqrt(d // h)  # (n, h, T, T)
    future = torch.ones(CARDS, CARDS, dtype=torch.bool).triu(1)
    heads = torch.softmax(scores.masked_fill(future, -math.inf), dim=-1) @ v  # (n, h, T, d_k)
    y = heads.transpose(1, 2).reshape(n, CARDS, d) @ p["W_O"]
    logits = (y @ p["readout"] + p["bias"]).view(n, CARDS, 4, DIGITS)
    losses = [
        F.cross_entropy(
            logits[:, :, question].reshape(-1, DIGITS), answers[question].reshape(-1), ignore_index=-1
        )
        for question in range(4)
    ]
    loss = torch.stack(losses).mean()
    loss.backward()
    return float(loss), {name: np.asarray(tensor.grad) for name, tensor in p.items()}
