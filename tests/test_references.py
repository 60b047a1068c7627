"""Citations and links by name: what readers see, and each mention of something that is not there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sitebuilder.errors import LessonErrors
from tests.test_exercise_parts import WHOLE
from tests.workbench import BODY, Bench, lesson

VASWANI = """\
[vaswani2017]
authors = ["Ashish Vaswani", "Noam Shazeer", "Niki Parmar"]
year = 2017
title = "Attention is all you need"
venue = "NeurIPS"
url = "https://arxiv.org/abs/1706.03762"
"""
MAATEN = """\
[maaten-2008]
authors = ["van der Maaten, Laurens", "Geoffrey Hinton"]
year = 2008
title = "Visualizing data using t-SNE"
url = "https://example.org/tsne"
"""


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def paragraph(bench: Bench, text: str, *, body: str = "", references: str = VASWANI) -> str:
    """The HTML of a paragraph in a lesson that has some more in its body."""
    second = lesson(2, "## Details\n\nWords.\n", title="The second")
    files = {"01-first/lesson.md": lesson(1, f"{text}\n\n{body}"), "02-second/lesson.md": second}
    bench.write({**files, **({"references.toml": references} if references else {})})
    bench.build()
    found = re.search(
        r"<div class=\"lesson-body\">\s*<p>(.*?)</p>", bench.page("01-first/index.html"), re.DOTALL
    )
    assert found
    return found[1]


def faults(bench: Bench, text: str, *, body: str = "", references: str = "") -> list[str]:
    with pytest.raises(LessonErrors) as caught:
        paragraph(bench, text, body=body, references=references)
    return [str(fault).removeprefix("lessons/") for fault in caught.value.errors]


LINK = '<a class="citation" href="#ref-vaswani2017">Vaswani et al. 2017</a>'


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("As in [@vaswani2017].", f"As in ({LINK})."),
        ("As in [@vaswani2017, Table 3].", f"As in ({LINK}, Table 3)."),
        (
            "As in [@maaten-2008; @vaswani2017].",
            'As in (<a class="citation" href="#ref-maaten-2008">van der Maaten &amp; Hinton 2008</a>; '
            f"{LINK}).",
        ),
        ("`[@vaswani2017]` is [@vaswani2017]", f"<code>[@vaswani2017]</code> is ({LINK})"),
    ],
)
def test_a_citation_names_author_and_year_and_leads_to_the_list(bench: Bench, text: str, html: str) -> None:
    references = VASWANI + (MAATEN if "maaten" in text else "")
    assert paragraph(bench, text, references=references) == html


def test_the_list_of_references_stands_at_the_end_in_the_order_of_names(bench: Bench) -> None:
    paragraph(bench, "[@vaswani2017] and [@maaten-2008] and [@vaswani2017]", references=VASWANI + MAATEN)
    page = bench.page("01-first/index.html")
    assert re.findall(r'<li id="(ref-[^"]*)">(.*?)</li>', page) == [
        (
            "ref-maaten-2008",
            "van der Maaten, Laurens, Geoffrey Hinton (2008). "
            '<a href="https://example.org/tsne" rel="noopener">Visualizing data using t-SNE</a>.',
        ),
        (
            "ref-vaswani2017",
            "Ashish Vaswani, Noam Shazeer, Niki Parmar (2017). "
            '<a href="https://arxiv.org/abs/1706.03762" rel="noopener">Attention is all you need</a>. '
            "<cite>NeurIPS</cite>.",
        ),
    ]
    assert "References" not in bench.page("02-second/index.html")


FIGURES = "::: figure shapes The shapes\nWords.\n:::\n\n::: figure bare\nWords.\n:::\n\n"


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("See [](cell:hello).", 'See <a href="#cell-hello"><code>hello</code></a>.'),
        ("See [the *cell*](cell:hello).", 'See <a href="#cell-hello">the <em>cell</em></a>.'),
        ("See [](exercise:split).", 'See <a href="#cell-split"><code>split</code></a>.'),
        ("See [](figure:shapes).", 'See <a href="#figure-shapes">Figure 1</a>.'),
        ("See [this](figure:bare).", 'See <a href="#figure-bare">this</a>.'),
        ("See [](lesson:02-second).", 'See <a href="../02-second/">Lesson 2 · The second</a>.'),
        ("See [it](lesson:02-second#details).", 'See <a href="../02-second/#details">it</a>.'),
    ],
)
def test_a_link_by_name_leads_there_and_finds_its_own_words(bench: Bench, text: str, html: str) -> None:
    assert paragraph(bench, text, body=BODY + FIGURES + WHOLE, references="") == html


def test_links_by_name_work_in_quizzes_hints_and_captions(bench: Bench) -> None:
    quiz = "```quiz why\nWhy [](cell:hello)?\n\n- [x] So. — [](figure:shapes)\n- [ ] No. — No.\n```\n"
    paragraph(
        bench, "x", body=BODY + FIGURES.replace("The shapes", "Of [](cell:hello)") + quiz, references=""
    )
    page = bench.page("01-first/index.html")
    assert page.count('<a href="#cell-hello"><code>hello</code></a>') == 2
    assert '<a href="#figure-shapes">Figure 1</a>' in page
    assert '<figcaption><b>Figure 1</b> Of <a href="#cell-hello">' in page


HERE = "01-first/lesson.md:8"


@pytest.mark.parametrize(
    ("text", "references", "fault"),
    [
        (
            "As [@vaswani2071].",
            VASWANI.replace("vaswani", "vaswani"),
            f"{HERE}:5: there is no reference `vaswani2071` in references.toml; did you mean `vaswani2017`?",
        ),
        (
            "As [@vaswani2017].",
            "",
            f"{HERE}:5: there is no reference `vaswani2017` in references.toml; "
            "add [vaswani2017] to lessons/references.toml",
        ),
        ("As [@2017].", "", f"{HERE}:4: this looks like a citation, but cannot be read; write `[@key]`, "),
        (
            "See [](cell:helo).",
            "",
            f"{HERE}:8: there is no cell `helo` in this lesson to link to; did you mean `hello`",
        ),
        ("See [](cell:split).", "", f"{HERE}:8: there is no cell `split` in this lesson"),
        (
            "See [](figure:bare).",
            "",
            f"{HERE}:8: the figure `bare` has no caption, so this link has no words; ",
        ),
        (
            "See [](lesson:02-secnd).",
            "",
            f"{HERE}:8: the link lesson:02-secnd is dead: it leads to nothing; did you mean lesson:02-sec",
        ),
        ("See [](lesson:02-second#detail).", "", f"{HERE}:8: the link lesson:02-second#detail is dead: "),
        (
            "See [](https://example.org/).",
            "",
            f"{HERE}:8: this link has no words; write them in the brackets",
        ),
        (
            "Words.",
            VASWANI,
            "references.toml:1: no lesson cites `vaswani2017`; cite it as `[@vaswani2017]`, or",
        ),
        ("[@vaswani2017]", VASWANI.replace("year", "yaer"), "references.toml:1: the key `year` is missing"),
        (
            "[@vaswani2017]",
            VASWANI.replace("2017\n", "'2017'\n"),
            "references.toml:3: `year` must be a whole number",
        ),
        (
            "[@vaswani2017]",
            VASWANI.replace("https", "htps"),
            "references.toml:6: `url` is not a web address; ",
        ),
        (
            "[@vaswani2017]",
            VASWANI.replace("[vas", "[2vas"),
            "references.toml:1: `2vaswani2017` cannot be cited; ",
        ),
        (
            "[@vaswani2017]",
            "year = 2017\n",
            "references.toml:1: `year` stands outside of an entry; put `[key]`",
        ),
        (
            "[@vaswani2017]",
            VASWANI.replace('need"', "need"),
            "references.toml:4: a quotation mark is never closed",
        ),
    ],
)
def test_what_is_not_there_is_told_with_its_place(
    bench: Bench, text: str, references: str, fault: str
) -> None:
    found = faults(bench, text, body=BODY + FIGURES + WHOLE, references=references)
    assert any(each.startswith(fault) for each in found), found


def test_an_unknown_reference_is_told_once(bench: Bench) -> None:
    found = faults(bench, "As [@nobody2000].", body=BODY + FIGURES + WHOLE, references="")
    assert [fault for fault in found if "nobody2000" in fault] == found
    assert len(found) == 1
