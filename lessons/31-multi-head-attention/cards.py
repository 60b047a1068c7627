"""The cards task, and one layer of multi-head attention that learns it: NumPy only, gradients by hand.

Sixteen cards lie in a row. Each has a letter and a digit; the last eight carry the letters of the first
eight, in a new order. At every card four questions are asked; each answer is a digit on an earlier card:

    previous      the card just before
    two back      the card before that
    first         the first card of the row
    same letter   the earlier card with the same letter (asked at the last eight)

Each question is a *look-up*: easy for a head that looks at the right card, impossible without looking. The
model is attention and nothing else: no residual, no MLP, no normalisation. Whatever it can do, its heads do.

Shapes in comments: n deals of T cards, d = d_model, h heads of width d_k = d / h, C = 10 digits. The lesson
writes one row of numbers for each word, (T, d). Here the features come first, (d, n, T): every sum then runs
along n·T neighbouring numbers, which NumPy in the browser, having no BLAS, does twice as fast. The matrices
are the lesson's own: y = x·W.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

QUESTIONS = ("previous", "two back", "first", "same letter")
CARDS, LETTERS, DIGITS = 16, 26, 10
HALF = CARDS // 2
FUTURE = np.triu(np.ones((CARDS, CARDS), bool), 1)  # (T, T) True above the diagonal: not to be looked at
ASKED = np.arange(CARDS) >= np.array([[1], [2], [1], [HALF]])  # (4, T) where a question makes sense
SHARES = ASKED / ASKED.sum(axis=1, keepdims=True)  # (4, T) of each answer in its question


# ---------------------------------------------------------------------------------------------- the task


@dataclass(frozen=True)
class Deal:
    """n rows of cards, and the right answers; −1 where a question is not asked."""

    letters: Array  # (n, T)
    digits: Array  # (n, T)
    answers: Array  # (4, n, T)


def deal(n: int, rng: np.random.Generator) -> Deal:
    """n rows of cards at random."""
    first = rng.random((n, LETTERS), np.float32).argsort(axis=1)[:, :HALF]  # (n, T/2) different letters
    order = rng.random((n, HALF), np.float32).argsort(axis=1)  # (n, T/2) where each comes again
    row = np.arange(n)[:, None]  # (n, 1)
    letters = np.concatenate([first, first[row, order]], axis=1)  # (n, T)
    digits = rng.integers(0, DIGITS, (n, CARDS))  # (n, T)

    answers = np.full((4, n, CARDS), -1)
    answers[0, :, 1:] = digits[:, :-1]
    answers[1, :, 2:] = digits[:, :-2]
    answers[2, :, 1:] = digits[:, :1]
    answers[3, :, HALF:] = digits[row, order]
    return Deal(letters, digits, answers)


def names(deal: Deal, row: int = 0) -> list[str]:
    """The cards of one row as a reader sees them: K7, A0, …"""
    return [f"{chr(65 + a)}{b}" for a, b in zip(deal.letters[row], deal.digits[row], strict=True)]


# ------------------------------------------------------------------------------------------- the model


class Params(dict[str, Array]):
    """The parameters by name. All are views of one long vector, `flat`, so that Adam is short.

    W_Q, W_K, W_V, W_O (d, d) are what the lesson calls by these names. Before them stand embeddings of
    letter, digit and place, which are added; after them a readout (d, 4·C) with its bias: ten numbers per
    question. `compared` is the number of columns of W_Q and W_K, h·d_k: d as well, unless they are widened.
    """

    def __init__(self, d_model: int, flat: Array | None = None, *, compared: int | None = None) -> None:
        d, c = d_model, compared or d_model
        shapes: dict[str, tuple[int, ...]] = {
            "letter": (LETTERS, d),
            "digit": (DIGITS, d),
            "place": (CARDS, d),
        }
        shapes |= {"W_Q": (d, c), "W_K": (d, c), "W_V": (d, d), "W_O": (d, d)}
        shapes |= {"readout": (d, 4 * DIGITS), "bias": (4 * DIGITS,)}
        sizes = [math.prod(shape) for shape in shapes.values()]
        self.flat = np.zeros(sum(sizes), np.float32) if flat is None else flat
        self.d_model, self.compared = d, c
        parts = np.split(self.flat, np.cumsum(sizes)[:-1])
        super().__init__(
            (name, part.reshape(shape)) for (name, shape), part in zip(shapes.items(), parts, strict=True)
        )

    @classmethod
    def random(cls, d_model: int, rng: np.random.Generator, *, compared: int | None = None) -> Params:
        """Where training starts. No shape has an h in it: every number of heads has as many parameters.

        Places begin at right angles, so that they are told apart early: without that, one head in ten never
        finds out that it can serve two questions.
        """
        params = cls(d_model, compared=compared)
        for name, value in params.items():
            size = 0.5 if name in ("letter", "digit", "place") else 0 if name == "bias" else d_model**-0.5
            value[...] = rng.standard_normal(value.shape) * size
        turned, _, back = np.linalg.svd(params["place"], full_matrices=False)
        params["place"][...] = turned @ back * (0.5 * max(CARDS, d_model) ** 0.5)  # as long as before
        return params


def linear(x: Array, W: Array) -> Array:
    """x·W: (d, n, T) and (d, e) → (e, n, T)."""
    return np.asarray(np.einsum("dnt,de->ent", x, W))


def split_heads(x: Array, h: int) -> Array:
    """(d, n, T) → (h, n, T, d_k), as a view: what is written into the heads stands in x, put together."""
    d, n, T = x.shape
    return x.reshape(h, d // h, n, T).transpose(0, 2, 3, 1)


def compare(a: Array, b: Array) -> Array:
    """a·bᵀ, each query with each key: (h, n, T, d_k) twice → (h, n, T, T).

    In memory it is (h, keys, n, queries), so that sums over keys, too, add up neighbouring numbers.
    """
    h, n, T, _ = a.shape
    room = np.empty((h, T, n, T), a.dtype).transpose(0, 2, 3, 1)
    return np.matmul(a, b.swapaxes(-1, -2), out=room)


@functools.cache
def hidden(n: int) -> Array:
    """Added to scores, so that the future gets no weight: (n, T, T), in memory as `compare` has it."""
    once = np.where(FUTURE.T, np.float32(-np.inf), np.float32(0))  # (keys, queries)
    return np.repeat(once[:, None], n, axis=1).transpose(1, 2, 0)


def embed(params: Params, cards: Deal) -> Array:
    """What the layer reads: for each card the sum of its letter, its digit and its place. (d, n, T)"""
    x = params["letter"][cards.letters] + params["digit"][cards.digits] + params["place"]  # (n, T, d)
    return np.ascontiguousarray(x.transpose(2, 0, 1))


@dataclass(frozen=True)
class Forward:
    """What a forward pass leaves behind: its result, and all that the way back needs."""

    logits: Array  # (4, C, n, T)
    x: Array  # (d, n, T)
    Q: Array  # (h, n, T, d_k) already divided by √d_k
    K: Array  # (h, n, T, d_k)
    V: Array  # (h, n, T, d_k)
    weights: Array  # (h, n, T, T)
    mixed: Array  # (d, n, T) the heads side by side
    last: Array  # (d, 4·C) W_O·readout


def forward(params: Params, cards: Deal, h: int, without: Sequence[int] = ()) -> Forward:
    """The model's answers. Heads named in `without` (0-based) contribute nothing."""
    x = embed(params, cards)  # (d, n, T)
    Q, K, V = (split_heads(linear(x, params[W]), h) for W in ("W_Q", "W_K", "W_V"))  # (h, n, T, d_k)
    Q *= 1 / math.sqrt(Q.shape[-1])  # scaling Q is less work than scaling the scores: d_k columns, not T

    mask = hidden(len(cards.letters))  # (n, T, T)
    scores = compare(Q, K)  # (h, n, T, T)
    scores += mask
    scores -= scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores, out=np.zeros_like(scores), where=mask == 0)  # (h, n, T, T); elsewhere it stays 0
    weights *= 1 / weights.sum(axis=-1, keepdims=True)  # a product costs half of what a quotient does

    mixed = np.empty_like(x)  # (d, n, T)
    heads = split_heads(mixed, h)  # (h, n, T, d_k)
    np.matmul(weights, V, out=heads)
    heads[list(without)] = 0

    # The layer returns mixed·W_O, which is only read out. (mixed·W_O)·readout = mixed·(W_O·readout): so two
    # small matrices are multiplied once, and not the first of them with every card.
    last = params["W_O"] @ params["readout"]  # (d, 4·C)
    logits = linear(mixed, last)  # (4·C, n, T)
    logits += params["bias"][:, None, None]
    return Forward(logits.reshape(4, DIGITS, *x.shape[1:]), x, Q, K, V, weights, mixed, last)


