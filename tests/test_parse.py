"""Reading lessons: what good sources become, and that no source at all ends in a traceback."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import PurePath

import pytest
from markdown_it import MarkdownIt

from sitebuilder.errors import LessonError, LessonErrors
from sitebuilder.faults import decode_source, unify_newlines
from sitebuilder.model import Cell, Lesson, Markdown, Quiz, Section
from sitebuilder.parse import parse_lesson

PATH = PurePath("lessons/31-multi-head-attention/lesson.md")
HEAD = """---
title: Multi-head attention
number: 31
tagline: Several heads at once
summary: One sentence.
---
"""
BODY = HEAD.count("\n") + 1  # the line on which a body given to `lesson` begins


def lesson(body: str) -> Lesson:
    return parse_lesson(HEAD + body, PATH)


def faults(text: str) -> tuple[LessonError, ...]:
    """What is wrong with a lesson's text; nothing if it can be read."""
    try:
        parse_lesson(text, PATH)
    except LessonErrors as error:
        return error.errors
    return ()


QUIZ = """```quiz why-split
Why split?

- [ ] Fewer parameters. — No: the same number.
- [x] Each head has its own softmax. — Right.
```
"""


def test_a_lesson_becomes_blocks_in_source_order() -> None:
    read = lesson(
        "Intro $Q$.\n\n```python setup\nimport numpy as np\n```\n\n## Idea\n\n"
        "::: figure shapes How the shapes change\n```python run heads\nnp.eye(2)\n```\n\n"
        "![Shapes](s.svg)\n:::\n\n" + QUIZ + "\n```python\nshown = 1\n```\n"
    )
    assert [type(block) for block in read.blocks] == [Markdown, Cell, Markdown, Section, Quiz, Markdown]
    assert read.slug == "31-multi-head-attention"
    assert (read.meta.title, read.meta.number, read.meta.packages) == ("Multi-head attention", 31, ())
    assert [(c.role, c.name, c.source, c.line) for c in read.cells()] == [
        ("setup", "setup", "import numpy as np", BODY + 3),
        ("run", "heads", "np.eye(2)", BODY + 10),
    ]
    assert [cell.name for cell in read.cells("run")] == ["heads"]
    (figure,) = read.sections()
    assert (figure.kind, figure.name, figure.line) == ("figure", "shapes", BODY + 8)
    assert figure.title is not None
    assert figure.title.inline
    assert [(image.src, image.alt, image.line) for image in read.images] == [("s.svg", "Shapes", BODY + 13)]
    (quiz,) = read.quizzes()
    assert [choice.correct for choice in quiz.choices] == [False, True]


@pytest.mark.parametrize(
    "source",
    [
        "%pip install einops\nimport einops",
        "await thing()",
        "async for x in xs():\n    print(x)",
        "x = '\\d'",
        "def f():\n\treturn 1\n\n\nf()",
        "s = '''\n:::\n# no heading\n'''",
        "match 1:\n    case _: pass",
        "x = 1  ",
    ],
)
def test_a_cell_keeps_its_source_to_the_character(source: str) -> None:
    assert lesson(f"```python run a\n{source}\n```\n").cells()[0].source == source


def test_setups_need_no_names() -> None:
    read = lesson(
        "```python setup\na = 1\n```\n\n```python setup\nb = 1\n```\n\n```python setup data\nc = 1\n```\n"
    )
    assert [cell.name for cell in read.cells()] == ["setup", "setup-2", "data"]


def test_blocks_nest_and_leave_code_alone() -> None:
    read = lesson("::: note\n```text\n:::\n```\n::: without\nx\n:::\ny\n:::\nz\n")
    assert [type(block) for block in read.blocks] == [Section, Markdown]
    outer = read.blocks[0]
    assert isinstance(outer, Section)
    assert [type(block) for block in outer.blocks] == [Markdown, Section, Markdown]


def test_headings_have_unique_ids_that_give_way_to_chosen_ones() -> None:
    read = lesson(
        "## The idea\n\n### The idea\n\n#### Deep\n\n## Où $d_k$?\n\n"
        "{#idea}\n## Named\n\n## Idea\n\n## 注意\n"
    )
    assert [(heading.level, heading.id) for heading in read.headings] == [
        (2, "the-idea"),
        (3, "the-idea-2"),
        (2, "où-d-k"),
        (2, "idea"),
        (2, "idea-2"),
        (2, "注意"),
    ]


