"""Read the course: which folders are lessons, which faults they have, and where the site will live."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath
from urllib.parse import urlsplit

from sitebuilder.errors import BuildError, LessonError, LessonErrors
from sitebuilder.model import Course, Lesson

MAX_BYTES = 100 * 1024 * 1024
"""GitHub refuses a larger file, and Pages with it."""

_NAME = re.compile(r"(?P<number>\d+)-[a-z0-9]+(-[a-z0-9]+)*")
_NOT_CONTENT = frozenset({"lesson.md", "recorded.json"})


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
            parts = urlsplit(url)
            if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
                raise BuildError(f"--url {url} is not a site's address; write it like https://example.org/course/.")
            url = url.rstrip("/") + "/"
            implied = urlsplit(url).path
            if base is not None and base.strip("/") != implied.strip("/"):
                raise BuildError(f"--base {base} contradicts --url {url}; leave --base out.")
            base = implied
        return cls(url, None if base is None else _base(base))


def _base(base: str) -> str:
    clean = base.strip("/")
    if re.fullmatch(r"[A-Za-z0-9._~-]+(/[A-Za-z0-9._~-]+)*", clean) and not {".", ".."} & set(clean.split("/")):
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

    @property
    def url(self) -> str | None:
        """The site's public address: as given, else that of GitHub Pages for the course's repository."""
        return self.address.url or github_pages(self.course.repository)

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


def read_site(folders: Folders, address: Address) -> tuple[Site, list[LessonError]]:
    """The course with every lesson that could be read, and all faults of those that could not.

    Raises LessonErrors if there is no course to speak of: course.toml is at fault, or no lesson was found.
    """
    from sitebuilder.course import read_course
    from sitebuilder.parse import parse_lesson

    faults: list[LessonError] = []
    try:
        course = read_course(folders.lessons / "course.toml")
    except LessonErrors as error:
        course = None
        faults += error.errors
    lessons: list[Lesson] = []
    for folder in lesson_folders(folders.lessons):
        source = folder / "lesson.md"
        shown = folders.shown(source)
        if not source.is_file():
            faults.append(LessonError(shown, 1, "this lesson folder has no lesson.md", "add one, or remove the folder"))
            continue
        try:
            lessons.append(parse_lesson(source.read_text(encoding="utf-8"), shown))
        except LessonErrors as error:
            faults += error.errors
        except UnicodeDecodeError as error:
            line = source.read_bytes()[: error.start].count(b"\n") + 1
            faults.append(LessonError(shown, line, "this is not UTF-8 text", "save the file as UTF-8"))
        faults += _large_files(folder, folders)
    faults += _misnumbered(lessons)
    if course is None:
        raise LessonErrors(faults)
    if not lessons and not faults:
        raise BuildError(f"There is no lesson in {folders.shown(folders.lessons)}/; add a folder such as 01-first/ with a lesson.md.")
    ordered = tuple(sorted(lessons, key=lambda lesson: (lesson.meta.number, lesson.slug)))
    return Site(course, ordered, folders, address), faults


def lesson_folders(lessons: Path) -> list[Path]:
    """Every folder that is a lesson or means to be one: hidden folders and those that start with _ are not."""
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
        if f.name not in _NOT_CONTENT
        and f.suffix not in (".py", ".pyc")
        and not any(part.startswith(".") or part == "__pycache__" for part in f.relative_to(folder).parts)
    }


def _large_files(folder: Path, folders: Folders) -> Iterator[LessonError]:
    for file in sorted(folder.rglob("*")):
        if file.is_file() and file.stat().st_size > MAX_BYTES:
            size = f"{file.stat().st_size / 1024**2:.0f} MB"
            yield LessonError(
                folders.shown(file), 1, f"the file has {size}, and static hosts refuse more than 100 MB", "make it smaller"
            )


def _misnumbered(lessons: list[Lesson]) -> Iterator[LessonError]:
    """Folders whose name is no NN-slug or does not agree with the front matter, and numbers used twice."""
    by_number: dict[int, list[Lesson]] = defaultdict(list)
    for lesson in lessons:
        number = lesson.meta.number
        by_number[number].append(lesson)
        name = _NAME.fullmatch(lesson.slug)
        if not name:
            yield LessonError(
                lesson.path, 1, f"the folder “{lesson.slug}” is not named like 31-multi-head-attention",
                f"rename it: {number:02}-, then lower-case words joined by -",
            )  # fmt: skip
        elif int(name["number"]) != number:
            yield LessonError(
                lesson.path, 1, f"the folder says {name['number']}, the front matter says number: {number}",
                "make them agree",
            )  # fmt: skip
    for number, same in by_number.items():
        for lesson in same[1:]:
            yield LessonError(
                lesson.path, 1, f"number {number} is taken by {same[0].slug}", "give one of them another number"
            )