# --------------------------------------------------------------------------------------- the way back


def loss_and_gradient(
    params: Params, cards: Deal, h: int, asked: Sequence[int] = (0, 1, 2, 3), out: Params | None = None
) -> tuple[float, Params]:
    """Cross-entropy, all asked questions counting equally, and its derivative by each parameter (in `out`).

    Read it beside `forward`, from the last line of that to the first. d_something is the derivative of the
    loss by something, and has its shape. Two rules do nearly all of it: for y = x·W, d_x = d_y·Wᵀ and
    d_W = xᵀ·d_y.
    """
    f = forward(params, cards, h)
    gradient = out or Params(params.d_model, np.empty_like(params.flat), compared=params.compared)

    # Cross-entropy. Its derivative by the logits: the probability, less 1 at the right answer, times a share.
    share = np.zeros((4, 1, CARDS), f.logits.dtype)  # sums to 1 over all answers of all rows
    share[list(asked), 0] = SHARES[list(asked)] / (len(cards.letters) * len(asked))
    p = f.logits - f.logits.max(axis=1, keepdims=True)  # (4, C, n, T)
    np.exp(p, out=p)
    p *= 1 / p.sum(axis=1, keepdims=True)
    right = cards.answers[:, None] == np.arange(DIGITS)[:, None, None]  # (4, C, n, T)
    found = np.einsum("qcnt,qcnt->qnt", p, right)  # (4, n, T) the probability of the right answer
    loss = -float((share * np.log(np.maximum(found, 1e-30))).sum())
    p -= right
    p *= share[:, None]
    d_logits = p.reshape(4 * DIGITS, *p.shape[2:])  # (4·C, n, T)

    # logits = mixed·last + bias,  last = W_O·readout
    gradient["bias"][...] = d_logits.sum(axis=(1, 2))
    d_last = outer(f.mixed, d_logits)  # (d, 4·C)
    gradient["W_O"][...] = d_last @ params["readout"].T
    gradient["readout"][...] = params["W_O"].T @ d_last
    d_mixed = linear(d_logits, f.last.T)  # (d, n, T)

    # heads = weights·V, head by head
    d_heads = split_heads(d_mixed, h)  # (h, n, T, d_k)
    d_weights = compare(d_heads, f.V)  # (h, n, T, T)
    d_V = np.empty_like(f.x)  # (d, n, T)
    np.matmul(f.weights.swapaxes(-1, -2), d_heads, out=split_heads(d_V, h))

    # weights = softmax(scores): a row's derivative less its mean under the weights, times the weights. That
    # mean, Σ weights·d_weights, is also Σ heads·d_heads, which has d_k columns instead of T.
    d_scores = d_weights  # the same memory, under its new name
    d_scores -= split_heads(f.mixed * d_mixed, h).sum(axis=-1, keepdims=True)
    d_scores *= f.weights  # 0 where the future is masked

    # scores = Q·Kᵀ, with 1/√d_k inside Q
    d_Q, d_K = np.empty((2, params.compared, *f.x.shape[1:]), f.x.dtype)  # (h·d_k, n, T)
    np.matmul(d_scores, f.K, out=split_heads(d_Q, h))
    np.matmul(d_scores.swapaxes(-1, -2), f.Q, out=split_heads(d_K, h))
    d_Q *= 1 / math.sqrt(f.K.shape[-1])

    # Q, K, V = x·W_Q, x·W_K, x·W_V: x is used three times, so its derivatives add up
    d_x = np.zeros_like(f.x)  # (d, n, T)
    for W, d_out in (("W_Q", d_Q), ("W_K", d_K), ("W_V", d_V)):
        gradient[W][...] = outer(f.x, d_out)
        d_x += linear(d_out, params[W].T)

    # x = letter[…] + digit[…] + place: each row of a table collects what reached the cards that used it
    gradient["letter"][...] = collect(cards.letters, LETTERS, d_x)
    gradient["digit"][...] = collect(cards.digits, DIGITS, d_x)
    gradient["place"][...] = d_x.sum(axis=1).T
    return loss, gradient


