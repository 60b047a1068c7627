"""Read the course: which folders are lessons, which faults they have, and where the site will live."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from urllib.parse import SplitResult, urlsplit

from sitebuilder.beside import NOT_FOR_CELLS, beside_faults, files_beside
from sitebuilder.bibliography import FILE_NAME as REFERENCES
from sitebuilder.bibliography import citation_faults, read_references, unused_faults
from sitebuilder.course import missing_parts, read_course
from sitebuilder.errors import BuildError, LessonError, LessonErrors
from sitebuilder.faults import decode_source
from sitebuilder.memory import Memory
from sitebuilder.model import Audience, Course, Lesson, Reference
from sitebuilder.parse import parse_lesson

MAX_BYTES = 100 * 1024 * 1024
"""GitHub refuses a larger file, and Pages with it."""

SLUG = re.compile(r"[0-9]+(-[a-z0-9]+)+")
"""How a lesson's folder is named."""

COURSE = "course.toml"
PAGE = "index.html"
"""What a host sends for the address of a folder."""


@dataclass(frozen=True, slots=True)
class Folders:
    """Where a project's sources lie. Paths in faults are shown relative to `root`."""

    root: Path
    lessons: Path
    templates: Path
    static: Path
    python: Path

    @classmethod
    def of(cls, root: Path, lessons: Path | None = None) -> Folders:
        return cls(root, lessons or root / "lessons", root / "templates", root / "static", root / "py")

    def shown(self, path: Path) -> PurePath:
        """The path as an author would type it."""
        return path.relative_to(self.root) if path.is_relative_to(self.root) else path


@dataclass(frozen=True, slots=True)
class Address:
    """Where the site will be served: its public URL, and the path below a host; None where nobody said."""

    url: str | None = None
    base: str | None = None

    @classmethod
    def read(cls, url: str | None, base: str | None) -> Address:
        """Check what was typed after --url and --base; the first implies the second. Raises BuildError."""
        if url is not None:
            parts = _split(url)
            if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
                raise BuildError(
                    f"--url {url} is not a site's address; write it like https://example.org/course/."
                )
            url = url.rstrip("/") + "/"
            implied = urlsplit(url).path
            if base is not None and base.strip("/") != implied.strip("/"):
                raise BuildError(f"--base {base} contradicts --url {url}; leave --base out.")
            base = implied
        return cls(url, None if base is None else _base(base))


NOWHERE = Address()
"""Nobody has said where the site will live: every link is relative."""


def _split(url: str) -> SplitResult:
    """The parts of an address; none if it cannot be one (`https://[/`)."""
    try:
        return urlsplit(url)
    except ValueError:
        return urlsplit("")


def _base(base: str) -> str:
    clean = base.strip("/")
    dots = {".", ".."} & set(clean.split("/"))
    if re.fullmatch(r"[A-Za-z0-9._~-]+(/[A-Za-z0-9._~-]+)*", clean) and not dots:
        return f"/{clean}/"
    if not clean and base:
        return "/"
    raise BuildError(
        f"--base {base or '“”'} is not a path below a host; write it like /course/site/ "
        f"(letters, digits, - . _ ~ between slashes)."
    )


@dataclass(frozen=True, slots=True)
class Site:
    """A course as read. Lessons are in the order of their numbers."""

    course: Course
    lessons: tuple[Lesson, ...]
    folders: Folders
    address: Address
    damaged: tuple[Lesson, ...] = ()
    """Lessons at fault, as far as they could be read: what else is wrong with them is told in one run."""
    references: Mapping[str, Reference] = field(default_factory=dict)
    """What lessons may cite, by key."""

    @property
    def url(self) -> str | None:
        """The site's public address: as given, else that of GitHub Pages for the course's repository."""
        return self.address.url or github_pages(self.course.repository)

    def lessons_for(self, audience: Audience) -> tuple[Lesson, ...]:
        """Those lessons that are for these readers."""
        return tuple(lesson for lesson in self.lessons if lesson.meta.audience == audience)

    @property
    def base(self) -> str | None:
        return self.address.base


def github_pages(repository: str) -> str | None:
    """Where GitHub Pages serves a repository by default; None for any other host."""
    match = re.fullmatch(r"https://github\.com/([\w.-]+)/([\w.-]+?)(?:\.git)?/?", repository)
    if not match:
        return None
    owner, name = match[1].lower(), match[2]
    return f"https://{owner}.github.io/" + ("" if name.lower() == f"{owner}.github.io" else f"{name}/")


