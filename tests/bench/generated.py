"""A course of many lessons of ordinary size: what the speed of the builder is measured on.

No two have the same prose and formulas. The cells of all are alike, so that once one lesson has been run
the recordings of all are in the cache.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

_COURSE = """\
title = "A generated course"
tagline = "Many lessons of ordinary size."
language = "en"
author = "Nobody"
licence = "CC BY 4.0"
repository = "https://github.com/owner/repo"
required = ["without", "takeaways", "where-used", "removed", "quiz"]

[notation]
query = ["Q"]
key = ["K"]
value = ["V"]
weights = ["weights"]
"""

_WORDS = """
attention query key value head score weight mask token sequence position layer model matrix row column
product softmax projection width sentence word vector sum mean variance gradient reader each every one two
several other same whole part before after between inside without because therefore although where which
that this these those is are was becomes gives takes looks learns keeps loses shows needs makes finds mixes
"""

_FORMULAS = (
    r"w_{{{n}}} = \frac{{e^{{s_{{{n}}}}}}}{{\sum_j e^{{s_j}}}}",
    r"Q_{{{n}}} = X W^Q_{{{n}}} \in \mathbb{{R}}^{{{n} \times d_k}}",
    r"\mathrm{{softmax}}\left(\frac{{Q K^\top}}{{\sqrt{{d_k}}}} + {n}\right) V",
    r"\sum_{{i=1}}^{{{n}}} x_i^2",
    r"h = {n}",
)

_CELLS = '''\
```python setup
import numpy as np

def softmax(scores):
    """Weights that sum to 1 along the last axis."""
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
```

```python run inputs
rng = np.random.default_rng(31)
tokens = "the cat sat on the mat because it was tired".split()
X = rng.normal(size=(len(tokens), 16))   # (seq, d_model)
X.shape
```

```python run heads
def attend(X, h, seed):
    """h heads with random projections: the outputs and the weights of all heads."""
    rng = np.random.default_rng(seed)
    seq, d_model = X.shape
    d_k = d_model // h
    outputs, weights = [], []
    for head in range(h):
        W_q, W_k, W_v = rng.normal(size=(3, d_model, d_k))   # each (d_model, d_k)
        Q, K, V = X @ W_q, X @ W_k, X @ W_v                  # each (seq, d_k)
        w = softmax(Q @ K.T / np.sqrt(d_k))                  # (seq, seq)
        outputs.append(w @ V)
        weights.append(w)
    return np.concatenate(outputs, axis=-1), np.stack(weights)

out, weights = attend(X, h=4, seed=31)
print(out.shape, weights.shape)
show_attention(weights, tokens)
```

```python run sums
for head, w in enumerate(weights):
    print(f"head {head}: rows sum to {w.sum(axis=-1).min():.3f}")
```
'''


def write_course(folder: Path, lessons: int) -> None:
    """Write the sources of a course with this many lessons below `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "course.toml").write_text(_COURSE, encoding="utf-8")
    for number in range(1, lessons + 1):
        place = folder / _slug(number)
        place.mkdir(exist_ok=True)
        (place / "lesson.md").write_text(lesson_text(number, lessons), encoding="utf-8")


def lesson_text(number: int, lessons: int) -> str:
    """The source of one lesson: about 2,300 words, 30 formulas, 4 cells, a heat map, 3 quizzes."""
    chance = random.Random(number)
    setup, *cells = re.findall(r"```python.*?^```\n", _CELLS, re.DOTALL | re.MULTILINE)
    body = [
        f"---\ntitle: Generated lesson {number}\nnumber: {number}\n"
        f"tagline: {_sentence(chance)}\nsummary: {_sentence(chance)}\n---\n",
        f"::: without\n{_paragraph(chance)}\n:::\n",
        setup,
    ]
    for part in range(6):
        body.append(f"## Part {part + 1} of lesson {number}\n")
        body += [_paragraph(chance) + "\n" for _ in range(3)]
        body.append(f"$$\n{_formula(chance, number)}\n$$\n")
        body.append("\n".join(f"- {_sentence(chance)}" for _ in range(4)) + "\n")
        if part < len(cells):
            body.append(cells[part])
    body.append(f"### A table\n\n| query | key |\n|---|---|\n| ${_formula(chance, number)}$ | {number} |\n")
    body += [_quiz(chance, number, i) for i in range(3)]
    other = _slug(number % lessons + 1)
    body.append(f"Go on with [the next lesson](../{other}/#part-1-of-lesson-{number % lessons + 1}).\n")
    body += [
        f"::: {kind}\n- {_sentence(chance)}\n- {_sentence(chance)}\n:::\n"
        for kind in ("takeaways", "where-used", "removed")
    ]
    return "\n".join(body)


def _slug(number: int) -> str:
    return f"{number:03}-generated-lesson"


def _sentence(chance: random.Random) -> str:
    words = " ".join(chance.choices(_WORDS.split(), k=chance.randint(9, 18)))
    return f"{words.capitalize()}."


def _paragraph(chance: random.Random) -> str:
    formula, word = _formula(chance, chance.randint(1, 60)), chance.choice(_WORDS.split())
    last = f"With ${formula}$ and `weights`, *{word}* counts."
    return " ".join([*(_sentence(chance) for _ in range(4)), last])


def _formula(chance: random.Random, number: int) -> str:
    return chance.choice(_FORMULAS).format(n=number)


def _quiz(chance: random.Random, number: int, place: int) -> str:
    answers = [f"- [ ] {_sentence(chance)} — {_sentence(chance)}" for _ in range(3)]
    answers.append(f"- [x] Lesson {number}. — {_sentence(chance)}")
    return "\n".join([f"```quiz question-{place}", _sentence(chance), "", *answers, "```", ""])
