"""What each kind of page shows, as data for its template: addresses, outputs, outline, script data."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from markupsafe import Markup

from sitebuilder.assembled import ASSETS, Bundle, first_fonts, first_script
from sitebuilder.beside import manifest_with_files
from sitebuilder.bibliography import cited
from sitebuilder.course import source_address
from sitebuilder.crossrefs import figure_numbers
from sitebuilder.heatmap import HeatMapView, LargeMapView, heatmap_view
from sitebuilder.lines import as_shown
from sitebuilder.markdown import RenderContext
from sitebuilder.model import (
    ATTENTION_MIME,
    CHART_MIME,
    TEXT_MIME,
    CellRun,
    Display,
    Exercise,
    Lesson,
    Recording,
    Reference,
    Section,
    Stream,
)
from sitebuilder.notation import Notation
from sitebuilder.notices import LicenceText, Notice, licence_texts
from sitebuilder.outline import Entry, Part, outline
from sitebuilder.recorded import NOTHING, Recorded
from sitebuilder.site import Site
from sitebuilder.theme import PageColours
from sitebuilder.trained import Model, fetched_by

DATA_VERSION = 1
"""Version of the JSON in `#lesson-data`."""


class OfflineList(Protocol):
    """The list of all that a lesson needs offline: its address in the site, and its text."""

    @property
    def path(self) -> str: ...

    @property
    def content(self) -> str: ...


class PythonRuntime(Protocol):
    """What the site ships so that Python runs in the page."""

    @property
    def folder(self) -> Path: ...

    @property
    def digest(self) -> str: ...

    def manifest(self, entries: Iterable[str] = ..., /) -> Mapping[str, Any]:
        """RuntimeManifest of protocol.js for a lesson's `packages:`, without `url` and `worker`."""

    def size_on_wire(self, entries: Iterable[str] = ..., /) -> int: ...


@dataclass(frozen=True, kw_only=True)
class Ingredients:
    """All that pages are made from; mappings are by lesson slug, and a lesson without an entry has none."""

    site: Site
    bundle: Bundle
    runtime: PythonRuntime
    mathml: Mapping[tuple[str, bool], str]
    math_font: Path | None
    recordings: Mapping[str, Recording]
    recorded: Mapping[str, Recorded]
    drawings: Mapping[str, Mapping[str, str]]
    notices: Sequence[Notice]
    models: Sequence[Model] = ()
    offline: Mapping[str, OfflineList] = field(default_factory=dict)
    colours: PageColours = field(default_factory=PageColours)

    @property
    def runtime_path(self) -> str:
        """The runtime's folder in the site. Its name changes with its content, so browsers may keep it."""
        return f"runtime/{self.runtime.digest}"

    @property
    def math_font_path(self) -> str:
        """Where the site has the font of its formulas; named by its content, so browsers may keep it."""
        return f"{ASSETS}/math-{self.math_font.stem}.woff2" if self.math_font else ""


@dataclass(frozen=True, slots=True)
class Shown:
    """What stands under a cell: its texts in order, its heat maps, its charts, and where they come from."""

    texts: tuple[Stream | Display, ...] = ()
    figures: tuple[HeatMapView | LargeMapView, ...] = ()
    charts: tuple[Display, ...] = ()
    caption: str = ""


@dataclass(frozen=True, kw_only=True)
class Page:
    """What a template knows beyond the site and the lesson. `root` leads from the page to the site's root."""

    root: str
    title: str
    heading: str
    description: str
    body_class: str
    url: str | None
    source: str
    bundle: Bundle
    colours: PageColours
    kind: str = "website"
    home: str | None = None
    math_font: str | None = None

    def asset(self, name: str) -> str:
        """The address of a file of the bundle, by its hashed name."""
        return f"{self.root}{ASSETS}/{name}"

    @property
    def stylesheet(self) -> str:
        return self.asset(self.bundle["main.css"])

    @property
    def script(self) -> str:
        return self.asset(self.bundle["main.js"])

    @property
    def first_script(self) -> Markup:
        return first_script(self.bundle)

    @property
    def script_parts(self) -> list[str]:
        return [self.asset(name) for name in self.bundle.preloads("main.js")]

    @property
    def fonts(self) -> list[str]:
        return [self.asset(name) for name in first_fonts(self.bundle)]


