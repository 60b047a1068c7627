"""One build, from sources to a finished site: the order of the steps, and the gate where faults stop it."""

from __future__ import annotations

import gzip
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any, Protocol, TypeVar
from urllib.parse import unquote

from sitebuilder.beside import container, container_name
from sitebuilder.errors import BuildError, LessonError, LessonErrors
from sitebuilder.links import DeadLink, dead_links, repeated_ids
from sitebuilder.model import Lesson, Recording
from sitebuilder.notices import Notice
from sitebuilder.offline import RETIRED, WORKER, offline_lists, pictures
from sitebuilder.pages import ASSETS, Bundle, Ingredients, PythonRuntime
from sitebuilder.recorded import FILE_NAME, Recorded, read_recorded
from sitebuilder.render import render_site, sitemap
from sitebuilder.report import Built, Report
from sitebuilder.site import (
    MAX_BYTES,
    NOWHERE,
    Address,
    Folders,
    Site,
    lesson_files,
    lesson_folders,
    noting,
    read_site,
)
from sitebuilder.typeface import FACES, REST, rest_file
from sitebuilder.write import MARK, Content, clean_up, refuse_foreign_folder, write_site

_TEXT = frozenset({".css", ".html", ".js", ".svg"})
"""What hosts compress."""


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for. `out` is None for a check that writes nothing."""

    folders: Folders
    address: Address = NOWHERE
    out: Path | None = None


Python = TypeVar("Python", bound=PythonRuntime)


class Tools(Protocol[Python]):
    """The effects of a build: all that leaves this process. `workshop` has the real ones; tests bring others.

    Faults of lessons come as LessonErrors, any other trouble as BuildError.
    """

    def bundle(self) -> Bundle: ...

    def runtime(self, lessons: Sequence[Lesson]) -> Python: ...

    def typeset(self, lessons: Sequence[Lesson]) -> Mapping[tuple[str, bool], str]: ...

    def math_font(self, mathml: Iterable[str]) -> Path | None: ...

    def execute(self, lessons: Sequence[Lesson], runtime: Python) -> Mapping[str, Recording]: ...

    def notices(self, runtime: Python) -> Sequence[Notice]: ...


def build(options: Options, tools: Tools[Python], report: Report) -> Built:
    """Build or check a site. The output folder changes only if there is no fault at all.

    Raises LessonErrors with every fault of every lesson, BuildError for anything else that stops the build.
    """
    started = time.monotonic()
    out = options.out
    if out:
        refuse_foreign_folder(out)
        clean_up(out)
    faults: list[LessonError] = []
    try:
        site = read_site(options.folders, options.address, faults)
        made = _make(site, tools, report, faults)
        pages = render_site(made)
        files = _files(made, pages)
        faults += _page_faults(made, pages, files)
    except LessonErrors as error:
        raise LessonErrors([*faults, *error.errors]) from error
    except BuildError as error:
        if faults:  # they come first; what else is wrong shows once they are mended
            raise LessonErrors(faults) from error
        raise
    if faults:
        raise LessonErrors(faults)
    if out:
        write_site(out, files)
    return Built(
        out=out,
        lessons=len(site.lessons),
        cells=sum(len(lesson.cells("setup", "run")) for lesson in site.lessons),
        before_run=_before_run(made, pages, files),
        runtime=max(
            made.runtime.size_on_wire(lesson.meta.packages) + len(container(lesson.files))
            for lesson in site.lessons
        ),
        seconds=time.monotonic() - started,
    )


def _make(site: Site, tools: Tools[Python], report: Report, faults: list[LessonError]) -> Ingredients:
    """Do the work that leaves this process. A lesson's fault stops only what depends on it."""
    lessons, folders = site.lessons, site.folders
    with report.step("Scripts and styles"):
        bundle = tools.bundle()
    mathml: Mapping[tuple[str, bool], str] = _AnyFormula()
    math_font: Path | None = None
    with report.step("Formulas", silent=True), noting(faults):
        mathml = tools.typeset([*lessons, *site.damaged])
        math_font = tools.math_font(mathml.values())
    with report.step("Python for the page"):
        try:
            runnable, runtime, sound = tools.runtime(lessons), None, lessons
        except LessonErrors as error:
            faults += error.errors
            bad = {fault.path for fault in error.errors}
            sound = tuple(lesson for lesson in lessons if lesson.path not in bad)
            runnable, runtime = tools.runtime(sound), _NO_RUNTIME
    recordings: Mapping[str, Recording] = {}
    with report.step(f"Cells of {len(sound)} lesson{'s' * (len(sound) != 1)}"), noting(faults):
        recordings = tools.execute([*sound, *site.damaged], runnable)
    faults += (fault for lesson in site.damaged for fault in _missing_pictures(lesson, folders))
    recorded: dict[str, Recorded] = {}
    for lesson in lessons:
        folder = folders.lessons / lesson.slug
        with noting(faults):
            recorded[lesson.slug] = read_recorded(lesson, folder, folders.shown(folder / FILE_NAME))
    made = Ingredients(
        site=site,
        bundle=bundle,
        runtime=runtime or runnable,
        mathml=mathml,
        math_font=math_font,
        recordings=recordings,
        recorded=recorded,
        drawings={lesson.slug: _drawings(lesson, folders) for lesson in lessons},
        notices=tools.notices(runnable),
    )
    return made if runtime else replace(made, offline=offline_lists(made))


