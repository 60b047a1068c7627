"""Links by name: `[words](cell:heads)`, `exercise:…`, `figure:…`, `lesson:30-slug`, with or without words.

Parsed links are changed in place: a page needs addresses, and names are known only at the lesson's end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from markdown_it.token import Token

from sitebuilder.faults import Faults, suggest
from sitebuilder.model import Block, Cell, Exercise, Section

_KINDS = ("cell", "exercise", "figure", "lesson")


@dataclass(frozen=True, slots=True)
class _Target:
    """Where a link by name leads, and its words, if it has some: a name in code, or "Figure 2"."""

    id: str
    words: str = ""
    is_code: bool = False


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A link whose target is not known yet."""

    inline: Token
    opening: Token
    kind: str
    name: str
    line: int


class CrossReferences:
    """The links by name of one lesson."""

    def __init__(self, faults: Faults) -> None:
        self._faults = faults
        self._waiting: list[_Waiting] = []

    def take(self, inline: Token, opening: Token, line: int) -> str | None:
        """Take a link of this token. Returns the address of one to a lesson, "" of one that has to wait, None
        of any other link."""
        kind, colon, name = str(opening.attrs["href"]).partition(":")
        if not colon or kind not in _KINDS:
            return None
        if kind != "lesson":
            self._waiting.append(_Waiting(inline, opening, kind, name, line))
            return ""
        slug, mark, anchor = name.partition("#")
        href = f"../{slug}/{mark}{anchor}"
        opening.attrs["href"] = href
        if is_wordless(inline, opening):
            _give_words(inline, opening, Token("lesson_title", "", 0, content=slug))
        return href

    def resolve(self, blocks: Iterable[Block]) -> None:
        """Lead every link that waits to its target, or note that it has none."""
        targets = dict(_targets(blocks, figure_numbers(blocks)))
        for link in self._waiting:
            target = targets.get((link.kind, link.name))
            if target is None:
                known = [name for kind, name in targets if kind == link.kind]
                problem = f"there is no {link.kind} `{link.name}` in this lesson to link to"
                near = suggest(link.name, known) if known else "correct it or take the link out"
                self._faults.add(link.line, problem, near, piece=f"{link.kind}:{link.name}")
                continue
            link.opening.attrs["href"] = f"#{target.id}"
            if is_wordless(link.inline, link.opening):
                if not target.words:
                    problem = f"the figure `{link.name}` has no caption, so this link has no words"
                    remedy = "write them in the brackets, or a caption after the figure's name"
                    self._faults.add(link.line, problem, remedy, piece=f"{link.kind}:{link.name}")
                kind = "code_inline" if target.is_code else "text"
                _give_words(link.inline, link.opening, Token(kind, "", 0, content=target.words))


def figure_numbers(blocks: Iterable[Block]) -> Mapping[str, int]:
    """The numbers of the figures that have a caption, by name: from 1, in source order."""
    captioned = (block.name for block in _flat(blocks) if isinstance(block, Section) and _has_caption(block))
    return {name: number for number, name in enumerate(captioned, 1)}


def cell_id(name: str) -> str:
    """The id of a cell in its page."""
    return f"cell-{name}"


def figure_id(name: str) -> str:
    """The id of a figure in its page."""
    return f"figure-{name}"


def is_wordless(inline: Token, opening: Token) -> bool:
    """Whether a link has nothing between its brackets."""
    children = inline.children or []
    here = next(i for i, child in enumerate(children) if child is opening)
    return children[here + 1].type == "link_close"


def _has_caption(section: Section) -> bool:
    return section.kind == "figure" and section.title is not None


def _targets(
    blocks: Iterable[Block], numbers: Mapping[str, int]
) -> Iterator[tuple[tuple[str, str], _Target]]:
    for block in _flat(blocks):
        if isinstance(block, Cell) and block.role != "setup":
            kind = "exercise" if block.role == "exercise" else "cell"  # one that lacks a part is still there
            yield (kind, block.name), _Target(cell_id(block.name), block.name, is_code=True)
        elif isinstance(block, Exercise):
            yield ("exercise", block.name), _Target(cell_id(block.name), block.name, is_code=True)
        elif isinstance(block, Section) and block.kind == "figure":
            number = numbers.get(block.name)
            words = f"Figure {number}" if number else ""
            yield ("figure", block.name), _Target(figure_id(block.name), words)


def _flat(blocks: Iterable[Block]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Section):
            yield from _flat(block.blocks)


def _give_words(inline: Token, opening: Token, words: Token) -> None:
    children = inline.children or []
    here = next(i for i, child in enumerate(children) if child is opening)
    children.insert(here + 1, words)
