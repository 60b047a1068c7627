"""A small language, and two layers of attention that learn to continue it: NumPy only, gradients by hand.

A line starts with a name (A–H). Then a few letters follow in some order, and then the same letters in the
same order, again and again to the end of the line. After a letter there may come `, x`, which says the
letter x once more, or `! N x`, which says the line's name and goes on after x. So there are several
things to know. The one to watch is this: when the letters come round again, find where this letter stood
before, and say what came after.

Nothing is stored about a line but its symbols, so a model has to look. It has two layers, each of which
adds to what it read: x → x + attention(x). No MLP, no normalisation. Shapes as in cards.py: (d, n, T).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from cards import Adam, Array, collect, split_heads

SYMBOLS = "abcdefghijklmnopqrstuvwxyzABCDEFGH,!"
LETTERS, NAMES = 26, 8
COMMA, BANG = SYMBOLS.index(","), SYMBOLS.index("!")
LENGTH, D_MODEL, LAYERS = 48, 48, 2
LONG_AGO = np.triu(np.full((LENGTH, LENGTH), -1e9, np.float32), 1)  # (T, T) added to scores


@dataclass(frozen=True)
class Lines:
    """n lines of T + 1 symbols, and where the next symbol is a letter that comes round again."""

    symbols: Array  # (n, T + 1)
    repeats: Array  # (n, T) True where symbols[:, t + 1] can be known by induction


def lines(n: int, rng: np.random.Generator) -> Lines:
    """n lines of the language."""
    written = [_line(rng) for _ in range(n)]
    return Lines(np.array([w[0] for w in written]), np.array([w[1] for w in written])[:, 1:])


def _line(rng: np.random.Generator) -> tuple[list[int], list[bool]]:
    name = LETTERS + int(rng.integers(NAMES))
    letters = rng.permutation(LETTERS)[: rng.integers(6, 17)].tolist()
    chance = rng.random(LENGTH + 1)
    symbols, repeats = [name], [False]
    said = 0
    while len(symbols) <= LENGTH:
        letter = letters[said % len(letters)]
        symbols.append(letter)
        repeats.append(said >= len(letters))
        said += 1
        luck = chance[min(len(symbols), LENGTH + 1) - 1]
        if luck < 0.16:
            aside = [COMMA, letter] if luck < 0.08 else [BANG, name, letter]
            symbols += aside
            repeats += [False] * len(aside)
    return symbols[: LENGTH + 1], repeats[: LENGTH + 1]


def names(lines: Lines, row: int = 0) -> list[str]:
    """What the model reads of one line, symbol by symbol."""
    return [SYMBOLS[i] for i in lines.symbols[row, :-1]]


class Params(dict[str, Array]):
    """The parameters by name, views of one vector `flat`. `layers` has W_Q, W_K, W_V, W_O of each layer."""

    def __init__(self, flat: Array | None = None, layers: int = LAYERS) -> None:
        shapes: Mapping[str, tuple[int, ...]] = {
            "symbol": (len(SYMBOLS), D_MODEL),
            "place": (LENGTH, D_MODEL),
            "layers": (layers, 4, D_MODEL, D_MODEL),
            "readout": (D_MODEL, len(SYMBOLS)),
        }
        sizes = [math.prod(shape) for shape in shapes.values()]
        self.flat = np.zeros(sum(sizes), np.float32) if flat is None else flat
        parts = np.split(self.flat, np.cumsum(sizes)[:-1])
        super().__init__(
            (name, part.reshape(shape)) for (name, shape), part in zip(shapes.items(), parts, strict=True)
        )

    @classmethod
    def random(cls, rng: np.random.Generator, layers: int = LAYERS) -> Params:
        params = cls(layers=layers)
        for name, value in params.items():
            size = 0.5 if name in ("symbol", "place") else D_MODEL**-0.5
            value[...] = rng.standard_normal(value.shape) * size
        params["layers"][:, 2:] *= 0.7  # what a layer adds starts smaller than what it reads
        return params


def linear(x: Array, W: Array) -> Array:
    """x·W: (d, n, T) and (d, e) → (e, n, T). (Training happens where @ has a BLAS.)"""
    return np.asarray((W.T @ x.reshape(len(x), -1)).reshape(-1, *x.shape[1:]))


def outer(x: Array, d_y: Array) -> Array:
    """xᵀ·d_y, summed over all n·T places: (d, n, T) and (e, n, T) → (d, e)."""
    return np.asarray(x.reshape(len(x), -1) @ d_y.reshape(len(d_y), -1).T)


def combine_heads(x: Array) -> Array:
    """(h, n, T, d_k) → (d, n, T)."""
    h, n, T, d_k = x.shape
    return x.transpose(0, 3, 1, 2).reshape(h * d_k, n, T)


@dataclass(frozen=True)
class Layer:
    """What the way back needs of one layer."""

    x: Array  # (d, n, T) what it read
    Q: Array  # (h, n, T, d_k) already divided by √d_k
    K: Array  # (h, n, T, d_k)
    V: Array  # (h, n, T, d_k)
    weights: Array  # (h, n, T, T)
    heads: Array  # (h, n, T, d_k)
    mixed: Array  # (d, n, T)


@dataclass(frozen=True)
class Forward:
    logits: Array  # (symbols, n, T)
    x: Array  # (d, n, T) after the last layer
    layers: list[Layer]


def forward(params: Params, lines: Lines, h: int, without: Sequence[tuple[int, int]] = ()) -> Forward:
    """The model's guess of each next symbol. Heads in `without`, as (layer, head) from 0, add nothing."""
    read = lines.symbols[:, :-1]  # (n, T)
    x = np.ascontiguousarray((params["symbol"][read] + params["place"]).transpose(2, 0, 1))  # (d, n, T)
    layers = []
    for number, (W_Q, W_K, W_V, W_O) in enumerate(params["layers"]):
        Q, K, V = (split_heads(linear(x, W), h) for W in (W_Q, W_K, W_V))  # (h, n, T, d_k)
        Q *= 1 / math.sqrt(Q.shape[-1])
        weights = Q @ K.swapaxes(-1, -2) + LONG_AGO  # (h, n, T, T)
        weights -= weights.max(axis=-1, keepdims=True)
        np.exp(weights, out=weights)
        weights *= 1 / weights.sum(axis=-1, keepdims=True)
        heads = weights @ V  # (h, n, T, d_k)
        heads[[head for layer, head in without if layer == number]] = 0
        mixed = combine_heads(heads)  # (d, n, T)
        layers.append(Layer(x, Q, K, V, weights, heads, mixed))
        x = x + linear(mixed, W_O)
    return Forward(linear(x, params["readout"]), x, layers)


