"""Pages as HTML: sections, outputs, outline, head, links between lessons, links that are dead."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from sitebuilder.course import source_address
from sitebuilder.lines import as_shown
from sitebuilder.links import dead_links, read_links, repeated_ids
from sitebuilder.markup import tags
from sitebuilder.model import ATTENTION_MIME, CellRun, Display, Stream
from sitebuilder.pages import shown_output, source_hash
from sitebuilder.render import pre_text
from tests.project import ROOT
from tests.workbench import BODY, Bench, lesson, two_lessons

FRAME = {
    "version": 2,
    "h": 1,
    "nq": 1,
    "nk": 2,
    "queryTokens": ["a"],
    "keyTokens": ["a", "b"],
    "weights": [[0.25, 0.75]],
    "scores": None,
    "mask": None,
    "headLabels": None,
    "checks": [],
}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def page_of(bench: Bench, body: str, **files: str) -> str:
    """The page of a course's only lesson."""
    bench.write({"01-first/lesson.md": lesson(1, body), **files})
    bench.build()
    return bench.page("01-first/index.html")


def one_line(html: str) -> str:
    return re.sub(r"\s*\n\s*", "", html)


@pytest.mark.parametrize(
    ("source", "html"),
    [
        (
            "::: without\nx\n:::",
            '<aside class="part without" aria-labelledby="without">'
            '<h2 class="part-title" id="without">Without this</h2><p>x</p></aside>',
        ),
        (
            "::: pitfall A title\nx\n:::",
            '<aside class="part pitfall" aria-labelledby="pitfall"><h2 class="part-title" id="pitfall">'
            '<span class="part-kind">Pitfall</span> A title</h2><p>x</p></aside>',
        ),
        (
            "::: takeaways\nx\n:::",
            '<section class="part takeaways" aria-labelledby="takeaways">'
            '<h2 class="part-title" id="takeaways">What to take away</h2><p>x</p></section>',
        ),
        ("::: where-used\nx\n:::", '<h2 class="part-title" id="where-used">Where it is used</h2>'),
        ("::: removed\nx\n:::", '<h2 class="part-title" id="removed">If it were removed</h2>'),
        ("::: removed And *then*?\nx\n:::", '<h2 class="part-title" id="removed">And <em>then</em>?</h2>'),
        ("::: note\nx\n:::", '<aside class="part note"><p>x</p></aside>'),
        ("::: note\nx\n:::\n\n::: note Two\ny\n:::", '<h2 class="part-title" id="note-2">Two</h2>'),
        (
            "::: note\n::: note In\nx\n:::\n:::",
            '<aside class="part note"><aside class="part note" aria-labelledby="note-2">',
        ),
        ("## Note\n\n::: note Aside\nx\n:::", 'aria-labelledby="note-2"'),
        (
            "::: figure shapes\nx\n:::",
            '<figure class="figure figure-shapes" id="figure-shapes"><p>x</p></figure>',
        ),
        (
            "::: figure shapes A title\nx\n:::",
            "<p>x</p><figcaption><b>Figure 1</b> A title</figcaption></figure>",
        ),
    ],
)
def test_a_section_is_marked_up_for_what_it_is(bench: Bench, source: str, html: str) -> None:
    assert html in one_line(page_of(bench, source))


def test_the_contents_weave_headings_and_sections(bench: Bench) -> None:
    body = "## A\n\n### B\n\n::: takeaways\n### Inside\nx\n:::\n\n::: note Aside\nx\n:::\n\n## $x$ and C\n"
    contents = one_line(page_of(bench, body)).split("<nav")[1].split("</nav>")[0]
    assert re.findall(r'<a href="#(.*?)">(.*?)</a>', contents) == [
        ("a", "A"),
        ("b", "B"),
        ("takeaways", "What to take away"),
        ("inside", "Inside"),
        ("x-and-c", "<math><mi>1</mi></math> and C"),
    ]
    assert '<li><a href="#a">A</a><ol><li><a href="#b">B</a></li></ol></li>' in contents


def test_a_lesson_without_headings_has_no_contents(bench: Bench) -> None:
    assert "<nav" not in page_of(bench, "Only words.")


def test_a_cell_shows_its_source_and_what_it_said(bench: Bench) -> None:
    run = CellRun(
        "hello", (Stream("stdout", "a\n"), Stream("stderr", "b\n"), Display("text/plain", "(3, 4)"))
    )
    bench.write({"01-first/lesson.md": lesson(1)})
    bench.build(runs={"hello": run})
    page = bench.page("01-first/index.html")
    cell = page[page.index("<code-cell") : page.index("</code-cell>")]
    assert cell.startswith('<code-cell id="cell-hello" name="hello" kind="run" data-state="idle">')
    code = re.search(r'<pre class="code" tabindex="0"><code>(.*?)</code></pre>', cell, re.DOTALL)
    assert code
    assert re.sub("<[^>]*>", "", code[1]) == "print(&#34;hello&#34;)"
    output = cell.split("data-output>")[1].split("</div>")[0]
    assert output == (
        '<pre class="stream" data-stream="stdout" tabindex="0">a\n</pre>'
        '<pre class="stream" data-stream="stderr" tabindex="0">b\n</pre>'
        '<pre class="value" tabindex="0">(3, 4)</pre>'
    )