def test_formulas_links_and_pictures_know_their_lines() -> None:
    read = lesson(
        "Text `a\nb` and $x$ with\n[a link $y$](../30-x/\n'title') and $z$.[^n]\n\n"
        "| a | b |\n|---|---|\n| $t$ | [u](u.html) |\n\n$$\n\\frac{a}{b}\n$$\n\n"
        "<div>\n<a href='v.html'>v</a> <img src=w.png alt=''>\n</div>\n\n[^n]: A note\n    with $n$.\n\n"
        "::: note Why $q$?\n![p](p.png)\n:::\n\n"
        "```quiz k\nA\n$k$?\n\n- [ ] $b$\n  — no\n  and $c$\n- [x] `x — y` — yes\n\n  $d$\n```\n"
    )
    at = {formula.tex: formula.line - BODY + 1 for formula in read.formulas}
    assert at == {
        "x": 2,
        "y": 3,
        "z": 4,
        "t": 8,
        r"\frac{a}{b}": 11,
        "n": 19,
        "q": 21,
        "k": 27,
        "b": 29,
        "c": 31,
        "d": 34,
    }
    assert [f.display for f in read.formulas if f.tex.startswith("\\frac")] == [True]
    assert [(link.href, link.line - BODY + 1) for link in read.links] == [
        ("../30-x/", 3),
        ("u.html", 8),
        ("v.html", 15),
    ]
    assert [(image.src, image.line - BODY + 1) for image in read.images] == [("w.png", 15), ("p.png", 22)]


@pytest.mark.parametrize(
    "body",
    [
        "It costs $5 and $6.\n",
        "Prices in \\$ and `$$`.\n",
        "- [ ] a task list is a list\n",
        "~~~text\n``` inside\n~~~\n",
        "````markdown\n```python run heads\n1\n```\n````\n",
        "```text\nplain\n```\n",
        "    ::: indented code\n",
        "<details><summary>More</summary>\n\nText.\n\n</details>\n",
        "A :::note in a line.\n",
        "::::: note\nfive\n:::::\n",
        "[x]{.q} and {.k}\n\n{.wide}\nParagraph.\n",
        "\x01 \u2028 \ud7ff \N{GREEK SMALL LETTER ALPHA}\n",
        "<![nonsense id=3\n",
        ">" * 200 + " deep\n",
        "",
    ],
)
def test_unusual_bodies_are_no_faults(body: str) -> None:
    lesson(body)


def test_a_line_of_a_megabyte_is_refused_before_it_takes_minutes() -> None:
    (fault,) = faults(HEAD + "One.\n" + "![](" * 250_000 + "\n")
    assert str(fault) == f"{PATH}:{BODY + 1}: this line has 1,000,000 characters; {fault.remedy}"
    assert [fault.line for fault in faults(HEAD.replace("One", "[" * 1_000_000))] == [5]
    assert not faults(HEAD + "a " * 50_000 + "\n")


NOISE = [
    *"a #-[](){}^|<>!'*$`:\\\n\r\t\x00&é—=",
    *(
        "```",
        ":::",
        "$$",
        "\n\n",
        "---\n",
        "python run a\n",
        "quiz a\n",
        " note\n",
        "- [x] ",
        " — ",
        "#a}",
        "## ",
        "python exercise a\n",
        "python mistake a\n# no\n",
        "hint a\n",
        "[@a]",
        "](cell:a)",
        "x  # → 1\n",
    ),
    *("[^1]: ", "|---|\n", "<a href=", "title: ", "%pip install", "    "),
]


def test_noise_never_ends_in_a_traceback() -> None:
    dice = random.Random(31)
    for _ in range(400):
        text = "".join(dice.choices(NOISE, k=dice.randint(1, 60)))
        for source in (text, HEAD + text):
            last = unify_newlines(source).count("\n") + 1
            assert all(1 <= fault.line <= last and fault.remedy for fault in faults(source))


def test_bytes_that_are_not_utf8_are_refused_at_their_line() -> None:
    with pytest.raises(
        LessonErrors, match=r"lesson\.md:3: this line is not UTF-8 text; save the file as UTF-8"
    ):
        decode_source("one\r\ntwo\r\ncaf\xe9".encode("latin-1"), PATH)
    assert decode_source("\ufeffé".encode(), PATH) == "é"


def test_a_lesson_takes_little_more_time_than_its_markdown_alone() -> None:
    # Plain CommonMark takes 2 to 10 ms for it, by machine; so 200 lessons are read well within 3 s.
    prose = (
        "Some *words* about $Q_{n}$ and what they\nmean for the reader, in a few lines\nwith `code` too.\n\n"
    )
    code = "```python run cell-{n}\n" + "scores = Q @ K.T / np.sqrt(d_k)  # (seq, seq)\n" * 15 + "```\n\n"
    part = "## Part {n}\n\n" + prose * 5 + code + "- one [link](../30-x/)\n- two\n\n"
    body = "".join(part.replace("{n}", str(n)) for n in range(7))
    assert 280 < body.count("\n") < 320

    def seconds(read: Callable[[str], object]) -> float:
        start = time.process_time()
        read(body)
        return time.process_time() - start

    plain = MarkdownIt("commonmark")
    assert min(seconds(lesson) for _ in range(30)) < 2.5 * min(seconds(plain.parse) for _ in range(30))
