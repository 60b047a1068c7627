"""Whole small sites, from lesson sources to files: what is written, what is refused, what stays as it was."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest

from sitebuilder.errors import BuildError, LessonError, LessonErrors
from sitebuilder.model import CellRun, Display, Stream
from tests.project import ROOT
from tests.workbench import BODY, COURSE, Bench, lesson, two_lessons

LINK = re.compile(r'\b(?:href|src)="([^"]*)"')


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def faults_of(bench: Bench, **options: object) -> list[str]:
    with pytest.raises(LessonErrors) as caught:
        bench.build(**options)  # type: ignore[arg-type]
    return [str(error) for error in caught.value.errors]


def test_a_site_is_exactly_these_files(bench: Bench) -> None:
    bench.write({**two_lessons(), "02-second/data/points.csv": "1,2\n", "02-second/recorded.json": NO_CELLS})
    bench.build()
    assert [path for path in sorted(bench.site()) if "/offline-" not in path] == [
        ".nojekyll",
        "01-first/index.html",
        "02-second/data/points.csv",
        "02-second/index.html",
        "404.html",
        "assets/chunk-0123abcd.js",
        "assets/main-0123abcd.css",
        "assets/main-0123abcd.js",
        "assets/serif-400-0123abcd.woff2",
        "assets/serif-400-italic-0123abcd.woff2",
        "assets/worker-0123abcd.js",
        "embed/heat-map.js",
        "favicon.svg",
        "index.html",
        "notices/index.html",
        "runtime/0123456789ab/pyodide.asm.wasm",
        "service-worker.js",
        "sitemap.xml",
    ]


NO_CELLS = '{"tools": {"torch": "2.13.0"}, "cells": {}}'


def test_pages_with_formulas_bring_their_font(bench: Bench) -> None:
    bench.write({**two_lessons(), "01-first/lesson.md": lesson(1, "Let $x$ be.\n\n" + BODY)})
    bench.build()
    site = bench.site()
    font = "assets/math-0123456789abcdef.woff2"
    assert font in site
    assert f'url("../{font}")' in site["01-first/index.html"].decode()
    assert "math-" not in site["02-second/index.html"].decode()


def test_to_read_a_lesson_costs_all_that_its_page_loads(bench: Bench) -> None:
    pictures = "![a cat](cat%20one.png) ![again](../01-first/cat%20one.png) ![a plan](plan.svg) $x$\n\n"
    bench.write(
        {
            **two_lessons(),
            "01-first/lesson.md": lesson(1, pictures + BODY),
            "01-first/cat one.png": "x" * 5_000,
            "01-first/plan.svg": "<svg></svg>",
            "01-first/data.csv": "1,2\n" * 5_000,
        }
    )
    built = bench.build()
    site = bench.site()
    elsewhere = (
        "notices/",
        "runtime/",
        "02-second/",
        "assets/worker",
        "embed/",
        "assets/offline",
        "embed/",
        "service-worker",
        "index",
        "404",
        "sitemap",
        ".nojekyll",
    )
    loaded = {
        path: len(content if path.endswith(("png", "woff2")) else gzip.compress(content, 6))
        for path, content in site.items()
        if not path.startswith(elsewhere) and path not in ("01-first/plan.svg", "01-first/data.csv")
    }
    assert len(loaded) == 9
    assert built.before_run == sum(loaded.values())


@pytest.mark.parametrize(
    ("name", "old", "new", "told"),
    [
        ("index.html", "{{", "{{ nobody }}{{", r"^templates/index\.html:\d+: 'nobody' is undefined; "),
        (
            "index.html",
            "{{",
            "{{ page.nothing }}{{",
            r"^templates/index\.html:\d+: .* no attribute 'nothing'; ",
        ),
        ("index.html", "{{", "{{ 1 // 0 }}{{", r"^templates/index\.html:\d+: ZeroDivisionError: .+; correct"),
        ("_cell.html", "{{", "{{ 1 + '' }}{{", r"^templates/_cell\.html:\d+: TypeError: .+; correct"),
        (
            "index.html",
            "{{",
            "{{ nobody | preformatted }}{{",
            r"^templates/index\.html:\d+: 'nobody' is undefined; ",
        ),
        ("index.html", "{{", "{% if %}{{", r"^templates/index\.html:\d+: "),
        (
            "lesson.html",
            "base.html",
            "bse.html",
            r"^templates/lesson\.html:\d+: there is no template bse\.html; ",
        ),
        ("404.html", None, "", r"there is no template 404\.html; "),
        ("_head.html", "<", "\xe9\n<", r"^templates/_head\.html:\d+: this line is not UTF-8 text; "),
    ],
)
def test_a_faulty_template_is_told_in_a_sentence(
    bench: Bench, tmp_path: Path, name: str, old: str | None, new: str, told: str
) -> None:
    templates = tmp_path / "templates"
    shutil.copytree(ROOT / "templates", templates)
    if old is None:
        (templates / name).unlink()
    else:
        text = (templates / name).read_text(encoding="utf-8").replace(old, new, 1)
        (templates / name).write_bytes(text.encode("latin-1" if new[0] == "\xe9" else "utf-8"))
    bench.write(two_lessons())
    with pytest.raises(BuildError, match=told):
        bench.build(templates=templates)


def test_a_missing_icon_is_told_in_a_sentence(bench: Bench, tmp_path: Path) -> None:
    bench.write(two_lessons())
    with pytest.raises(BuildError, match=r"favicon\.svg is missing, and every page links to it"):
        bench.build(static=tmp_path / "static")


@pytest.mark.parametrize("base", [None, "/course/site/"])
def test_every_link_works_below_a_path(bench: Bench, base: str | None) -> None:
    bench.write(two_lessons())
    bench.build(base=base)
    site = bench.site()
    crawled: set[str] = set()
    waiting = ["index.html", *(["404.html"] if base else [])]
    while waiting:
        page = waiting.pop()
        crawled.add(page)
        for link in LINK.findall(site[page].decode()):
            target = urlsplit(urljoin(f"https://host.test/course/site/{page}", link))
            if target.netloc != "host.test" or target.scheme == "data":
                continue
            assert target.path.startswith("/course/site/"), f"{page} links to {link}"
            path = target.path.removeprefix("/course/site/")
            path += "index.html" if not path or path.endswith("/") else ""
            assert path in site, f"{page} links to {link}"
            if path.endswith(".html") and path not in crawled:
                waiting.append(path)
    assert {page for page in site if page.endswith(".html")} - crawled <= {"404.html"}


def test_two_builds_are_the_same_bytes(bench: Bench) -> None:
    bench.write(two_lessons())
    bench.build()
    first = bench.site()
    bench.build()
    assert bench.site() == first


def test_what_an_author_writes_is_text(bench: Bench) -> None:
    evil = "<script>alert('1')</script> & \\\"co\\\""
    bench.write({"01-first/lesson.md": lesson(1, title=f'"{evil}"')})
    bench.build()
    for page in ("index.html", "01-first/index.html"):
        assert "<script>alert" not in bench.page(page)
        assert "&lt;script&gt;alert" in bench.page(page)


def test_what_a_cell_prints_is_text(bench: Bench) -> None:
    bench.write({"01-first/lesson.md": lesson(1)})
    image = "<img src=x onerror=alert(1)>"
    bench.build(runs={"hello": CellRun("hello", (Stream("stdout", image), Display("text/plain", image)))})
    assert "<img" not in bench.page("01-first/index.html")
    assert bench.page("01-first/index.html").count("&lt;img src=x onerror=alert(1)&gt;") == 2


def test_the_pages_data_survives_any_source(bench: Bench) -> None:
    source = 'text = "</script><!-- <script> & \u2028"'
    bench.write({"01-first/lesson.md": lesson(1, f"```python setup begin\n{source}\n```\n\n{BODY}")})
    bench.build()
    page = bench.page("01-first/index.html")
    data = re.search(r'<script type="application/json" id="lesson-data">(.*?)</script>', page, re.DOTALL)
    assert data
    assert not re.search("[<>&]", data[1])
    cells = {cell["name"]: cell for cell in json.loads(data[1])["cells"]}
    assert cells["begin"]["source"] == source
    assert "source" not in cells["hello"]
    assert "begin" not in page.replace(data[1], "")


@pytest.mark.parametrize(
    ("files", "fault"),
    [
        ({"01-first/notes.txt": ""}, "lessons/01-first/lesson.md:1: this lesson folder has no lesson.md; "),
        (
            {"01-first/lesson.md": lesson(2)},
            "lessons/01-first/lesson.md:3: `number` is 2, but the folder is called 01-first; ",
        ),
        (
            {"02-second/lesson.md": lesson(2), "2-again/lesson.md": lesson(2)},
            "lessons/2-again/lesson.md:3: number 2 is taken",
        ),
        ({"First/lesson.md": lesson(1)}, "lessons/First/lesson.md:1: the folder “First” is not named like"),
        (
            {
                "01-first/lesson.md": lesson(1, BODY + "\nSee\n[it](../02-secnd/).\n"),
                "02-second/lesson.md": lesson(2),
            },
            "lessons/01-first/lesson.md:15:6: the link ../02-secnd/ is dead: "
            "it leads to nothing; did you mean ../02-second/?",
        ),
        (
            {
                "01-first/lesson.md": lesson(1, BODY + "\n[it](../02-second)\n"),
                "02-second/lesson.md": lesson(2),
            },
            "lessons/01-first/lesson.md:14:6: the link ../02-second is dead: "
            "a link to a page ends in /; write ../02-second/",
        ),
        (
            {"01-first/lesson.md": lesson(1, "## First part\n\n[it](#frist-part)\n")},
            "lessons/01-first/lesson.md:10:6: the link #frist-part is dead: "
            "nothing on that page has the id “frist-part”; did you mean #first-part?",
        ),
        (
            {
                "01-first/lesson.md": lesson(1, "## A\n\n[it](../02-second/lesson.md)\n"),
                "02-second/lesson.md": lesson(2),
            },
            "lessons/01-first/lesson.md:10:6: the link ../02-second/lesson.md is dead: "
            "readers have no lesson.md; link to its page: ../02-second/",
        ),
        (
            {"01-first/lesson.md": lesson(1, "## A\n\n![a cat](cat.png)\n")},
            "lessons/01-first/lesson.md:10:10: the picture cat.png is missing; ",
        ),
        (
            {"01-first/lesson.md": lesson(1, "## A\n\n[it](../../elsewhere/)\n")},
            "lessons/01-first/lesson.md:10:6: the link ../../elsewhere/ is dead: it leads to nothing; ",
        ),
        (
            {
                "01-first/lesson.md": lesson(1, "## A\n\n```python read torch\n1\n```\n"),
                "01-first/recorded.json": "{",
            },
            "lessons/01-first/recorded.json:1: this is not a recording: ",
        ),
        (
            {"01-first/lesson.md": lesson(1), "01-first/index.html": "mine"},
            "lessons/01-first/index.html:1: index.html would take the place of the lesson's page; rename it",
        ),
        (
            {"01-first/lesson.md": lesson(1), "01-first/Index.HTML/x.txt": "mine"},
            "lessons/01-first/Index.HTML:1: Index.HTML would take the place of the lesson's page; rename it",
        ),
        ({"course.toml": COURSE + "colour = 1\n"}, "lessons/course.toml:7: unknown key `colour`; "),
    ],
)
def test_a_fault_says_where_and_what_to_do(bench: Bench, files: dict[str, str], fault: str) -> None:
    bench.write(files)
    assert any(found.startswith(fault) for found in faults_of(bench)), faults_of(bench)


def test_all_faults_of_all_lessons_come_at_once(bench: Bench) -> None:
    raising = LessonErrors(
        [LessonError(Path("lessons/03-third/lesson.md"), 11, 'cell "hello" raises E', "correct it")]
    )
    bench.write(
        {
            "01-first/lesson.md": lesson(1, "::: wihtout\nx\n:::\n\n```python rnu a\n1\n```\n"),
            "02-second/lesson.md": lesson(2, "## A\n\n![a cat](cat.png) [one](#no) [two](../01-first/)\n"),
            "03-third/lesson.md": lesson(3),
            "04-fourth/other.txt": "",
        }
    )
    places = [
        re.sub(r"[^:]*/(\d\d-\w+/lesson.md:\d+):.*", r"\1", fault)
        for fault in faults_of(bench, raises=[raising])
    ]
    assert places == [
        "01-first/lesson.md:8",
        "01-first/lesson.md:12",
        "02-second/lesson.md:10",
        "02-second/lesson.md:10",
        "03-third/lesson.md:11",
        "04-fourth/lesson.md:1",
    ]


def test_a_recording_of_another_version_of_a_cell_is_a_fault(bench: Bench) -> None:
    recorded = {"tools": {"torch": "2.13.0"}, "cells": {"torch": {"sha256": "00", "outputs": []}}}
    bench.write(
        {
            "01-first/lesson.md": lesson(1, "```python read torch\n1 + 1\n```\n"),
            "01-first/recorded.json": json.dumps(recorded),
        }
    )
    assert faults_of(bench) == [
        "lessons/01-first/lesson.md:9: the recorded output of “torch” is of another version of this cell; "
        "run python tests/oracle/record.py"
    ]


def test_the_sitemap_has_full_addresses(bench: Bench) -> None:
    bench.write(two_lessons())
    bench.build(url="https://example.org/course")
    assert re.findall("<loc>(.*?)</loc>", bench.page("sitemap.xml")) == [
        "https://example.org/course/",
        "https://example.org/course/01-first/",
        "https://example.org/course/02-second/",
    ]
    assert '<link rel="canonical" href="https://example.org/course/02-second/">' in bench.page(
        "02-second/index.html"
    )


def test_without_an_address_there_is_no_sitemap(bench: Bench) -> None:
    bench.write({**two_lessons(), "course.toml": COURSE.replace("github.com", "example.org")})
    bench.build()
    assert "sitemap.xml" not in bench.site()
    assert "canonical" not in bench.page("index.html")
