"""What the encoder's heads do, measured over the annotated sentences beside lesson 31."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from encoder import Encoder, Reading
from wordpiece import is_punctuation, pieces, words

Floats = npt.NDArray[np.float64]

RELATIONS = {
    "det": ("determiner", "noun"),
    "obj": ("verb", "object"),
    "prep": ("preposition", "noun"),
    "pron": ("pronoun", "antecedent"),
}


@dataclass(frozen=True)
class Pair:
    """In sentence number `sentence`, the word at `query` should find the one at `key`."""

    relation: str
    sentence: int
    query: int
    key: int


def annotated(file: Path) -> list[tuple[str, list[tuple[str, int, int]]]]:
    """Each sentence, and its pairs: the relation and the places of the two words."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return [read_line(line) for line in lines if not line.startswith("#")]


def read_line(line: str) -> tuple[str, list[tuple[str, int, int]]]:
    """A sentence, and its pairs."""
    sentence, _, notes = (part.strip() for part in line.partition("|"))
    order = words(sentence)
    return sentence, [_pair(note, order, sentence) for note in notes.split()]


def _pair(note: str, order: Sequence[str], sentence: str) -> tuple[str, int, int]:
    relation, _, both = note.partition(":")
    places = []
    for name in both.split(">"):
        word, _, number = name.partition("@")
        hits = [place for place, each in enumerate(order) if each == word]
        if len(hits) < int(number or 1):
            raise ValueError(f"{sentence} has no {name}")
        places.append(hits[int(number or 1) - 1])
    return relation, places[0], places[1]


def by_word(reading: Reading, sentence: str, encoder: Encoder) -> Floats:
    """Weights (layers, heads, words, words): the mean over a query's pieces, the sum over a key's."""
    spans, start = [], 1  # after [CLS]
    for word in words(sentence):
        count = len(pieces(word, encoder.rows))
        spans.append(slice(start, start + count))
        start += count
    rows = np.stack([reading.weights[:, :, span].mean(axis=2) for span in spans], axis=2)
    return np.stack([rows[..., span].sum(axis=-1) for span in spans], axis=-1)


def measure(encoder: Encoder, file: Path) -> dict[str, Any]:
    """All that the lesson tells of these heads."""
    sentences = annotated(file)
    readings = [encoder(sentence) for sentence, _ in sentences]
    maps = [by_word(r, s, encoder) for r, (s, _) in zip(readings, sentences, strict=True)]
    pairs = [Pair(rel, i, a, b) for i, (_, notes) in enumerate(sentences) for rel, a, b in notes]
    roles = [_role(name, both, maps) for name, both in _both_ways(pairs)]
    return {
        "sentences": len(sentences),
        "roles": sorted(roles, key=lambda role: role["lower"] - role["baseline"], reverse=True),
        "previous": _best(_mean_at(readings, -1)),
        "next": _best(_mean_at(readings, 1)),
        "punctuation": _best(_punctuation(readings)),
        "median_punctuation": _rounded(np.median(_punctuation(readings))),
        "sink": _best(_sink(readings)),
        "median_sink": _rounded(np.median(_sink(readings))),
    }


def _both_ways(pairs: Sequence[Pair]) -> Iterator[tuple[str, list[Pair]]]:
    for relation, (one, other) in RELATIONS.items():
        own = [pair for pair in pairs if pair.relation == relation]
        yield f"{one} → {other}", own
        yield f"{other} → {one}", [Pair(p.relation, p.sentence, p.key, p.query) for p in own]


def _role(name: str, pairs: Sequence[Pair], maps: Sequence[Floats]) -> dict[str, Any]:
    """The head that is best on the odd sentences, judged on the even ones.

    Beside it the best that a fixed distance can do there: chosen with hindsight, so the comparison is hard.
    """
    right = np.stack([_hits(pair, maps) for pair in pairs])  # (pairs, layers, heads)
    offsets = np.array([pair.key - pair.query for pair in pairs])
    chosen_on = np.array([pair.sentence % 2 == 0 for pair in pairs])  # the first sentence is number 0
    head = np.unravel_index(right[chosen_on].mean(axis=0).argmax(), right.shape[1:])
    held_out = right[~chosen_on][:, *head]
    _, counts = np.unique(offsets[~chosen_on], return_counts=True)
    return {
        "role": name,
        "layer": int(head[0]) + 1,
        "head": int(head[1]) + 1,
        "chosen": _rounded(right[chosen_on][:, *head].mean()),
        "score": _rounded(held_out.mean()),
        "lower": _rounded(wilson_lower(int(held_out.sum()), len(held_out))),
        "n": len(held_out),
        "baseline": _rounded(counts.max() / len(held_out)),
    }


def _hits(pair: Pair, maps: Sequence[Floats]) -> npt.NDArray[np.bool_]:
    """Which heads give the largest weight, the word itself apart, to the right word. (layers, heads)"""
    row = maps[pair.sentence][:, :, pair.query].copy()
    row[:, :, pair.query] = -1
    return np.asarray(row.argmax(axis=-1) == pair.key)


def wilson_lower(right: int, n: int, z: float = 1.96) -> float:
    """The lower end of Wilson's 95 % interval for a share of `right` in `n` (E. B. Wilson, JASA 1927)."""
    share = right / n
    middle = share + z * z / (2 * n)
    spread = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return (middle - spread) / (1 + z * z / n)


def _mean_at(readings: Sequence[Reading], offset: int) -> Floats:
    """The mean weight on the token so many places further; [CLS] and [SEP] neither ask nor answer."""
    rows = []
    for reading in readings:
        n = len(reading.tokens)
        for i in range(1, n - 1):
            if 1 <= i + offset < n - 1:
                rows.append(reading.weights[:, :, i, i + offset])
    return np.asarray(np.mean(rows, axis=0))


def _sink(readings: Sequence[Reading]) -> Floats:
    """The mean weight that tokens give to [CLS]."""
    rows = [reading.weights[:, :, 1:-1, 0].mean(axis=-1) for reading in readings]
    return np.asarray(np.mean(rows, axis=0))


def _punctuation(readings: Sequence[Reading]) -> Floats:
    """The mean weight that words give to punctuation marks."""
    rows = []
    for reading in readings:
        marks = np.array([len(token) == 1 and is_punctuation(token) for token in reading.tokens])
        asking = ~marks
        asking[[0, -1]] = False  # [CLS] and [SEP]
        rows.append(reading.weights[:, :, asking][..., marks].sum(axis=-1).mean(axis=-1))
    return np.asarray(np.mean(rows, axis=0))


def _best(scores: Floats) -> dict[str, Any]:
    layer, head = np.unravel_index(scores.argmax(), scores.shape)
    return {"layer": int(layer) + 1, "head": int(head) + 1, "weight": _rounded(scores.max())}


def _rounded(value: Any) -> float:
    return round(float(value), 2)
