"""Pack a BERT encoder for the browser: int8 weights with float16 scales, frequent words first. Pure.

What changes no attention map is left out: the pooler, the last layer's feed-forward, positions beyond 64.
LABS.md's measurements chose the format: below int8 the maps break, a smaller vocabulary splits words anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

LAYERS, POSITIONS, GROUP = 6, 64, 96
CORE_ROWS, SHARD_ROWS = 6_144, 256
PART_BYTES = 1 << 20
"""The core comes in parts of this size: each is checked, and progress is told after each."""

Floats = npt.NDArray[np.float32]
Arrays = Iterator[tuple[str, npt.NDArray[Any]]]

_DENSE = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "output": "attention.output.dense",
    "up": "intermediate.dense",
    "down": "output.dense",
}
_NORMS = {"after_attention": "attention.output.LayerNorm", "after_feed_forward": "output.LayerNorm"}
_NOT_IN_LAST = frozenset({"up", "down", "after_feed_forward"})


def read_safetensors(content: bytes) -> dict[str, Floats]:
    """The float32 tensors of a .safetensors file: a header's length, the header as JSON, the numbers.

    Source: the format's description in the repository huggingface/safetensors. Integer tensors are left out.
    """
    length = int.from_bytes(content[:8], "little")
    header: dict[str, Any] = json.loads(content[8 : 8 + length])
    header.pop("__metadata__", None)
    tensors = {}
    for name, about in header.items():
        if about["dtype"] == "F32":
            start, end = (8 + length + offset for offset in about["data_offsets"])
            tensors[name] = np.frombuffer(content[start:end], "<f4").reshape(about["shape"])
    return tensors


def frequent_first(vocabulary: Sequence[str]) -> list[int]:
    """The rows of BERT's vocabulary in the order of the pack: special tokens, ASCII, then as they stand.

    From row 1,996 on, BERT's vocabulary is sorted by frequency. Its unused rows stand for no text and go.
    """
    ascii_characters = {piece for c in range(33, 127) for piece in (chr(c), f"##{chr(c)}")}
    first = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    rows = {piece: row for row, piece in enumerate(vocabulary) if not piece.startswith("[unused")}
    chosen = [rows.pop(piece) for piece in first]
    chosen += [rows.pop(piece) for piece in vocabulary if piece in ascii_characters]
    words = [row for row in rows.values() if row >= 1_996]
    return chosen + words + [row for row in rows.values() if row < 1_996]


def pack_encoder(weights: Mapping[str, Floats], vocabulary: Sequence[str]) -> tuple[bytes, list[bytes]]:
    """The core, and the shards with the embeddings of rare pieces.

    A shard is the scales and then the int8 rows of 256 pieces.
    """
    core = core_of(encoder_arrays(weights, vocabulary))
    rare = weights["embeddings.word_embeddings.weight"][frequent_first(vocabulary)[CORE_ROWS:]]
    shards = [rare[start : start + SHARD_ROWS] for start in range(0, len(rare), SHARD_ROWS)]
    return core, [_shard(shard) for shard in shards]


def core_of(arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """The length (4 bytes) of a JSON table `[[name, dtype, shape], …]`, the table, the arrays end to end."""
    table = json.dumps(
        [[name, a.dtype.str, list(a.shape)] for name, a in arrays.items()], separators=(",", ":")
    )
    head = len(table).to_bytes(4, "little") + table.encode()
    return head + b"".join(np.ascontiguousarray(array).tobytes() for array in arrays.values())


def encoder_arrays(
    weights: Mapping[str, Floats],
    vocabulary: Sequence[str],
    *,
    core_rows: int = CORE_ROWS,
    stored: Callable[[str, Floats], Arrays] | None = None,
) -> dict[str, npt.NDArray[Any]]:
    """The arrays of the core by name.

    A matrix (rows, d) is int8 `name` with float16 `name.scales` (rows · d / 96), or as `stored` says.
    """
    matrix = stored or quantised
    rows = frequent_first(vocabulary)
    embeddings = weights["embeddings.word_embeddings.weight"][rows[:core_rows]]  # (rows, d_model)
    pieces = "\n".join(vocabulary[row] for row in rows).encode()
    arrays: dict[str, npt.NDArray[Any]] = {"pieces": np.frombuffer(pieces, np.uint8)}
    arrays |= dict(matrix("embeddings", embeddings))
    arrays |= dict(matrix("positions", weights["embeddings.position_embeddings.weight"][:POSITIONS]))
    arrays["segment"] = weights["embeddings.token_type_embeddings.weight"][0]
    arrays |= dict(_norm("norm", "embeddings.LayerNorm", weights))
    for layer in range(LAYERS):
        there = f"encoder.layer.{layer}"
        for name, dense in _DENSE.items():
            if layer < LAYERS - 1 or name not in _NOT_IN_LAST:
                arrays |= dict(matrix(f"{layer}.{name}", weights[f"{there}.{dense}.weight"]))
                arrays[f"{layer}.{name}.bias"] = weights[f"{there}.{dense}.bias"]
        for name, norm in _NORMS.items():
            if layer < LAYERS - 1 or name not in _NOT_IN_LAST:
                arrays |= dict(_norm(f"{layer}.{name}", f"{there}.{norm}", weights))
    return arrays


def quantised(name: str, matrix: Floats) -> Arrays:
    """int8, and one float16 scale for each 96 numbers of a row."""
    groups = matrix.reshape(-1, GROUP)
    scales = (np.abs(groups).max(axis=1) / 127).astype(np.float16)
    scales[scales == 0] = 1
    whole = np.rint(groups / scales.astype(np.float32)[:, None])
    yield name, np.clip(whole, -127, 127).astype(np.int8).reshape(matrix.shape)
    yield f"{name}.scales", scales


def _norm(name: str, there: str, weights: Mapping[str, Floats]) -> Arrays:
    yield f"{name}.scale", weights[f"{there}.weight"]
    yield f"{name}.shift", weights[f"{there}.bias"]


def _shard(rows: Floats) -> bytes:
    (_, whole), (_, scales) = quantised("", rows)
    return scales.tobytes() + whole.tobytes()
