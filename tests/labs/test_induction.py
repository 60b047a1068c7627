"""The two-layer lab of lesson 31: its language, its gradients, and what the shipped weights do."""

from __future__ import annotations

import json
from inspect import signature
from typing import Any

import induction
import numpy as np
import pytest
from induction import BANG, COMMA, LENGTH, LETTERS, SYMBOLS, Params, forward, loss_and_gradient, measure

from tests.labs import record_induction
from tests.project import ROOT

FOLDER = ROOT / "lessons/31-multi-head-attention"


def test_a_line_says_its_letters_again_and_again_in_their_order() -> None:
    written = induction.lines(40, np.random.default_rng(1))
    for symbols, repeats in zip(written.symbols.tolist(), written.repeats.tolist(), strict=True):
        assert len(symbols) == LENGTH + 1
        name = symbols[0]
        said: list[int] = []
        for t, symbol in enumerate(symbols[1:], 1):
            before = symbols[t - 1]
            if symbol in (COMMA, BANG) or symbol == name:
                assert not repeats[t - 1]
            elif before == COMMA or (before == name and t > 1):
                assert symbol == said[-1]
            else:
                assert (symbol in said) == repeats[t - 1]
                assert symbol == said[-len(set(said))] if symbol in said else symbol < LETTERS
                said.append(symbol)


def test_gradients_are_those_of_small_steps() -> None:
    rng = np.random.default_rng(0)
    params = Params(Params.random(rng).flat.astype(np.float64))
    few = induction.lines(3, rng)
    _, gradient = loss_and_gradient(params, few, 2)
    for i in rng.choice(params.flat.size, 60, replace=False):
        losses = []
        for step in (1e-5, -1e-5):
            moved = Params(params.flat.copy())
            moved.flat[i] += step
            losses.append(loss_and_gradient(moved, few, 2)[0])
        assert gradient.flat[i] == pytest.approx((losses[0] - losses[1]) / 2e-5, rel=1e-4, abs=1e-7)


@pytest.fixture(scope="module")
def short() -> induction.Model:
    """Trained here and now with the lesson's seed, for a quarter of the steps."""
    return induction.train(steps=600)


def test_a_short_training_makes_the_head_that_looks_back_and_those_that_depend_on_it(
    short: induction.Model,
) -> None:
    few = induction.held_out(64)
    whole = measure(short, few)
    assert whole["right"] > 0.85
    assert whole["induction"][1].max() > 0.7 > 0.3 > whole["induction"][0].max()
    back = int(whole["previous"][0].argmax())
    without_it, without_its_neighbour = (measure(short, few, without=[(0, h)]) for h in (back, 1 - back))
    assert without_it["loss"] - whole["loss"] > 1.0 > 0.3 > without_its_neighbour["loss"] - whole["loss"]
    assert without_it["induction"][1].max() < whole["induction"][1].max() / 2


def test_one_layer_trained_as_long_cannot_do_it(short: induction.Model) -> None:
    few = induction.held_out(64)
    single = induction.train(steps=600, layers=1)
    assert measure(single, few)["right"] < 0.25 < measure(short, few)["right"] / 3


def test_a_place_sees_nothing_ahead_of_it(short: induction.Model) -> None:
    few = induction.held_out(32)
    changed = induction.Lines(few.symbols.copy(), few.repeats)
    changed.symbols[:, 20:] = 0
    whole, cut = (forward(short.params, each, 2).logits[..., :20] for each in (few, changed))
    assert np.allclose(whole, cut, atol=1e-4)