def cross_entropy(logits: Array, lines: Lines) -> tuple[Array, Array]:
    """The loss at each place, (n, T), and its derivative by the logits, (symbols, n, T)."""
    n, places = lines.repeats.shape
    p = np.exp(logits - logits.max(axis=0))
    p /= p.sum(axis=0)
    row, place = np.ogrid[:n, :places]
    right = lines.symbols[:, 1:], row, place
    loss = -np.log(np.maximum(p[right], 1e-30))
    p[right] -= 1
    return np.asarray(loss), np.asarray(p)


def loss_and_gradient(params: Params, lines: Lines, h: int) -> tuple[float, Params]:
    """The mean loss over all places, and its derivative by each parameter; cards.py says how to read it."""
    f = forward(params, lines, h)
    gradient = Params(np.empty_like(params.flat), len(params["layers"]))
    losses, d_logits = cross_entropy(f.logits, lines)
    d_logits /= losses.size
    gradient["readout"][...] = outer(f.x, d_logits)
    d_x = linear(d_logits, params["readout"].T)  # (d, n, T)
    for layer, W, d_W in zip(f.layers[::-1], params["layers"][::-1], gradient["layers"][::-1], strict=True):
        d_W[3] = outer(layer.mixed, d_x)
        d_heads = split_heads(linear(d_x, W[3].T), h)  # (h, n, T, d_k)
        d_V = layer.weights.swapaxes(-1, -2) @ d_heads  # (h, n, T, d_k)
        d_scores = d_heads @ layer.V.swapaxes(-1, -2)  # (h, n, T, T)
        d_scores -= (layer.heads * d_heads).sum(axis=-1, keepdims=True)
        d_scores *= layer.weights
        d_Q = d_scores @ layer.K * (1 / math.sqrt(layer.K.shape[-1]))  # (h, n, T, d_k)
        d_K = d_scores.swapaxes(-1, -2) @ layer.Q  # (h, n, T, d_k)
        for i, d_split in enumerate((d_Q, d_K, d_V)):
            d_out = combine_heads(d_split)  # (d, n, T)
            d_W[i] = outer(layer.x, d_out)
            d_x = d_x + linear(d_out, W[i].T)  # what went past the layer, and what went through it
    gradient["symbol"][...] = collect(lines.symbols[:, :-1], len(SYMBOLS), d_x)
    gradient["place"][...] = d_x.sum(axis=1).T
    return float(losses.mean()), gradient


