"""The outline of a lesson: the visible title and id of each section, and the table of contents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from markdown_it.token import Token

from sitebuilder.model import Block, Heading, Lesson, Markdown, Section, SectionKind

_TITLES: Mapping[SectionKind, str] = {
    "without": "Without this",
    "takeaways": "What to take away",
    "where-used": "Where it is used",
    "removed": "If it were removed",
    "note": "",
}
_ASIDES = frozenset({"without", "note"})


@dataclass(frozen=True, slots=True)
class Part:
    """How a section appears: its HTML element, its title ("" for none) and the id of that title."""

    element: str
    title: str
    id: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the table of contents and the lines below it."""

    id: str
    text: Markdown
    children: tuple[Entry, ...] = ()


@dataclass(frozen=True, slots=True)
class Outline:
    """`parts` is keyed by the line a section starts on, which is unique within a lesson."""

    parts: Mapping[int, Part]
    toc: tuple[Entry, ...]


def outline(lesson: Lesson) -> Outline:
    """Give every section its title and id, and weave them with the headings into a table of contents."""
    taken = {heading.id for heading in lesson.headings}
    parts: dict[int, Part] = {}
    for section in _sections(lesson.blocks):
        title = section.name or _TITLES[section.kind]
        id = section.kind if section.kind not in taken else f"{section.kind}-{len(parts) + 1}"
        taken.add(id)
        parts[section.line] = Part("aside" if section.kind in _ASIDES else "section", title, id)
    headings = iter(lesson.headings)
    flat = list(_entries(lesson.blocks, headings, parts))
    toc: list[Entry] = []
    for level, entry in flat:
        if level == 2 or not toc:
            toc.append(entry)
        else:
            top = toc[-1]
            toc[-1] = Entry(top.id, top.text, (*top.children, entry))
    return Outline(parts, tuple(toc))


def _sections(blocks: tuple[Block, ...]) -> Iterator[Section]:
    for block in blocks:
        if isinstance(block, Section):
            if block.kind != "figure":
                yield block
            yield from _sections(block.blocks)


def _entries(
    blocks: tuple[Block, ...], headings: Iterator[Heading], parts: Mapping[int, Part]
) -> Iterator[tuple[int, Entry]]:
    """Entries in page order. Headings and the heading tokens of the Markdown come in the same order."""
    for block in blocks:
        if isinstance(block, Markdown):
            for token in block.tokens:
                if token.type == "heading_open" and token.tag in ("h2", "h3"):
                    heading = next(headings)
                    yield heading.level, Entry(heading.id, heading.text)
        elif isinstance(block, Section):
            part = parts.get(block.line)
            if part and part.title and part.element == "section":
                yield 2, Entry(part.id, _plain(part.title))
            yield from _entries(block.blocks, headings, parts)


def _plain(text: str) -> Markdown:
    token = Token("inline", "", 0, content=text, children=[Token("text", "", 0, content=text)])
    return Markdown((token,), inline=True)
