"""Read `lessons/references.toml`, what lessons may cite, and hold their citations to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from sitebuilder.citations import KEY
from sitebuilder.errors import LessonError
from sitebuilder.faults import Faults, suggest, unify_newlines
from sitebuilder.model import Lesson, Reference
from sitebuilder.settings import read_record
from sitebuilder.tomlfile import line_of, read_toml

FILE_NAME = "references.toml"


@dataclass(frozen=True, slots=True)
class _Entry:
    """The keys of an entry as an author writes them."""

    authors: tuple[str, ...]
    year: int
    title: str
    url: str
    venue: str = ""


def read_references(text: str, path: PurePath) -> dict[str, Reference]:
    """All entries by key. Raises LessonErrors with all faults of the text."""
    source = unify_newlines(text)
    faults = Faults(path, source.split("\n"))
    found = {}
    for key, values in read_toml(source, faults).items():
        line = line_of(source, key, table=key)
        if not isinstance(values, dict):
            faults.add(line, f"`{key}` stands outside of an entry", "put `[key]` on a line above it")
            continue
        if not re.fullmatch(KEY, key):
            faults.add(
                line, f"`{key}` cannot be cited", "use letters, digits, - and _, and begin with a letter"
            )

        def place(name: str, key: str = key) -> int:
            return line_of(source, name, table=key)

        entry = read_record(_Entry, values, place, faults, start=line, toml=True)
        if entry:
            _check(entry, place, faults)
            found[key] = Reference(
                key, entry.authors, entry.year, entry.title, entry.url, entry.venue, _label(entry), line
            )
    faults.raise_any()
    return found


def citation_faults(
    lessons: Sequence[Lesson], references: Mapping[str, Reference], path: PurePath
) -> Iterator[LessonError]:
    """Citations of what is not in the file `path`."""
    for lesson in lessons:
        for citation in lesson.citations:
            if citation.key not in references:
                near = suggest(citation.key, references) if references else f"add [{citation.key}] to {path}"
                problem = f"there is no reference `{citation.key}` in {path.name}"
                yield LessonError(lesson.path, citation.line, problem, near, citation.column)


def unused_faults(
    lessons: Sequence[Lesson], references: Mapping[str, Reference], path: PurePath
) -> Iterator[LessonError]:
    """Entries that no lesson cites."""
    cited = {citation.key for lesson in lessons for citation in lesson.citations}
    for key, reference in references.items():
        if key not in cited:
            yield LessonError(
                path, reference.line, f"no lesson cites `{key}`", f"cite it as `[@{key}]`, or remove it"
            )


def cited(lesson: Lesson, references: Mapping[str, Reference]) -> tuple[Reference, ...]:
    """What a lesson cites, each once, as its list of references has them: by label."""
    keys = {citation.key for citation in lesson.citations} & references.keys()
    return tuple(sorted((references[key] for key in keys), key=lambda r: (r.label.casefold(), r.key)))


def _check(entry: _Entry, place: Callable[[str], int], faults: Faults) -> None:
    if not entry.authors:
        faults.add(place("authors"), "`authors` is empty", 'write at least one, as in ["Ada Lovelace"]')
    if not re.match(r"https?://\S+$", entry.url):
        faults.add(place("url"), "`url` is not a web address", "begin it with https://")


def _label(entry: _Entry) -> str:
    """Surnames and year as in the text: one, two, or the first and others."""
    surnames = [_surname(author) for author in entry.authors] or ["?"]
    who = f"{surnames[0]} et al." if len(surnames) > 2 else " & ".join(surnames)
    return f"{who} {entry.year}"


def _surname(author: str) -> str:
    """The last word, or what stands before a comma ("van der Maaten, Laurens")."""
    before, comma, _ = author.partition(",")
    return before.strip() if comma else author.split()[-1] if author.split() else author
