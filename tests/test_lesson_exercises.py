"""The exercises of the course's own lessons: sound answers pass in any style, wrong ones are understood."""

from __future__ import annotations

import ast
import builtins
from functools import cache
from textwrap import dedent
from typing import Any

import pytest

from lectern.names import read_names
from sitebuilder.model import Exercise, Lesson
from sitebuilder.parse import parse_lesson
from tests.cells import Answer, Page
from tests.project import ROOT, files


@cache
def lessons() -> tuple[Lesson, ...]:
    return tuple(
        parse_lesson((ROOT / path).read_text(encoding="utf-8"), path) for path in files("lessons/*/lesson.md")
    )


STUDENTS = [lesson for lesson in lessons() if lesson.meta.audience == "students"]
LESSON_OF = {exercise: lesson for lesson in STUDENTS for exercise in lesson.exercises()}
OWN = list(LESSON_OF)


def attempt(name: str, source: str) -> Answer:
    """Check this answer as the page does, after all cells above the exercise."""
    lesson, exercise = next((lesson, one) for one, lesson in LESSON_OF.items() if one.name == name)
    above = [cell for cell in lesson.cells("setup", "run") if cell.line < exercise.line]
    before = [{"name": cell.name, "source": cell.source} for cell in above]
    return Page().run(
        source, cell=name, check=exercise.check.source, before=before, starter=exercise.starter.source
    )


def told(answer: Answer) -> str:
    error: dict[str, Any] = answer.error
    assert error["kind"] == "check", error
    return " ".join(str(error["message"]).split())


def name_of(exercise: Exercise) -> str:
    return exercise.name


@pytest.mark.parametrize("exercise", OWN, ids=name_of)
def test_the_solution_passes_and_the_starter_is_told_kindly(exercise: Exercise) -> None:
    assert attempt(exercise.name, exercise.solution.source).done["error"] is None
    assert attempt(exercise.name, exercise.starter.source).error["kind"] == "check"


@pytest.mark.parametrize("exercise", OWN, ids=name_of)
def test_a_mistake_is_told_what_its_author_promised(exercise: Exercise) -> None:
    for mistake in exercise.mistakes:
        assert mistake.promise in told(attempt(exercise.name, mistake.source))


@pytest.mark.parametrize("exercise", OWN, ids=name_of)
def test_an_exercise_has_hints_and_two_mistakes(exercise: Exercise) -> None:
    assert len(exercise.mistakes) >= 2
    assert len(exercise.hints) >= 2


@pytest.mark.parametrize("exercise", OWN, ids=name_of)
def test_a_check_uses_nothing_that_a_student_may_have_changed(exercise: Exercise) -> None:
    answer = read_names(ast.parse(exercise.starter.source))
    check = read_names(ast.parse(exercise.check.source))
    assert {name for name in check.needs - answer.binds if not hasattr(builtins, name)} == set()


