"""What only a finished site shows: dead links, unsound HTML, repeated ids, more bytes than hosts take."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path, PurePath

from sitebuilder.bibliography import FILE_NAME as REFERENCES
from sitebuilder.citations import anchor
from sitebuilder.errors import LessonError
from sitebuilder.faults import shorten
from sitebuilder.links import DeadLink, PageLinks, dead_links, read_links, repeated_ids
from sitebuilder.markup import tags
from sitebuilder.memory import Memory
from sitebuilder.model import Lesson
from sitebuilder.pages import Ingredients
from sitebuilder.site import MAX_BYTES, Folders, Site, lesson_files, lesson_folders
from sitebuilder.structure import Flaw, flaws
from sitebuilder.write import Content

_TO_LESSON = re.compile(r"\.\./([\w-]+)/")
_ELSEWHERE = re.compile(r"(?:https?:)?//", re.IGNORECASE)
MAX_SITE = 10**9
"""GitHub Pages publishes no larger site."""


def page_faults(
    made: Ingredients, pages: Mapping[str, str], files: Mapping[str, Content], memory: Memory
) -> Iterator[LessonError]:
    """Every fault of the finished site, at its place in a lesson's source where that can be found."""
    site = made.site
    by_page = {f"{lesson.slug}/index.html": lesson for lesson in site.lessons}
    # A lesson that could not be read has a page once it is mended; links to it are not dead.
    coming = {f"{folder.name}/index.html" for folder in lesson_folders(site.folders.lessons)}
    seen = {page: memory.recall(("tags", page), html, partial(_look, html)) for page, html in pages.items()}
    read = {page: links for page, (links, _) in seen.items()}
    for link in dead_links(read, {*files, *coming}, base=site.base or "/"):
        lesson = by_page.get(link.page)
        cited = {citation.key for citation in lesson.citations} if lesson else set()
        if link.target in {f"#{anchor(key)}" for key in cited - site.references.keys()}:
            continue  # told already, where it is cited
        yield from _link_faults(link, lesson)
    yield from _links_of_the_damaged(site, {*files, *coming}, read)
    for page, id in repeated_ids(read):
        path = by_page[page].path if page in by_page else PurePath(page)
        yield LessonError(
            path,
            1,
            f"two elements of the page have the id “{id}”",
            "rename one of them (drawings have ids too)",
        )
    for page, (_, found) in seen.items():
        yield from _flaw_faults(page, found, by_page.get(page), site.folders)
    if (size := site_size(files)) > MAX_SITE:
        problem = f"the site has {size // 10**6} MB, and GitHub Pages takes no more than 1 GB"
        yield LessonError(
            site.folders.shown(site.folders.lessons), 1, problem, "make its pictures and data smaller"
        )
    for name, content in files.items():
        if isinstance(content, Path) and content.stat().st_size > MAX_BYTES:
            size = content.stat().st_size // 1024**2
            problem = f"the file has {size} MB, and static hosts refuse more than 100 MB"
            yield LessonError(
                site.folders.shown(content), 1, problem, f"make it smaller (it would become {name})"
            )


def _links_of_the_damaged(
    site: Site, known: Collection[str], read: Mapping[str, PageLinks]
) -> Iterator[LessonError]:
    """Dead links of lessons that other faults keep from having a page; but for links to their own ids."""
    for lesson in site.damaged:
        own = {f"{lesson.slug}/{name}" for name in lesson_files(lesson, site.folders)}
        targets = tuple(link.href for link in lesson.links if not link.href.startswith("#"))
        page = {f"{lesson.slug}/index.html": PageLinks((), targets)}
        for link in dead_links(page, {*known, *own}, base=site.base or "/", read=read):
            yield from _link_faults(link, lesson)


def _look(html: str) -> tuple[PageLinks, tuple[Flaw, ...]]:
    found = list(tags(html))
    return read_links(found), flaws(html, found)


def _flaw_faults(
    page: str, found: Iterable[Flaw], lesson: Lesson | None, folders: Folders
) -> Iterator[LessonError]:
    """The flaws of a page, each where its tag stands in the lesson, else at the page."""
    source = (
        (folders.lessons / lesson.slug / "lesson.md").read_text(encoding="utf-8") if lesson and found else ""
    )
    for flaw in found:
        at = source.find(flaw.tag) if flaw.tag else -1
        path = lesson.path if lesson and at >= 0 else PurePath(page)
        line, column = (source.count("\n", 0, at) + 1, at - source.rfind("\n", 0, at)) if at >= 0 else (1, 0)
        where = "" if at >= 0 or not flaw.tag else f" ({shorten(flaw.tag)})"
        yield LessonError(path, line, flaw.problem + where, flaw.remedy, column)


def site_size(files: Mapping[str, Content]) -> int:
    """Bytes of a site on disk."""
    return sum(
        content.stat().st_size if isinstance(content, Path) else len(content) for content in files.values()
    )


def _link_faults(link: DeadLink, lesson: Lesson | None) -> Iterator[LessonError]:
    """A dead link at each place in the lesson's source where it stands."""
    if lesson is None:
        problem = f"the link {link.target} is dead: {link.reason}"
        remedy = f"correct the template or course.toml; {link.remedy}"
        yield LessonError(PurePath(link.page), 1, problem, remedy)
        return
    images = {(image.line, image.column) for image in lesson.images if image.src == link.target}
    for line, column in sorted(images):
        yield LessonError(lesson.path, line, f"the picture {link.target} is missing", link.remedy, column)
    places = {
        (place.line, place.column, place.written) for place in lesson.links if place.href == link.target
    }
    if not (places or images):
        places = {(1, 0, link.target)}
    for line, column, written in sorted(places):
        problem, remedy = f"the link {written} is dead: {link.reason}", link.remedy
        if written.startswith("lesson:"):
            remedy = _TO_LESSON.sub(r"lesson:\1", remedy)
        yield LessonError(lesson.path, line, problem, remedy, column)


Place = tuple[PurePath, int, int]
"""A file with a line and a column (0 if unknown)."""


def external_links(site: Site) -> dict[str, list[Place]]:
    """The addresses on other sites that lessons link to and cite, and where."""
    places: dict[str, list[Place]] = defaultdict(list)
    for lesson in site.lessons:
        for link in lesson.links:
            if _ELSEWHERE.match(link.href):
                places[link.href].append((lesson.path, link.line, link.column))
    cited = site.folders.shown(site.folders.lessons / REFERENCES)
    for reference in site.references.values():
        if reference.url:
            places[reference.url].append((cited, reference.line, 0))
    return places


def external_faults(places: Mapping[str, list[Place]], dead: Mapping[str, str]) -> Iterator[LessonError]:
    """A fault at every place of an address that is `dead` for the reason it is mapped to."""
    for address, why in dead.items():
        for path, line, column in places[address]:
            remedy = "correct the address, or take the link out"
            yield LessonError(path, line, f"the link {address} is dead: {why}", remedy, column)