def read_site(folders: Folders, address: Address, faults: list[LessonError], memory: Memory) -> Site:
    """The course with every lesson that can be read; the faults of the others are added to `faults`.

    A lesson that has not changed since the memory's last build is the very same object.

    Raises LessonErrors if course.toml is at fault or no lesson can be read: there is nothing to go on with.
    """
    found = lesson_folders(folders.lessons)
    courses: list[Course] = []
    course_file = folders.lessons / COURSE
    with noting(faults):
        if not course_file.is_file():
            problem = "there is no such file, so the course has no title"
            remedy = 'add it, with title = "…", tagline, language, author, licence and repository'
            raise LessonErrors([LessonError(folders.shown(course_file), 1, problem, remedy)])
        shown = folders.shown(course_file)
        courses.append(read_course(decode_source(course_file.read_bytes(), shown), shown))
    if not found and not faults:
        raise BuildError(
            f"There is no lesson in {folders.lessons}; add a folder such as 01-first/ with a lesson.md."
        )
    lessons: list[Lesson] = []
    damaged: list[Lesson] = []
    for folder in found:
        faults += _in_the_way(folder, folders)
        try:
            lessons.append(_read_lesson(folder / "lesson.md", folders, memory))
        except LessonErrors as error:
            faults += error.errors
            damaged += [error.damaged] if error.damaged else []
    faults += _misnamed(lessons, folders)
    references: Mapping[str, Reference] = {}
    with noting(faults):
        references = _read_references(
            [*lessons, *damaged], folders, faults, all_read=len(found) == len(lessons)
        )
    if not courses or not (lessons or damaged):
        raise LessonErrors(faults)
    course = courses[0]
    faults += [fault for lesson in lessons for fault in missing_parts(course, lesson)]
    for lesson in (*lessons, *damaged):
        faults += beside_faults(lesson, folders.shown(folders.lessons / lesson.slug))
    ordered = sorted(lessons, key=lambda lesson: (lesson.meta.number, lesson.slug))
    return Site(course, tuple(ordered), folders, address, tuple(damaged), references)


def _read_references(
    lessons: Sequence[Lesson], folders: Folders, faults: list[LessonError], *, all_read: bool
) -> Mapping[str, Reference]:
    """What lessons may cite; what they cite in vain, and what none cites, is added to `faults`."""
    file = folders.lessons / REFERENCES
    shown = folders.shown(file)
    references: Mapping[str, Reference] = {}
    if file.is_file():
        references = read_references(decode_source(file.read_bytes(), shown), shown)
    faults += citation_faults(lessons, references, shown)
    if all_read:
        faults += unused_faults(lessons, references, shown)
    return references


def _read_lesson(source: Path, folders: Folders, memory: Memory) -> Lesson:
    shown = folders.shown(source)
    if not source.is_file():
        problem = "this lesson folder has no lesson.md"
        raise LessonErrors([LessonError(shown, 1, problem, "add one, or take the folder out of the course")])
    data, files = source.read_bytes(), files_beside(source.parent)

    def read() -> Lesson:
        try:
            return replace(parse_lesson(decode_source(data, shown), shown), files=files)
        except LessonErrors as error:
            raise LessonErrors(error.errors, error.damaged and replace(error.damaged, files=files)) from error

    return memory.recall(("lesson", shown), (data, files), read)


@contextmanager
def noting(faults: list[LessonError]) -> Iterator[None]:
    """Go on after faults in a lesson; they are added to `faults`."""
    try:
        yield
    except LessonErrors as error:
        faults.extend(error.errors)


def lesson_folders(lessons: Path) -> list[Path]:
    """Every folder that is a lesson or means to be one; those that start with . or _ are not."""
    if not lessons.is_dir():
        raise BuildError(f"There is no folder {lessons}; name the one with the lessons by --lessons.")
    return sorted(f for f in lessons.iterdir() if f.is_dir() and f.name[0] not in "._")


def lesson_files(lesson: Lesson, folders: Folders) -> dict[str, Path]:
    """The files that lie beside a lesson and go with its page (images, data), by path below its folder."""
    folder = folders.lessons / lesson.slug
    found = (f for f in sorted(folder.rglob("*")) if f.is_file())
    return {
        f.relative_to(folder).as_posix(): f
        for f in found
        if f.name not in NOT_FOR_CELLS
        and not any(part.startswith(".") or part == "__pycache__" for part in f.relative_to(folder).parts)
    }


def _in_the_way(folder: Path, folders: Folders) -> Iterator[LessonError]:
    """Files that would take the place of the lesson's page. (Some hosts do not tell capitals apart.)"""
    for path in folder.iterdir():
        if path.name.casefold() == PAGE:
            problem = f"{path.name} would take the place of the lesson's page"
            yield LessonError(folders.shown(path), 1, problem, "rename it")


def _misnamed(lessons: Sequence[Lesson], folders: Folders) -> Iterator[LessonError]:
    """Folders that are not named NN-slug, and numbers used twice."""
    by_number: dict[int, list[Lesson]] = defaultdict(list)
    for lesson in lessons:
        by_number[lesson.meta.number].append(lesson)
        if not SLUG.fullmatch(lesson.slug):
            problem = f"the folder “{lesson.slug}” is not named like 31-multi-head-attention"
            remedy = f"rename it: {lesson.meta.number:02}-, then lower-case words joined by -"
            yield LessonError(lesson.path, 1, problem, remedy)
    for number, same in by_number.items():
        for lesson in same[1:]:
            problem = f"number {number} is taken by {same[0].slug}"
            line = _line_of_key(folders.lessons / lesson.slug / "lesson.md", "number")
            yield LessonError(lesson.path, line, problem, "give one of them another number")


def _line_of_key(source: Path, key: str) -> int:
    """The line of a front matter key, for faults that show only beside other lessons."""
    lines = source.read_text(encoding="utf-8").splitlines()
    return next((number for number, line in enumerate(lines, 1) if line.startswith(f"{key}:")), 1)