@dataclass(frozen=True, kw_only=True)
class LessonPage(Page):
    data: Mapping[str, Any]
    outputs: Mapping[str, Shown]
    parts: Mapping[Section, Part]
    toc: tuple[Entry, ...]
    figures: Mapping[str, int]
    cited: Sequence[Reference]
    context: RenderContext
    previous: Lesson | None
    next: Lesson | None


@dataclass(frozen=True, kw_only=True)
class MissingPage(Page):
    titles: Mapping[str, str]
    """Of lessons by slug: an address that holds a slug says where the site begins."""


@dataclass(frozen=True, kw_only=True)
class NoticesPage(Page):
    notices: Sequence[Notice]
    licence_texts: Sequence[LicenceText]


def lesson_page(made: Ingredients, lesson: Lesson) -> LessonPage:
    """The view of one lesson for lesson.html."""
    site, course, parts = made.site, made.site.course, outline(lesson)
    recorded = made.recorded.get(lesson.slug, NOTHING)
    runs = made.recordings.get(lesson.slug, {})
    outputs = {cell.name: shown_output(runs.get(cell.name)) for cell in lesson.cells("run", "exercise")}
    for cell in lesson.cells("read"):
        run = recorded.runs.get(cell.name)
        outputs[cell.name] = shown_output(run, f"Recorded with {recorded.tools}" if run else "")
    heading = f"{lesson.meta.number} · {lesson.meta.title}"
    shelf = site.lessons_for(lesson.meta.audience)
    place = shelf.index(lesson)
    return LessonPage(
        root="../",
        title=f"{heading} — {course.title}",
        heading=heading,
        description=lesson.meta.summary,
        body_class="page-lesson",
        url=f"{site.url}{lesson.slug}/" if site.url else None,
        source=source_address(course.repository, f"lessons/{lesson.slug}/lesson.md"),
        bundle=made.bundle,
        colours=made.colours,
        kind="article",
        home="../",
        math_font=f"../{made.math_font_path}" if lesson.formulas and made.math_font else None,
        data=lesson_data(made, lesson),
        outputs=outputs,
        parts=parts.parts,
        toc=parts.toc,
        figures=figure_numbers(lesson.blocks),
        cited=cited(lesson, site.references),
        context=RenderContext(
            made.mathml,
            Notation.of(course.notation),
            made.drawings.get(lesson.slug, {}),
            site.references,
            {other.slug: f"Lesson {other.meta.number} · {other.meta.title}" for other in site.lessons},
        ),
        previous=shelf[place - 1] if place else None,
        next=shelf[place + 1] if place + 1 < len(shelf) else None,
    )


def page_sources(made: Ingredients, lesson: Lesson) -> tuple[object, ...]:
    """All that the page of a lesson is made from, besides the templates: equal sources make equal pages."""
    site = made.site
    return (
        lesson,
        site.course,
        site.address,
        [(other.slug, other.meta) for other in site.lessons],
        [(formula.tex, made.mathml[formula.tex, formula.display]) for formula in lesson.formulas],
        made.math_font_path,
        made.recordings.get(lesson.slug),
        made.recorded.get(lesson.slug),
        made.drawings.get(lesson.slug),
        site.references,
        (made.runtime_path, made.runtime.manifest(lesson.meta.packages)),
        made.offline.get(lesson.slug),
        made.colours,
        made.bundle,
    )


