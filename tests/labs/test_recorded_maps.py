"""The pictures of six heads in lesson 31 show what the encoder computes, and its words about them hold."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from tests.labs.real_encoder import FOLDER, encoder
from tests.labs.record_maps import PICTURES, STEPS, Pairs, marked, recorded

Recorded = list[tuple[encoder.Reading, Pairs]]


@pytest.fixture(scope="module")
def readings() -> Recorded:
    return recorded()


@pytest.mark.parametrize("name", PICTURES)
def test_each_shade_is_the_weight_to_an_eighth(name: str, readings: Recorded) -> None:
    picture = ElementTree.parse(FOLDER / name).getroot()
    maps = picture.findall("{*}g/{*}g")
    order = [(reading, head) for reading, _ in readings for head in PICTURES[name]]
    for drawn, (reading, (layer, head)) in zip(maps, order, strict=True):
        weights = reading.weights[layer - 1, head - 1]
        shown = np.zeros_like(weights)
        for path in drawn.findall("{*}path[@opacity]"):
            for column, row, width in re.findall(r"M(\d+) (\d+)\.5h(\d+)", path.attrib["d"]):
                shown[int(row), int(column) : int(column) + int(width)] = float(path.attrib["opacity"])
        assert abs(shown - weights).max() <= 0.5 / STEPS + 0.001
    words = [text.text for text in picture.findall(".//{*}text[@text-anchor]/{*}tspan")]
    assert words == [token for reading, _ in readings for token in reading.tokens]


def test_the_words_about_the_second_picture_hold(readings: Recorded) -> None:
    """Much on [CLS]; and of the words, the marked one gets most, or is second."""
    for (layer, head), role in PICTURES["real-heads-2.svg"].items():
        for reading, pairs in readings:
            weights = reading.weights[layer - 1, head - 1]
            assert weights[1:-1, 0].mean() > 0.35
            for query, key in marked(role, pairs):
                row = weights[query]
                assert (row[1:] > row[key]).sum() <= 1, (role, reading.tokens[query])


def test_the_words_about_the_pictures_hold(readings: Recorded) -> None:
    for reading, pairs in readings:
        n = len(reading.tokens)
        previous, sink, nouns = (reading.weights[at] for at in ((0, 2), (4, 5), (2, 8)))
        assert (previous.argmax(-1)[1:] == np.arange(n - 1)).all()
        assert sink[:, 0].min() > 0.5
        for relation, determiner, noun in pairs:
            if relation == "det":
                assert nouns[determiner + 1].argmax() == noun + 1  # [CLS] stands before the words
    assert [len(heads) for heads in PICTURES.values()] == [3, 3]
    assert len(readings) == 3
    text = (FOLDER / "lesson.md").read_text(encoding="utf-8")
    assert "Six of the 72 heads on three sentences" in text
    assert STEPS == 8
    assert "the more weight, in eighths" in text
    assert [name for name in PICTURES if f"({name})" not in text] == []