@pytest.mark.parametrize(
    ("outputs", "texts", "figures"),
    [
        ((), (), []),
        ((Stream("stdout", "a"), Stream("stdout", "b")), (Stream("stdout", "ab"),), []),
        (
            (Stream("stdout", "a"), Stream("stderr", "b"), Stream("stdout", "c")),
            (Stream("stdout", "a"), Stream("stderr", "b"), Stream("stdout", "c")),
            [],
        ),
        (
            (Stream("stdout", "a"), Display(ATTENTION_MIME, FRAME), Stream("stdout", "b")),
            (Stream("stdout", "ab"),),
            ["c"],
        ),
        ((Display(ATTENTION_MIME, FRAME), Display(ATTENTION_MIME, FRAME)), (), ["c", "c-2"]),
        ((Display("text/plain", "1"), Display("image/unheard-of", "")), (Display("text/plain", "1"),), []),
    ],
)
def test_outputs_are_sorted_into_texts_and_heat_maps(
    outputs: tuple[Stream | Display, ...], texts: tuple[Stream | Display, ...], figures: list[str]
) -> None:
    shown = shown_output(CellRun("c", outputs))
    assert shown.texts == texts
    assert [figure.name for figure in shown.figures] == figures


def test_a_heat_map_stands_under_its_cell(bench: Bench) -> None:
    bench.write({"01-first/lesson.md": lesson(1)})
    bench.build(runs={"hello": CellRun("hello", (Display(ATTENTION_MIME, FRAME),))})
    figures = bench.page("01-first/index.html").split("data-figures>")[1]
    assert '<heat-map name="hello" data-head="0">' in figures.split("</code-cell>")[0]


def test_a_recorded_cell_says_with_what_it_was_recorded(bench: Bench) -> None:
    recorded = (
        '{"tools": {"torch": "2.13.0"}, "cells": {"torch": {"sha256": "%s", "outputs": '
        '[{"type": "stream", "name": "stdout", "text": "4\\n"}]}}}'
    )
    digest = hashlib.sha256(b"print(2 + 2)").hexdigest()
    page = page_of(
        bench,
        "```python read torch\nprint(2 + 2)\n```\n\n```python read later\n1\n```\n",
        **{"01-first/recorded.json": recorded % digest},
    )
    first, later = page.split("<code-cell")[1:]
    assert 'kind="read"' in first
    assert '<pre class="stream" data-stream="stdout" tabindex="0">4\n</pre>' in first
    assert "Recorded with PyTorch 2.13.0" in first
    assert "Recorded" not in later
    assert "torch" not in page.split('id="lesson-data">')[1].split("</script>")[0]


def test_lessons_lead_to_their_neighbours_in_the_order_of_their_numbers(bench: Bench) -> None:
    bench.write({f"{number}-x/lesson.md": lesson(number) for number in (10, 9, 100)})
    bench.build()
    assert re.findall(r'<a href="(\d+-x/)">', bench.page("index.html")) == ["9-x/", "10-x/", "100-x/"]
    assert re.findall(r'rel="(prev|next)" href="(.*?)"', bench.page("10-x/index.html")) == [
        ("prev", "../9-x/"),
        ("next", "../100-x/"),
    ]
    assert 'rel="prev"' not in bench.page("9-x/index.html")
    assert 'rel="next"' not in bench.page("100-x/index.html")


def test_a_lesson_for_instructors_stands_apart(bench: Bench) -> None:
    apart = lesson(9).replace("number: 9", "number: 9\naudience: instructors")
    bench.write({"8-x/lesson.md": lesson(8), "9-x/lesson.md": apart, "10-x/lesson.md": lesson(10)})
    bench.build()
    front = bench.page("index.html")
    assert re.findall(r'<h2><a href="(.*?)">', front) == ["8-x/", "10-x/"]
    assert 'For instructors: <a href="9-x/">A title</a>.' in front
    assert 'rel="next" href="../10-x/"' in bench.page("8-x/index.html")
    assert "lesson-nav" not in bench.page("9-x/index.html")
    assert '<p class="lesson-number">For instructors</p>' in bench.page("9-x/index.html")


def test_the_head_says_what_the_page_is(bench: Bench) -> None:
    head = page_of(bench, BODY).split("</head>")[0]
    for line in (
        '<html lang="en" data-runtime="idle">',
        "<title>1 · A title — A small course</title>",
        '<meta name="description" content="A sentence about it.">',
        '<meta property="og:title" content="1 · A title">',
        '<meta property="og:url" content="https://owner.github.io/repo/01-first/">',
        '<link rel="icon" href="../favicon.svg" type="image/svg+xml">',
        '<link rel="preload" href="../assets/serif-400-0123abcd.woff2" as="font"',
        '<link rel="stylesheet" href="../assets/main-0123abcd.css">',
        '<link rel="modulepreload" href="../assets/chunk-0123abcd.js">',
        '<script type="module" src="../assets/main-0123abcd.js"></script>',
    ):
        assert line in head