def lesson_data(made: Ingredients, lesson: Lesson) -> dict[str, Any]:
    """The JSON that the page's script starts from: hidden sources, hashes of the starters, the runtime."""
    hidden: dict[str, dict[str, Any]] = {
        cell.name: {"source": cell.source} for cell in lesson.cells("setup")
    } | {exercise.name: {"exercise": exercise_data(exercise)} for exercise in lesson.exercises()}
    large = {name: {"fetches": size} for name, size in fetched_by(lesson).items()}
    cells = [
        {"name": cell.name, "kind": cell.role, "hash": source_hash(cell.source)}
        | hidden.get(cell.name, {})
        | large.get(cell.name, {})
        for cell in lesson.cells("setup", "run", "exercise")
    ]
    return {
        "version": DATA_VERSION,
        "slug": lesson.slug,
        "base": "../",
        "cells": cells,
        "offline": made.offline[lesson.slug].path if lesson.slug in made.offline else None,
        "notation": {role: list(names) for role, names in made.site.course.notation.items()},
        "runtime": {
            **manifest_with_files(made.runtime.manifest(lesson.meta.packages), lesson),
            "snapshot": made.site.course.snapshot,
            "url": f"../{made.runtime_path}/",
            "worker": f"../{ASSETS}/{made.bundle['worker.js']}",
        },
    }


def exercise_data(exercise: Exercise) -> dict[str, str]:
    """What checks an answer; its hash changes with the task, and not with the solution."""
    check, solution = exercise.check.source, exercise.solution.source
    return {"check": check, "solution": solution, "hash": source_hash(f"{exercise.starter.source}\0{check}")}


def source_hash(source: str) -> str:
    """Eight hex digits that name a version of a cell; saved edits carry those of the one they began from."""
    return hashlib.sha256(source.encode()).hexdigest()[:8]


def shown_output(run: CellRun | None, caption: str = "") -> Shown:
    """Sort what a cell emitted by its kind. The second map of cell `c` is called `c-2`."""
    texts: list[Stream | Display] = []
    figures: list[HeatMapView | LargeMapView] = []
    charts: list[Display] = []
    for output in run.outputs if run else ():
        last = texts[-1] if texts else None
        if isinstance(output, Stream) and isinstance(last, Stream) and last.name == output.name:
            texts[-1] = Stream(output.name, last.text + output.text)
        elif isinstance(output, Stream) or output.mime == TEXT_MIME:
            texts.append(output)
        elif run and output.mime == ATTENTION_MIME:
            name = f"{run.cell}-{len(figures) + 1}" if figures else run.cell
            figures.append(heatmap_view(output.data, name))
        elif output.mime == CHART_MIME:
            charts.append(output)
    shown = (Stream(text.name, as_shown(text.text)) if isinstance(text, Stream) else text for text in texts)
    return Shown(tuple(shown), tuple(figures), tuple(charts), caption)


def index_page(made: Ingredients) -> Page:
    """The view of the front page."""
    course = made.site.course
    return Page(
        root="",
        title=course.title,
        heading=course.title,
        description=course.tagline,
        body_class="page-index",
        url=made.site.url,
        source=course.repository,
        bundle=made.bundle,
        colours=made.colours,
        home="./",
    )


def notices_page(made: Ingredients) -> NoticesPage:
    """The view of the page of third-party software."""
    site, heading = made.site, "Software and licences"
    return NoticesPage(
        root="../",
        title=f"{heading} — {site.course.title}",
        heading=heading,
        description=f"Third-party software and fonts that ship with {site.course.title}, and their licences.",
        body_class="page-notices",
        url=f"{site.url}notices/" if site.url else None,
        source=site.course.repository,
        bundle=made.bundle,
        colours=made.colours,
        home="../",
        notices=made.notices,
        licence_texts=licence_texts(made.notices),
    )


def missing_page(made: Ingredients) -> MissingPage:
    """The view of 404.html. Its home is the base or the public address: nothing relative would hold."""
    site = made.site
    return MissingPage(
        root=site.base or "",
        title=f"Page not found — {site.course.title}",
        heading="Page not found",
        description=f"There is no page at this address of {site.course.title}.",
        body_class="page-missing",
        url=None,
        source=site.course.repository,
        bundle=made.bundle,
        colours=made.colours,
        home=site.base or site.url,
        titles={lesson.slug: lesson.meta.title for lesson in site.lessons},
    )
