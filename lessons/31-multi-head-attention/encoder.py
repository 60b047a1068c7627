"""all-MiniLM-L6-v2 in NumPy: a sentence goes through 6 layers of 12 heads, and all 72 can be seen.

The attention is a parameter: give it your own `multi_head_attention`, and yours is what computes the heads.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from attending import Array, Attention, checked, fitting
from wordpiece import tokenize

from lectern.fetched import Fetched

LAYERS, HEADS, D_MODEL, LONGEST = 6, 12, 384, 64
SHARD = 256  # pieces in a file of rare embeddings


@cache
def load(index: str = "minilm.model.json") -> Encoder:
    """Fetch the weights, 12.4 MB; they are numbers from -127 to 127 with one scale for every 96 of them."""
    files = Fetched(index)
    content = files.read(*files.names("core"))
    start = 4 + int.from_bytes(content[:4], "little")
    arrays = {}
    for name, dtype, shape in json.loads(content[4:start]):
        arrays[name] = np.frombuffer(content, dtype, int(np.prod(shape)), start).reshape(shape)
        start += arrays[name].nbytes
    return Encoder(arrays, files)


class Encoder:
    """A trained encoder. Call it with a sentence; it answers with a Reading."""

    def __init__(self, arrays: Mapping[str, Array], files: Fetched) -> None:
        self.arrays, self.files = arrays, files
        self.rows = {piece: row for row, piece in enumerate(arrays["pieces"].tobytes().decode().split("\n"))}
        self.shards: dict[int, Array] = {}
        self.positions = scaled(arrays["positions"], arrays["positions.scales"])
        self.layers = [self.layer(i) for i in range(LAYERS)]

    def layer(self, i: int) -> dict[str, Any]:
        """The matrices of one layer as float32, in the shapes that `multi_head_attention` expects.

        X gets a column of ones, and W_Q, W_K and W_V a row for it: that is how the biases come in. The
        matrices are stored as PyTorch does, (out, in), and handed over transposed: see Weight. They cannot be
        written to, or a reader's `W_Q *= 2` would go on working in every later sentence.
        """

        def dense(name: str) -> tuple[Array, Array]:
            stored = self.arrays[f"{i}.{name}"], self.arrays[f"{i}.{name}.scales"]
            return scaled(*stored), self.arrays[f"{i}.{name}.bias"]

        output, output_bias = dense("output")
        stored = {"W_O": output.copy()}  # (d_model, d_model)
        for letter, name in [("Q", "query"), ("K", "key"), ("V", "value")]:
            stored[f"W_{letter}"] = np.column_stack(dense(name))  # (d_model, d_model + 1)
        for matrix in stored.values():  # they own their numbers: so no view of one can be unlocked either
            matrix.flags.writeable = False
        params = {name: matrix.T.view(Weight) for name, matrix in stored.items()}
        layer: dict[str, Any] = {"params": params, "output_bias": output_bias}
        if i < LAYERS - 1:  # nothing looks at what the last layer makes of it
            layer |= {"up": dense("up"), "down": dense("down")}
        return layer

    def tokens(self, sentence: str) -> list[str]:
        """The sentence in pieces of words, between [CLS] and [SEP]. Raises ValueError beyond 64."""
        if not isinstance(sentence, str):
            raise TypeError(
                f"the encoder reads a sentence in quotes, and this is of type {type(sentence).__name__}"
            )
        tokens = tokenize(sentence, self.rows)
        if len(tokens) > LONGEST:
            raise ValueError(
                f"This sentence has {len(tokens)} tokens, and the packed model knows {LONGEST} positions. "
                "Shorten it, or read it in parts."
            )
        return tokens

    def embed(self, token: str) -> Array:
        """The token's row (d_model,). That of a rare one has been fetched."""
        row, common = self.rows[token], len(self.arrays["embeddings"])
        if row < common:
            per_row = D_MODEL // 96
            scales = self.arrays["embeddings.scales"][row * per_row : (row + 1) * per_row]
            return scaled(self.arrays["embeddings"][row], scales)
        shard, place = divmod(row - common, SHARD)
        embedding: Array = self.shards[shard][place]
        return embedding

    def fetch_rare(self, tokens: Iterable[str]) -> None:
        """Have the embeddings of the rare ones among these. They lie in files of 256, fetched when needed."""
        rare = (self.rows[token] - len(self.arrays["embeddings"]) for token in tokens)
        missing = sorted({row // SHARD for row in rare if row >= 0} - self.shards.keys())
        contents = self.files.each(*(f"rare-{shard:02}.bin" for shard in missing))
        for shard, content in zip(missing, contents, strict=True):
            n = len(content) // (D_MODEL + 2 * D_MODEL // 96)
            scales = np.frombuffer(content, "<f2", n * D_MODEL // 96)
            rows = np.frombuffer(content, np.int8, n * D_MODEL, scales.nbytes).reshape(n, D_MODEL)
            self.shards[shard] = scaled(rows, scales)

    def __call__(
        self, sentence: str, attention: Attention | None = None, off: Iterable[tuple[int, int]] = ()
    ) -> Reading:
        """Read a sentence; `off` are heads to silence, as (layer, head), counted from 1.

        `attention(X, params, h)` returns the output (n, d_model) and the weights (h, n, n).
        """
        attend = fitting(attention, otherwise=multi_head_attention)
        tokens = self.tokens(sentence)
        self.fetch_rare(tokens)
        n = len(tokens)
        x = np.stack([self.embed(token) for token in tokens]) + self.positions[:n] + self.arrays["segment"]
        x = self.norm(x, "norm")  # (n, d_model)
        weights, states = [], [x]
        for i, layer in enumerate(self.layers):
            params = dict(layer["params"])
            silent = [head - 1 for layer_, head in off if layer_ == i + 1]
            if silent:
                params["W_O"] = without(params["W_O"], silent)
            answer = attend(with_ones(x), params, HEADS)
            out, seen = checked(answer, i + 1, output=(n, D_MODEL), weights=(HEADS, n, n))
            weights.append(seen)
            if i == LAYERS - 1:
                break
            x = self.norm(x + out + layer["output_bias"], f"{i}.after_attention")
            x = self.norm(x + feed_forward(x, layer), f"{i}.after_feed_forward")
            states.append(x)
        return Reading(tokens, np.stack(weights), np.stack(states))

    def norm(self, x: Array, name: str) -> Array:
        x = x - x.mean(axis=-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-12)
        return x * self.arrays[f"{name}.scale"] + self.arrays[f"{name}.shift"]


class Reading:
    """n tokens, weights (layers, heads, n, n), and states (layers, n, d_model): what each layer was given."""

    def __init__(self, tokens: list[str], weights: Array, states: Array) -> None:
        self.tokens, self.weights, self.states = tokens, weights, states


class Weight(np.ndarray[Any, np.dtype[np.float32]]):
    """A matrix (in, out) for which `X @ W` is quick in a browser, also in a reader's own attention.

    Pyodide's NumPy has no BLAS; einsum over the rows of X and of W.T, which lie in memory as they are read,
    is about twice as fast there as its matmul. The sums are made in single precision, even if X has become
    double on its way (as by `/ np.sqrt(d_k)`): converting W would take half as long as the product does.
    """

    def __rmatmul__(self, X: Any) -> Any:
        W = self.view(np.ndarray)
        if type(X) is np.ndarray and X.dtype.kind == "f" and X.ndim == W.ndim == 2 and X.shape[1] == len(W):
            product = np.einsum("ni,oi->no", X.astype(np.float32, copy=False), W.T)
            return product.astype(np.result_type(X, W), copy=False)
        return X @ W  # with NumPy's own answer to what does not fit


def multi_head_attention(X: Array, params: Mapping[str, Array], h: int) -> tuple[Array, Array]:
    """Attention as in this lesson, for those who call the encoder without their own."""

    def split(W: Array) -> Array:
        projected: Array = X @ W  # (n, d_model)
        return projected.reshape(len(X), h, -1).transpose(1, 0, 2)

    Q, K, V = split(params["W_Q"]), split(params["W_K"]), split(params["W_V"])
    scores = Q @ K.transpose(0, 2, 1) / np.float32(np.sqrt(Q.shape[-1]))
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)  # (h, n, n)
    heads = (weights @ V).transpose(1, 0, 2).reshape(len(X), -1)
    return heads @ params["W_O"], weights


def feed_forward(x: Array, layer: Mapping[str, Any]) -> Array:
    (up, up_bias), (down, down_bias) = layer["up"], layer["down"]
    hidden = np.einsum("ni,oi->no", x, up) + up_bias  # (n, 1536)
    hidden = 0.5 * hidden * (1 + erf(hidden / np.float32(np.sqrt(2))))  # GELU
    out: Array = np.einsum("ni,oi->no", hidden, down) + down_bias
    return out


def erf(x: Array) -> Array:
    """Within 1.5e-7: Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26. NumPy has none."""
    t = 1 / (1 + 0.3275911 * np.abs(x))
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    result: Array = np.sign(x) * (1 - series * np.exp(-x * x))
    return result


def with_ones(x: Array) -> Array:
    return np.column_stack([x, np.ones(len(x), np.float32)])


def without(W_O: Array, heads: list[int]) -> Array:
    """A head's output meets only its own rows of W_O: with these at 0, it is switched off."""
    rest = W_O.copy(order="K")
    for head in heads:
        rest[head * D_MODEL // HEADS : (head + 1) * D_MODEL // HEADS] = 0
    return rest


def scaled(whole: npt.NDArray[Any], scales: npt.NDArray[Any]) -> Array:
    """float32 from int8 and the scales of each 96 numbers."""
    return (whole.reshape(-1, 96) * scales.astype(np.float32)[:, None]).reshape(whole.shape)
