"""Unsound HTML is told with what to do, at its place in the lesson; sound HTML is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitebuilder.errors import LessonErrors
from sitebuilder.markup import tags
from sitebuilder.structure import flaws
from tests.workbench import Bench, lesson

FLAWS = [
    ("<div><p>x</p>", "<div> is still open where </body> stands"),
    ("<p>x<ul><li>y</ul></p>", "</p> closes nothing"),
    ("<b><i>x</b></i>", "<i> is still open where </b> stands"),
    ("x</div>", "</div> closes nothing"),
    ("<p>x <div>y</div></p>", "</p> closes nothing"),
    ("<ul><div><li>x</div></ul>", "<li> stands inside <div>"),
    ("<li>x</li>", "<li> stands inside <body>"),
    ("<table><td>x</td></table>", "<td> stands inside <table>"),
    ('<a href="x">a <a href="y">b</a></a>', "<a> stands inside <a>"),
    ('<a href="x"><button>b</button></a>', "<button> stands inside <a>"),
    ('<img src="x.png">', "a picture has no alt"),
    ('<iframe src="x"></iframe>', "a frame has no title"),
    ('<a href="x"></a>', "a link has no text"),
    ('<a href="x"><svg><path/></svg></a>', "a link has no text"),
    ("<button> <i></i> </button>", "a button has no text"),
    ('<i aria-labelledby="a b" id="a"></i>', "aria-labelledby names “b”"),
    ('<label for="nothing">x</label>', "for names “nothing”"),
    ('<i tabindex="3">x</i>', "a tabindex above 0"),
    ("<h3>x</h3>", "this heading skips a level (<h1> to <h3>)"),
    ("<h1>x</h1>", "the page has a second <h1>"),
]

SOUND = [
    "<p>x<p>y<ul><li>a<li>b</ul>",
    "<dl><dt>a<dd>b<dt>c<dd>d</dl>",
    "<table><tbody><tr><td>a<td>b<tr><td>c</table>",
    "<svg><path d='M0 0'/><g><circle/></g></svg> <br> <img src=x alt=''>",
    '<a href="x"><img src="y.png" alt="A line"></a> <a id="here"></a>',
    '<button aria-label="Close"><svg><path/></svg></button>',
    '<label for="i">x</label><input id="i"><i aria-describedby="i">y</i>',
    "<h2>x</h2><h3>y</h3><h2>z</h2>",
    "<script>if (a < b) document.write('<div>')</script><style>a > b { }</style>",
    "<math><mi>x</mi><mo>&lt;</mo></math> a < b",
    '<a href="x"><math><mi>x</mi></math></a>',
    "<!-- <div> --><P>capitals</P>",
]


def told(body: str) -> list[str]:
    html = f"<!doctype html><html><body><h1>t</h1>{body}</body></html>"
    return [flaw.problem for flaw in flaws(html, list(tags(html)))]


@pytest.mark.parametrize(("body", "problem"), FLAWS)
def test_a_flaw_is_told_once(body: str, problem: str) -> None:
    assert [said for said in told(body) if said.startswith(problem)]
    assert len(told(body)) == 1


@pytest.mark.parametrize("body", SOUND)
def test_what_html_allows_is_no_flaw(body: str) -> None:
    assert told(body) == []


def test_a_flaw_of_a_lesson_has_its_line_and_column(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write({"01-first/lesson.md": lesson(1, 'Words.\n\nHere: <a href="https://example.org/"></a>\n')})
    with pytest.raises(LessonErrors) as caught:
        bench.build(check=True)
    assert str(caught.value) == (
        "lessons/01-first/lesson.md:10:7: a link has no text; write its words, or say them in aria-label"
    )


def test_a_site_larger_than_pages_takes_is_refused(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write({"01-first/lesson.md": lesson(1)})
    for n in range(11):
        with (bench.lessons / f"01-first/large-{n}.bin").open("wb") as file:
            file.truncate(95 * 1024**2)  # sparse: no byte of it is written
    with pytest.raises(LessonErrors, match="GitHub Pages takes no more than 1 GB"):
        bench.build(check=True)
