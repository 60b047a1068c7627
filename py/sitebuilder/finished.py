"""What only a finished site shows: dead links, repeated ids, files that no host takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path, PurePath

from sitebuilder.citations import anchor
from sitebuilder.errors import LessonError
from sitebuilder.links import DeadLink, dead_links, read_links, repeated_ids
from sitebuilder.memory import Memory
from sitebuilder.model import Lesson
from sitebuilder.pages import Ingredients
from sitebuilder.site import MAX_BYTES, lesson_folders
from sitebuilder.write import Content


def page_faults(
    made: Ingredients, pages: Mapping[str, str], files: Mapping[str, Content], memory: Memory
) -> Iterator[LessonError]:
    """What only the finished pages show: dead links, repeated ids, files that no host takes."""
    site = made.site
    by_page = {f"{lesson.slug}/index.html": lesson for lesson in site.lessons}
    # A lesson that could not be read has a page once it is mended; links to it are not dead.
    coming = {f"{folder.name}/index.html" for folder in lesson_folders(site.folders.lessons)}
    read = {
        page: memory.recall(("links", page), html, partial(read_links, html)) for page, html in pages.items()
    }
    for link in dead_links(read, {*files, *coming}, base=site.base or "/"):
        lesson = by_page.get(link.page)
        cited = {citation.key for citation in lesson.citations} if lesson else set()
        if link.target in {f"#{anchor(key)}" for key in cited - site.references.keys()}:
            continue  # told already, where it is cited
        yield from _link_faults(link, lesson)
    for page, id in repeated_ids(read):
        path = by_page[page].path if page in by_page else PurePath(page)
        yield LessonError(
            path,
            1,
            f"two elements of the page have the id “{id}”",
            "rename one of them (drawings have ids too)",
        )
    for name, content in files.items():
        if isinstance(content, Path) and content.stat().st_size > MAX_BYTES:
            size = content.stat().st_size // 1024**2
            problem = f"the file has {size} MB, and static hosts refuse more than 100 MB"
            yield LessonError(
                site.folders.shown(content), 1, problem, f"make it smaller (it would become {name})"
            )


def _link_faults(link: DeadLink, lesson: Lesson | None) -> Iterator[LessonError]:
    """A dead link at each place in the lesson's source where it stands."""
    problem = f"the link {link.target} is dead: {link.reason}"
    if lesson is None:
        yield LessonError(
            PurePath(link.page), 1, problem, f"correct the template or course.toml; {link.remedy}"
        )
        return
    images = {(image.line, image.column) for image in lesson.images if image.src == link.target}
    places = {(place.line, place.column) for place in lesson.links if place.href == link.target} | images
    for line, column in sorted(places) or [(1, 0)]:
        what = f"the picture {link.target} is missing" if (line, column) in images else problem
        yield LessonError(lesson.path, line, what, link.remedy, column)