@dataclass(frozen=True)
class Model:
    params: Params
    h: int


def train(h: int = 2, steps: int = 2_500, seed: int = 0, rate: float = 3e-3, layers: int = LAYERS) -> Model:
    """Train on fresh lines, 32 at a time: a minute on one core, so the page gets the result only."""
    rng = np.random.default_rng(seed)
    params = Params.random(rng, layers)
    adam = Adam(params.flat.size, rate, steps)
    for _ in range(steps):
        _, gradient = loss_and_gradient(params, lines(32, rng), h)
        adam.step(params.flat, gradient.flat)
    return Model(params, h)


def load(file: str = "induction.npz") -> Model:
    """The model that was trained with the first seed, stored in half precision."""
    with np.load(file) as stored:
        return Model(Params(stored["flat"].astype(np.float32)), int(stored["h"]))


def held_out(n: int = 256) -> Lines:
    return lines(n, np.random.default_rng(999))


def measure(model: Model, lines: Lines, without: Sequence[tuple[int, int]] = ()) -> dict[str, Any]:
    """Loss and share of right guesses where letters come round again, and what each head looks at.

    `previous`: a head's mean weight on the symbol just before, at letters. `induction`: its mean weight on
    what came after the same symbol, where a letter comes round again next. Both are (layers, h).
    """
    f = forward(model.params, lines, model.h, without)
    losses, _ = cross_entropy(f.logits, lines)
    right = f.logits.argmax(axis=0) == lines.symbols[:, 1:]  # (n, T)
    read = lines.symbols[:, :-1]  # (n, T)
    after = np.zeros((*read.shape, LENGTH), bool)  # (n, query, key): the key follows an earlier equal symbol
    after[:, :, 1:] = read[:, :, None] == read[:, None, :-1]
    after &= ~np.triu(np.ones((LENGTH, LENGTH), bool), 1)
    letters = (read < LETTERS) & (np.arange(LENGTH) > 0)
    previous, induction = [], []
    for layer in f.layers:
        before = np.diagonal(layer.weights[..., 1:, :-1], axis1=-2, axis2=-1)  # (h, n, T − 1)
        previous.append(before[:, letters[:, 1:]].mean(axis=1))
        induction.append((layer.weights * after).sum(axis=-1)[:, lines.repeats].mean(axis=1))
    return {
        "loss": float(losses[lines.repeats].mean()),
        "right": float(right[lines.repeats].mean()),
        "previous": np.array(previous),
        "induction": np.array(induction),
    }