OTHER_RIGHT_ANSWERS = [
    (
        "softmax-rows",
        """
        def softmax_rows(scores):
            return np.apply_along_axis(softmax, -1, scores)
        """,
    ),
    (
        "softmax-rows",
        """
        def softmax_rows(scores):
            flat = scores.reshape(-1, scores.shape[-1])
            e = np.array([np.exp(row - max(row)) for row in flat])
            return (e.T / e.sum(1)).T.reshape(scores.shape)
        """,
    ),
    (
        "softmax-rows",
        """
        def softmax_rows(scores):
            top = scores.max(-1)[..., None]
            return np.exp(scores - top - np.log(np.exp(scores - top).sum(-1)[..., None]))
        """,
    ),
    (
        "scaled-scores",
        "def scaled_scores(Q, K):\n    return np.einsum('qd,kd->qk', Q, K) * Q.shape[1] ** -0.5",
    ),
    ("scaled-scores", "def scaled_scores(Q, K):\n    return np.dot(Q, K.transpose()) / len(Q[0]) ** 0.5"),
    (
        "scaled-scores",
        """
        def scaled_scores(Q, K):
            out = np.zeros((len(Q), len(K)), dtype=np.float32)
            for i, q in enumerate(Q):
                for j, k in enumerate(K):
                    out[i, j] = q @ k / np.sqrt(len(q))
            return out
        """,
    ),
    (
        "attend",
        """
        def attend(Q, K, V):
            weights = np.array([softmax(K @ q / np.sqrt(len(q))) for q in Q])
            return [np.einsum("qk,kd->qd", weights, V), weights]
        """,
    ),
    (
        "padding",
        """
        def ignore_padding(scores, lengths):
            out = np.zeros_like(scores)
            for b, length in enumerate(lengths):
                for q in range(scores.shape[1]):
                    out[b, q, :length] = softmax(scores[b, q, :length])
            return out
        """,
    ),
    (
        "padding",
        """
        def ignore_padding(scores, lengths):
            real = np.arange(scores.shape[2])[None, None] < lengths[:, None, None]
            e = np.exp(scores + np.where(real, 0, -1e9)) * real
            return e / e.sum(2, keepdims=True)
        """,
    ),
    ("split-batch", "def split_batch(x, h):\n    return np.stack([split_heads(one, h) for one in x])"),
    ("split-batch", "def split_batch(x, h):\n    return np.stack(np.split(x, h, axis=-1), axis=1)"),
    ("split-batch", "def split_batch(x, h):\n    return np.moveaxis(x.reshape(*x.shape[:2], h, -1), 2, 1)"),
    (
        "combine-batch",
        "def combine_batch(heads):\n    return np.concatenate(list(np.moveaxis(heads, 1, 0)), -1)",
    ),
    (
        "combine-batch",
        "def combine_batch(heads):\n    return np.array([combine_heads(one) for one in heads])",
    ),
    (
        "causal-weights",
        """
        def causal_weights(Q, K):
            scores = np.einsum("hqd,hkd->hqk", Q, K) / Q.shape[-1] ** 0.5
            return softmax(scores + -1e9 * np.triu(np.ones(scores.shape[1:]), 1))
        """,
    ),
    (
        "causal-weights",
        """
        def causal_weights(Q, K):
            h, n, d_k = Q.shape
            weights = np.zeros((h, n, n))
            for i in range(h):
                for q in range(n):
                    weights[i, q, : q + 1] = softmax(K[i, : q + 1] @ Q[i, q] / np.sqrt(d_k))
            return weights
        """,
    ),
    (
        "causal-weights",
        """
        def causal_weights(Q, K):
            weights = softmax(Q @ K.swapaxes(1, 2) / np.sqrt(Q.shape[-1]))
            weights = np.tril(weights)
            return weights / weights.sum(axis=-1, keepdims=True)
        """,
    ),
    (
        "all-heads",
        """
        def attend(Q, K, V):
            weights = softmax(np.einsum("...qd,...kd->...qk", Q, K) / np.sqrt(Q.shape[-1]))
            return np.einsum("...qk,...kd->...qd", weights, V)
        """,
    ),
    (
        "all-heads",
        "def attend(Q, K, V):\n    return softmax(Q @ np.moveaxis(K, -1, -2) * K.shape[-1] ** -0.5) @ V",
    ),
]


@pytest.mark.parametrize(("name", "source"), OTHER_RIGHT_ANSWERS)
def test_other_styles_pass(name: str, source: str) -> None:
    assert attempt(name, dedent(source)).done["error"] is None


ROWS = "np.array([softmax(K @ q / np.sqrt(len(q))) for q in Q])"


@pytest.mark.parametrize(
    ("name", "source", "words"),
    [
        ("softmax-rows", "def softmax_rows(scores):\n    return [softmax(row) for row in scores]", "a list"),
        (
            "softmax-rows",
            "def softmax_rows(scores):\n    e = np.exp(scores)\n    return e / e.sum(-1)[:, None] + 0.1",
            "sum to 1",
        ),
        (
            "scaled-scores",
            "def scaled_scores(Q, K):\n    return Q @ K.T * np.sqrt(Q.shape[-1])",
            "multiplied",
        ),
        (
            "scaled-scores",
            "def scaled_scores(Q, K):\n    return Q @ K.T / np.sqrt(len(Q))",
            "number of queries",
        ),
        (
            "attend",
            f"def attend(Q, K, V):\n    w = {ROWS}\n    return w, w @ V",
            "wrong way round",
        ),
        (
            "attend",
            f"def attend(Q, K, V):\n    w = {ROWS}\n    return w @ V + 1, w",
            "the output is not",
        ),
        (
            "padding",
            "def ignore_padding(scores, lengths):\n    return np.apply_along_axis(softmax, -1, scores)",
            "without any mask",
        ),
        ("split-batch", "def split_batch(x, h):\n    return x", "expected (batch, h, seq, d_k)"),
        (
            "split-batch",
            "def split_batch(x, h):\n    return x.reshape(*x.shape[:2], h, -1)",
            "still holds all its heads",
        ),
        (
            "combine-batch",
            "def combine_batch(heads):\n    return np.concatenate(list(heads), axis=-1)",
            "The heads are axis 1",
        ),
        (
            "causal-weights",
            "def causal_weights(Q, K):\n    return softmax(Q @ K.swapaxes(1, 2) / Q.shape[-1] ** 0.5)",
            "without any mask",
        ),
        ("all-heads", "def attend(Q, K, V):\n    return softmax(Q @ K.swapaxes(-1, -2)) @ V", "not scaled"),
        (
            "all-heads",
            "def attend(Q, K, V):\n    e = np.exp(Q @ K.swapaxes(-1, -2) / 2)\n    return e / e.sum(0) @ V",
            "along another axis",
        ),
    ],
)
def test_more_wrong_answers_are_understood(name: str, source: str, words: str) -> None:
    assert words in told(attempt(name, source))