def test_the_404_page_holds_at_any_depth(bench: Bench) -> None:
    bench.write(two_lessons())
    bench.build()
    alone = read_links(tags(bench.page("404.html"))).targets
    assert [target for target in alone if not target.startswith(("https://", "data:"))] == []
    bench.build(base="/x/y/")
    based = read_links(tags(bench.page("404.html"))).targets
    assert "/x/y/" in based
    assert [target for target in based if not target.startswith("/x/y/")] == []


def test_a_drawing_stands_in_the_page_itself(bench: Bench) -> None:
    svg = '<?xml version="1.0"?>\n<svg viewBox="0 0 1 1"><path d="M0 0"/></svg>'
    page = page_of(bench, "![A path](path.svg)", **{"01-first/path.svg": svg})
    assert '<path d="M0 0"/>' in page
    assert "<img" not in page


@pytest.mark.parametrize(
    ("text", "html"),
    [("a", "a"), ("\na", "\n\na"), ("<&>", "&lt;&amp;&gt;"), ("", ""), ("a\r\n", "a&#13;\n")],
)
def test_a_pre_keeps_every_character(text: str, html: str) -> None:
    assert pre_text(text) == html


def test_a_cells_hash_is_the_start_of_its_sources_sha256() -> None:
    assert source_hash("print(1)") == "d287bb7f"


@pytest.mark.parametrize(
    ("repository", "address"),
    [
        ("https://github.com/o/r", "https://github.com/o/r/blob/HEAD/a.md"),
        ("https://gitlab.com/o/r/", "https://gitlab.com/o/r/blob/HEAD/a.md"),
        ("https://example.org/", "https://example.org/"),
    ],
)
def test_a_page_names_its_source(repository: str, address: str) -> None:
    assert source_address(repository, "a.md") == address


PAGES = {
    "index.html": '<a href="1-a/">a</a>',
    "1-a/index.html": '<h2 id="here">h</h2><a href="{}">x</a><script>"<a href=\'nowhere/\'>"</script>',
}


@pytest.mark.parametrize(
    ("target", "dead"),
    [
        ("../", False),
        ("..", False),
        ("./", False),
        ("#here", False),
        ("#top", False),
        ("#there", True),
        ("../1-a/#here", False),
        ("../1-a/#there", True),
        ("../1-a/?x=1#here", False),
        ("../1-a", True),
        ("../1-a/index.html", False),
        ("data%20file.csv", False),
        ("data file.csv", False),
        ("nothing.csv", True),
        ("../../", True),
        ("/base/1-a/", False),
        ("/1-a/", True),
        ("https://example.org/", False),
        ("//example.org/", False),
        ("mailto:a@example.org", False),
    ],
)
def test_a_link_is_dead_or_it_is_not(target: str, dead: bool) -> None:
    pages = {path: read_links(tags(html.replace("{}", target))) for path, html in PAGES.items()}
    found = [link.target for link in dead_links(pages, ["1-a/data file.csv"], base="/base/")]
    assert found == ([target] if dead else [])


def test_an_id_that_two_elements_share_is_found() -> None:
    pages = {"a": '<i id="x"></i><i id="y"></i><i id="x"></i>', "b": '<i id="y"></i>'}
    read = {path: read_links(tags(html)) for path, html in pages.items()}
    assert list(repeated_ids(read)) == [("a", "x")]


LINES = json.loads((ROOT / "tests/js/lines-cases.json").read_text(encoding="utf-8"))
"""The same cases as for static/js/lines.js."""


@pytest.mark.parametrize("case", LINES, ids=[case["name"] for case in LINES])
def test_a_recorded_stream_looks_as_it_does_when_the_cell_runs(case: dict[str, Any]) -> None:
    run = CellRun("hello", tuple(Stream("stdout", chunk) for chunk in case["chunks"]))
    [shown] = shown_output(run).texts
    assert shown == Stream("stdout", case["text"])
    assert as_shown(case["text"].replace("\r", "")) == case["text"]


def test_what_utf8_cannot_hold_is_shown_by_a_replacement(bench: Bench) -> None:
    frame = FRAME | {"keyTokens": ["a\ud800", "b"], "queryTokens": ["\udc00"], "headLabels": ["\ud83d"]}
    outputs = (
        Stream("stdout", "<\ud800>\ud83d"),
        Stream("stdout", "\ude42\0"),
        Display("text/plain", "\udfff"),
        Display(ATTENTION_MIME, frame),
    )
    bench.write({"01-first/lesson.md": lesson(1)})
    bench.build(runs={"hello": CellRun("hello", outputs)})
    page = bench.page("01-first/index.html")
    assert "&lt;\ufffd&gt;🙂\ufffd</pre>" in page
    assert ">\ufffd</pre>" in page
    assert '"keyTokens":["a\ufffd","b"]' in page