def outer(x: Array, d_y: Array) -> Array:
    """xᵀ·d_y, summed over all n·T cards: (d, n, T) and (e, n, T) → (d, e)."""
    return np.asarray(np.einsum("dnt,ent->de", x, d_y))


def collect(index: Array, size: int, d_x: Array) -> Array:
    """What reached the cards with each index, added up: (n, T) and (d, n, T) → (size, d)."""
    d = len(d_x)
    at = np.arange(d)[:, None, None] * size + index  # (d, n, T) a place for each feature and index
    return np.bincount(at.ravel(), d_x.ravel(), d * size).reshape(d, size).T


# ---------------------------------------------------------------------------------------- the training


@dataclass
class Adam:
    """Kingma & Ba 2015: step along the running mean of the gradient over the root of that of its square."""

    size: int
    rate: float
    steps: int
    done: int = 0
    mean: Array = field(init=False)
    square: Array = field(init=False)

    def __post_init__(self) -> None:
        self.mean, self.square = np.zeros((2, self.size), np.float32)

    def step(self, values: Array, gradient: Array) -> None:
        """Move `values` (in place) one step. Gradients longer than 1 are cut to 1."""
        gradient = gradient / max(1.0, float(np.linalg.norm(gradient)))
        self.mean += 0.1 * (gradient - self.mean)
        self.square += 0.02 * (gradient * gradient - self.square)
        self.done += 1
        mean = self.mean / (1 - 0.9**self.done)  # the running means began at 0: correct for that
        square = self.square / (1 - 0.98**self.done)
        values -= self._rate() * mean / (np.sqrt(square) + 1e-8)

    def _rate(self) -> float:
        """Rises over the first 50 steps, stays, and falls to nearly 0 over the second half."""
        left = 1 - (self.done - 1) / self.steps
        return self.rate * min(1, self.done / 50) * (1 if left > 0.5 else 2 * left + 1e-3)