def recorded(h: int = 2, layers: int = 2) -> dict[str, Any]:
    return dict(json.loads(record_induction.file_of(h, layers).read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def model() -> induction.Model:
    return induction.load(str(FOLDER / "induction.npz"))


def test_the_shipped_weights_are_small_and_do_what_was_recorded(model: induction.Model) -> None:
    assert (FOLDER / "induction.npz").stat().st_size <= 100_000
    lines, found = induction.held_out(), recorded()["0"]
    whole = measure(model, lines)
    assert whole["loss"] == pytest.approx(found["loss"], abs=0.002)
    assert whole["right"] == pytest.approx(found["right"], abs=0.002)
    for head in found["heads"]:
        left = measure(model, lines, without=[(head["layer"] - 1, head["head"] - 1)])
        assert left["loss"] - whole["loss"] == pytest.approx(head["cost"], abs=0.005)
        assert whole["previous"][head["layer"] - 1, head["head"] - 1] == pytest.approx(
            head["previous"], abs=0.002
        )


def test_in_every_seed_one_head_of_layer_1_looks_back_and_layer_2_depends_on_it() -> None:
    assert sorted(recorded()) == ["0", "1", "2", "3", "4"]
    for found in recorded().values():
        first = sorted((h for h in found["heads"] if h["layer"] == 1), key=lambda head: head["previous"])
        second = [head for head in found["heads"] if head["layer"] == 2]
        assert first[-1]["previous"] > 0.6 > 0.35 > first[0]["previous"]
        assert first[-1]["cost"] > 2.0 > 0.3 > first[0]["cost"]
        assert max(head["induction"] for head in second) > 0.9
        assert first[-1]["induction_left"] < 0.3
        assert max(head["induction"] for head in first) < 0.2


def test_with_four_heads_a_pattern_is_not_yet_importance() -> None:
    """The record is whole, and the lesson says in how many seeds it is another head that is missed most."""
    four = recorded(4)
    assert [int(seed) for seed in four] == list(record_induction.SEEDS)
    others = 0
    for found in four.values():
        assert [(head["layer"], head["head"]) for head in found["heads"]] == [
            (layer, head) for layer in (1, 2) for head in (1, 2, 3, 4)
        ]
        first = [head for head in found["heads"] if head["layer"] == 1]
        clearest, missed = (max(first, key=lambda head: head[key]) for key in ("previous", "cost"))
        others += clearest is not missed
    text = " ".join((FOLDER / "lesson.md").read_text(encoding="utf-8").split())
    assert (
        f"in {others} of {len(four)} seeds the one that looks back most is not the one that is missed most"
        in text
    )


def test_the_alphabet_has_letters_names_and_two_marks() -> None:
    assert (SYMBOLS[COMMA], SYMBOLS[BANG], len(SYMBOLS)) == (",", "!", 36)


def test_the_words_about_the_line_on_the_page_hold(model: induction.Model) -> None:
    """Layer 1, head 2 is the diagonal; in the second round layer 2 looks at what came next in the first."""
    line = induction.lines(1, np.random.default_rng(4))
    first, second = (layer.weights[:, 0, :16, :16] for layer in forward(model.params, line, model.h).layers)
    letters = [t for t in range(1, 16) if line.symbols[0, t] < LETTERS]
    assert all(first[1, t].argmax() == t - 1 for t in letters)
    said = line.symbols[0].tolist()
    again = [t for t in letters if line.repeats[0, t] and said.index(said[t]) < t]
    assert len(again) > 3, "there is a second round to look at"
    for t in again:
        assert (second[:, t].argmax(axis=-1) == said.index(said[t + 1])).all(), t
    assert min(head["induction"] for head in recorded()["0"]["heads"][2:]) > 0.9


def test_the_lesson_says_what_was_recorded(model: induction.Model) -> None:
    """Each of these phrases is made of the data; with other data the text must change."""
    found = recorded()["0"]
    back = found["heads"][1]
    assert (back["layer"], back["head"]) == (1, 2)
    firsts = [
        sorted((h for h in one["heads"] if h["layer"] == 1), key=lambda h: h["previous"])
        for one in recorded().values()
    ]
    costs, spared = [[one[i]["cost"] for one in firsts] for i in (-1, 0)]
    single = recorded(layers=1)
    assert sorted(single) == sorted(recorded())
    trained = signature(induction.train).parameters
    phrases = [
        f"has two such layers with {['no', 'one', 'two'][model.h]} heads each",
        f"from a training of {trained['steps'].default:,} steps: the first seed, not the best",
        f"in {len(induction.held_out().symbols)} lines that the training never saw",
        f"One layer gets at most {max(one['right'] for one in single.values()):.2f} of them right",
        f"what is left of their induction pattern is {back['induction_left']:.2f}",
        f"the loss rises by {back['cost']:.2f}",
        f"and {back['right_without']:.2f} of these letters are right instead of {found['right']:.2f}",
        f"That was so in all {len(firsts)} seeds",
        f"costs {min(costs):.1f} to {max(costs):.1f}",
        f"at most {max(spared):.2f}",
    ]
    text = " ".join((FOLDER / "lesson.md").read_text(encoding="utf-8").split())
    assert [phrase for phrase in phrases if phrase not in text] == []
    assert len(model.params["layers"]) == 2
    assert trained["seed"].default == record_induction.SHIPPED[1] == 0
