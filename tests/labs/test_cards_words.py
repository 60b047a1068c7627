"""What lesson 31 says about the heads of the model that its own cells train: looked at, and switched off."""

from __future__ import annotations

import json
from typing import Any

import cards
import numpy as np
import numpy.typing as npt
import pytest

from tests.project import ROOT

FOLDER = ROOT / "lessons/31-multi-head-attention"


def recorded() -> dict[str, Any]:
    return dict(json.loads((FOLDER / "cards.json").read_text(encoding="utf-8"))["short"])


@pytest.fixture(scope="module")
def model() -> cards.Model:
    """As in the cell `train-heads`."""
    found = recorded()
    return cards.train(4, found["steps"], found["d_model"], seed=0, rate=found["rate"])


def test_each_question_has_a_head_that_looks_at_its_card(model: cards.Model) -> None:
    """*In one head you will find the diagonal …*: of the deal on the page, in the last eight rows."""
    row = cards.deal(1, np.random.default_rng(3))
    letters = row.letters[0].tolist()
    asking = range(cards.HALF, cards.CARDS)
    meant = {
        "previous": [t - 1 for t in asking],
        "two back": [t - 2 for t in asking],
        "first": [0 for _ in asking],
        "same letter": [letters.index(letters[t]) for t in asking],
    }
    seen = cards.forward(model.params, row, model.h).weights[:, 0]  # (h, 16, 16)
    looked_at: npt.NDArray[np.int64] = seen[:, cards.HALF :].argmax(axis=-1)  # (h, 8)
    found = {question: (looked_at == places).mean(axis=1) for question, places in meant.items()}
    assert {question: shares.max() for question, shares in found.items()} == dict.fromkeys(meant, 1.0)
    assert len({int(shares.argmax()) for shares in found.values()}) == 4, "a head for each"


def test_each_head_that_goes_takes_one_question_with_it(model: cards.Model) -> None:
    whole = cards.accuracy(model)
    lost = [whole - cards.accuracy(model, without=[head]) for head in range(model.h)]
    assert sorted(int(loss.argmax()) for loss in lost) == [0, 1, 2, 3]
    for loss in lost:
        own = loss.argmax()
        assert whole[own] - loss[own] < 0.2, "down to chance"
        assert np.delete(loss, own).max() < 0.02, "the other three untouched"


def test_which_head_got_which_job_changes_with_the_seed() -> None:
    jobs = {tuple(np.argmax(costs, axis=1)) for costs in recorded()["heads"]["4"]["costs"]}
    assert len(jobs) > 1