@dataclass(frozen=True)
class Model:
    """A trained layer: its parameters, its number of heads, and the loss at each step of its training."""

    params: Params
    h: int
    losses: list[float]


def train(
    h: int,
    steps: int = 640,
    d_model: int = 16,
    seed: int = 0,
    *,
    d_k: int | None = None,
    asked: Sequence[int] = (0, 1, 2, 3),
    rate: float = 0.03,
    rows: int = 32,
    watch: Callable[[int, list[float]], object] = lambda _step, _losses: None,
) -> Model:
    """Train a model with h heads on fresh deals of 32 rows; `watch(step, losses)` is called after each step.

    `d_k` widens (or narrows) queries and keys alone, which adds (or takes) weights: values keep d_model / h.

    Raises ValueError if d_model is not a multiple of h.
    """
    if h < 1 or d_model % h:
        raise ValueError(f"d_model = {d_model} cannot be split into h = {h} heads of equal width.")
    rng = np.random.default_rng(seed)
    compared = h * d_k if d_k else d_model
    params = Params.random(d_model, rng, compared=compared)
    adam = Adam(params.flat.size, rate, steps)
    gradient = Params(d_model, compared=compared)
    losses: list[float] = []
    for step in range(1, steps + 1):
        loss, _ = loss_and_gradient(params, deal(rows, rng), h, asked, gradient)
        adam.step(params.flat, gradient.flat)
        losses.append(loss)
        watch(step, losses)
    return Model(params, h, losses)


def accuracy(model: Model, without: Sequence[int] = (), *, rows: int = 512) -> Array:
    """The share of right answers to each question, (4,), on deals of their own; chance is .10."""
    cards = deal(rows, np.random.default_rng(999))
    right = forward(model.params, cards, model.h, without).logits.argmax(axis=1) == cards.answers  # (4, n, T)
    return np.asarray(right.sum(axis=(1, 2)) / (cards.answers >= 0).sum(axis=(1, 2)))
