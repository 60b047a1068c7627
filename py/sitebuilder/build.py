"""One build, from sources to a finished site: the order of the steps, and the gate where faults stop it."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar
from urllib.parse import unquote

from sitebuilder.assembled import EMBED, WORKER, Bundle, shared_assets
from sitebuilder.beside import container, container_name
from sitebuilder.errors import BuildError, LessonError, LessonErrors
from sitebuilder.finished import external_faults, external_links, page_faults, site_size
from sitebuilder.memory import Memory
from sitebuilder.model import Lesson, Recording
from sitebuilder.notices import Notice
from sitebuilder.offline import RETIRED, offline_lists
from sitebuilder.pages import Ingredients, PythonRuntime
from sitebuilder.recorded import FILE_NAME, Recorded, read_recorded
from sitebuilder.render import render_site, sitemap
from sitebuilder.report import Built, Report
from sitebuilder.site import (
    COURSE,
    NOWHERE,
    Address,
    Folders,
    Site,
    lesson_files,
    noting,
    read_site,
)
from sitebuilder.theme import TOKENS, PageColours, theme_faults
from sitebuilder.trained import Model, without_models
from sitebuilder.weight import before_run
from sitebuilder.write import MARK, Content, clean_up, refuse_foreign_folder, write_site


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for. `out` is None for a check that writes nothing; `external`: ask other sites too."""

    folders: Folders
    address: Address = NOWHERE
    out: Path | None = None
    external: bool = False
    models: bool = True
    """Whether trained models that lessons bring along are packed and served."""


Python = TypeVar("Python", bound=PythonRuntime)


class Tools(Protocol[Python]):
    """The effects of a build: all that leaves this process. `workshop` has the real ones; tests bring others.

    Faults of lessons come as LessonErrors, any other trouble as BuildError.
    """

    def bundle(self) -> Bundle: ...

    def runtime(self, lessons: Sequence[Lesson]) -> Python: ...

    def typeset(self, lessons: Sequence[Lesson]) -> Mapping[tuple[str, bool], str]: ...

    def math_font(self, mathml: Iterable[str]) -> Path | None: ...

    def models(self, lessons: Sequence[Lesson]) -> Sequence[Model]: ...

    def execute(
        self, lessons: Sequence[Lesson], runtime: Python, models: Sequence[Model]
    ) -> Mapping[str, Recording]: ...

    def notices(self, runtime: Python, models: Sequence[Model]) -> Sequence[Notice]: ...

    def unreachable(self, addresses: Collection[str]) -> Mapping[str, str]: ...


def build(options: Options, tools: Tools[Python], report: Report, memory: Memory | None = None) -> Built:
    """Build or check a site. The output folder changes only if there is no fault at all.

    With the `memory` of an earlier build in this process, only what has changed since is made again.
    Raises LessonErrors with every fault of every lesson, BuildError for anything else that stops the build.
    """
    started = time.monotonic()
    out, memory = options.out, memory or Memory()
    if out:
        refuse_foreign_folder(out)
        clean_up(out)
    faults: list[LessonError] = []
    try:
        site = read_site(options.folders, options.address, faults, memory)
        if not options.models:
            site = replace(site, lessons=tuple(map(without_models, site.lessons)))
        made = _make(site, tools, report, faults)
        pages = render_site(made, memory)
        files = _files(made, pages)
        faults += page_faults(made, pages, files, memory)
        if options.external:
            places = external_links(site)
            with report.step(f"{len(places)} addresses of other sites", silent=True):
                faults += external_faults(places, tools.unreachable(places))
    except LessonErrors as error:
        raise LessonErrors([*faults, *error.errors]) from error
    except BuildError as error:
        if faults:  # they come first; what else is wrong shows once they are mended
            raise LessonErrors(faults) from error
        raise
    if faults:
        raise LessonErrors(faults)
    if out:
        memory.written[out] = write_site(out, files, memory.written.pop(out, None))
    return Built(
        out=out,
        lessons=len(site.lessons),
        cells=sum(len(lesson.cells("setup", "run", "exercise")) for lesson in site.lessons),
        before_run=before_run(made, pages, files, memory),
        runtime=max(
            made.runtime.size_on_wire(lesson.meta.packages) + len(container(lesson.files))
            for lesson in site.lessons
        ),
        size=site_size(files),
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
            sound: Sequence[Lesson] = [*lessons, *site.damaged]
            runnable, runtime = tools.runtime(sound), None
        except LessonErrors as error:
            faults += error.errors
            bad = {fault.path for fault in error.errors}
            sound = [lesson for lesson in sound if lesson.path not in bad]
            runnable, runtime = tools.runtime(sound), _NO_RUNTIME
    with report.step("Trained models", silent=True):
        models = tools.models(sound)
    recordings: Mapping[str, Recording] = {}
    with report.step(f"Cells of {len(sound)} lesson{'s' * (len(sound) != 1)}"), noting(faults):
        recordings = tools.execute(sound, runnable, models)
    faults += (fault for lesson in site.damaged for fault in _missing_pictures(lesson, folders))
    recorded: dict[str, Recorded] = {}
    for lesson in lessons:
        folder = folders.lessons / lesson.slug
        with noting(faults):
            recorded[lesson.slug] = read_recorded(lesson, folder, folders.shown(folder / FILE_NAME))
    tokens, course = folders.static / TOKENS, folders.lessons / COURSE
    css = tokens.read_text(encoding="utf-8") if tokens.is_file() else ""
    source = course.read_text(encoding="utf-8")
    faults += theme_faults(site.course.theme, source, folders.shown(course), css, folders.shown(tokens))
    made = Ingredients(
        site=site,
        bundle=bundle,
        runtime=runtime or runnable,
        mathml=mathml,
        math_font=math_font,
        recordings=recordings,
        recorded=recorded,
        drawings={lesson.slug: _drawings(lesson, folders) for lesson in lessons},
        notices=tools.notices(runnable, models),
        models=models,
        colours=PageColours.of(site.course.theme, css),
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
    files |= shared_assets(made.bundle)
    files |= {offline.path: offline.content for offline in made.offline.values()}
    files[WORKER] = made.bundle.folder / made.bundle[WORKER] if site.course.offline else RETIRED
    files["embed/heat-map.js"] = made.bundle.folder / made.bundle[EMBED]
    if made.math_font:
        files[made.math_font_path] = made.math_font
    if made.runtime is not _NO_RUNTIME:
        files |= {f"{made.runtime_path}/{file.name}": file for file in sorted(made.runtime.folder.iterdir())}
        files |= {path: file for model in made.models for path, file in model.served()}
        files |= {
            f"{made.runtime_path}/{container_name(lesson)}": container(lesson.files)
            for lesson in site.lessons
            if lesson.files
        }
    return files


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
        return {"files": []}

    def size_on_wire(self, _entries: Iterable[str] = (), /) -> int:
        return 0


_NO_RUNTIME = _NoRuntime()