def _files(made: Ingredients, pages: Mapping[str, str]) -> dict[str, Content]:
    """Everything the site consists of, by path."""
    site, folders = made.site, made.site.folders
    favicon = folders.static / "favicon.svg"
    if not favicon.is_file():
        raise BuildError(f"{folders.shown(favicon)} is missing, and every page links to it; bring it back.")
    files: dict[str, Content] = {MARK: "", "favicon.svg": favicon, **pages}
    if (urls := sitemap(site)) is not None:
        files["sitemap.xml"] = urls
    for lesson in site.lessons:
        files |= {f"{lesson.slug}/{name}": path for name, path in lesson_files(lesson, folders).items()}
    files |= {
        f"{ASSETS}/{file.name}": file
        for file in sorted(made.bundle.folder.iterdir())
        if file.suffix != ".json" and file.name != made.bundle[WORKER]
    }
    files |= {offline.path: offline.content for offline in made.offline.values()}
    files[WORKER] = made.bundle.folder / made.bundle[WORKER] if site.course.offline else RETIRED
    if made.math_font:
        files[made.math_font_path] = made.math_font
    if made.runtime is not _NO_RUNTIME:
        files |= {f"{made.runtime_path}/{file.name}": file for file in sorted(made.runtime.folder.iterdir())}
        files |= {
            f"{made.runtime_path}/{container_name(lesson)}": container(lesson.files)
            for lesson in site.lessons
            if lesson.files
        }
    return files


def _page_faults(
    made: Ingredients, pages: Mapping[str, str], files: Mapping[str, Content]
) -> Iterator[LessonError]:
    """What only the finished pages show: dead links, repeated ids, files that no host takes."""
    site = made.site
    by_page = {f"{lesson.slug}/index.html": lesson for lesson in site.lessons}
    # A lesson that could not be read has a page once it is mended; links to it are not dead.
    coming = {f"{folder.name}/index.html" for folder in lesson_folders(site.folders.lessons)}
    for link in dead_links(pages, {*files, *coming}, base=site.base or "/"):
        yield from _link_faults(link, by_page.get(link.page))
    for page, id in repeated_ids(pages):
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


def _missing_pictures(lesson: Lesson, folders: Folders) -> Iterator[LessonError]:
    """Those of a damaged lesson; it gets no page, in which dead links of every kind would show."""
    for image in lesson.images:
        if not (folders.lessons / lesson.slug / unquote(image.src)).is_file():
            remedy = "put the file beside lesson.md, or correct its name"
            problem = f"the picture {image.src} is missing"
            yield LessonError(lesson.path, image.line, problem, remedy, image.column)


def _drawings(lesson: Lesson, folders: Folders) -> dict[str, str]:
    """The SVG pictures of a lesson, which stand in the page itself and so take the theme's colours."""
    folder = folders.lessons / lesson.slug
    files = {image.src: folder / unquote(image.src) for image in lesson.images if image.src.endswith(".svg")}
    return {src: file.read_text(encoding="utf-8") for src, file in files.items() if file.is_file()}


def _before_run(made: Ingredients, pages: Mapping[str, str], files: Mapping[str, Content]) -> int:
    """Bytes on the wire to read the heaviest lesson to its end without running anything.

    Of the bundle that is all but scripts for later: a face in italics or a font for code may come last;
    rare letters only where a page has some.
    """
    bundle = made.bundle
    early = {bundle["main.js"], *bundle.preloads("main.js")}
    seldom = {bundle.folder / bundle[name] for name in map(rest_file, FACES) if name in bundle.fonts}
    shared = [f for f in bundle.folder.iterdir() if f.suffix not in (".js", ".json") and f not in seldom]
    shared += [bundle.folder / name for name in early]
    return sum(map(_on_wire, [*shared, files["favicon.svg"]])) + max(
        _on_wire(page := pages[f"{lesson.slug}/index.html"])
        + (0 if REST.isdisjoint(page) else sum(map(_on_wire, seldom)))
        + sum(_on_wire(files[path]) for path in pictures(lesson, made.drawings[lesson.slug]) if path in files)
        + (_on_wire(made.math_font) if lesson.formulas and made.math_font else 0)
        for lesson in made.site.lessons
    )


def _on_wire(content: Content) -> int:
    """The size of a file as a host sends it that compresses what is text."""
    if isinstance(content, Path) and content.suffix not in _TEXT:
        return content.stat().st_size
    data = content.read_bytes() if isinstance(content, Path) else content
    return len(gzip.compress(data.encode() if isinstance(data, str) else data, 6, mtime=0))


class _AnyFormula(dict[tuple[str, bool], str]):
    """Stands in when a formula is at fault, so that the pages can still be searched for other faults."""

    def __missing__(self, key: tuple[str, bool]) -> str:
        return "<math></math>"


@dataclass(frozen=True, slots=True)
class _NoRuntime:
    """Stands in when a lesson's package cannot be had; no site is written then."""

    folder: Path = Path()
    digest: str = "none"

    def manifest(self, _entries: Iterable[str] = (), /) -> Mapping[str, Any]:
        return {}

    def size_on_wire(self, _entries: Iterable[str] = (), /) -> int:
        return 0


_NO_RUNTIME = _NoRuntime()
