"""The outline of a lesson: the visible title and id of each section, and the table of contents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from markdown_it.token import Token

from sitebuilder.model import ASIDE_KINDS, Block, Lesson, Markdown, Section, SectionKind

_TITLES: Mapping[SectionKind, str] = {
    "without": "Without this",
    "takeaways": "What to take away",
    "where-used": "Where it is used",
    "removed": "If it were removed",
}
_LABELS: Mapping[SectionKind, str] = {"tip": "Tip", "warning": "Warning", "pitfall": "Pitfall"}
_ASIDES = frozenset({"without", *ASIDE_KINDS})


@dataclass(frozen=True, slots=True)
class Part:
    """How a section appears: its HTML element, its title (None for none) and the id of that title.

    `label` says what kind of aside it is, before the title or in its place.
    """

    element: str
    title: Markdown | None
    id: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the table of contents and the lines below it."""

    id: str
    text: Markdown
    children: tuple[Entry, ...] = ()


@dataclass(frozen=True, slots=True)
class Outline:
    """Every section but figures with its part, and the table of contents."""

    parts: Mapping[Section, Part]
    toc: tuple[Entry, ...]


def outline(lesson: Lesson) -> Outline:
    """Give every section its title and id, and weave them with the headings into a table of contents."""
    taken = set(_ids(lesson.blocks))
    parts: dict[Section, Part] = {}
    for section in lesson.sections():
        if section.kind == "figure":
            continue
        default = _TITLES.get(section.kind)
        id = next(name for name in _numbered(section.kind) if name not in taken)
        taken.add(id)
        title = section.title or (_words(default) if default else None)
        element = "aside" if section.kind in _ASIDES else "section"
        parts[section] = Part(element, title, id, _LABELS.get(section.kind, ""))
    toc: list[Entry] = []
    for level, entry in _entries(lesson.blocks, parts):
        if level == 2 or not toc:
            toc.append(entry)
        else:
            toc[-1] = Entry(toc[-1].id, toc[-1].text, (*toc[-1].children, entry))
    return Outline(parts, tuple(toc))


def _entries(blocks: Sequence[Block], parts: Mapping[Section, Part]) -> Iterator[tuple[int, Entry]]:
    """Headings of level 2 and 3 and the titles of sections, in page order."""
    for block in blocks:
        if isinstance(block, Markdown):
            for token, inline in zip(block.tokens, block.tokens[1:], strict=False):
                if token.type == "heading_open" and token.tag in ("h2", "h3"):
                    text = Markdown((inline,), inline=True)
                    yield int(token.tag[1]), Entry(str(token.attrGet("id")), text)
        elif isinstance(block, Section):
            part = parts.get(block)
            if part and part.title and part.element == "section":
                yield 2, Entry(part.id, part.title)
            yield from _entries(block.blocks, parts)


def _ids(blocks: Sequence[Block]) -> Iterator[str]:
    """Every id that the lesson's Markdown sets."""
    for block in blocks:
        if isinstance(block, Section):
            yield from _ids(block.blocks)
        elif isinstance(block, Markdown):
            tokens = [t for outer in block.tokens for t in (outer, *(outer.children or ()))]
            yield from (str(token.attrGet("id")) for token in tokens if token.attrs.get("id"))


def _numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}-{count}" for count in range(2, 10_000))


def _words(text: str) -> Markdown:
    token = Token("inline", "", 0, content=text, children=[Token("text", "", 0, content=text)])
    return Markdown((token,), inline=True)
