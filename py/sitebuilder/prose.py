"""Look through parsed Markdown for formulas, pictures, links and headings, and for faults of prose."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

from markdown_it.token import Token

from sitebuilder.crossrefs import CrossReferences, is_wordless
from sitebuilder.faults import Faults, shorten
from sitebuilder.markdown import make_parser, plain_text, tex_of
from sitebuilder.model import Block, Citation, Formula, Heading, Image, Link, Markdown

_LOST_TEX = re.compile(r"\$[^$]*\\[A-Za-z]")
_TEX_COMMENT = re.compile(r"(?<!\\)(?:\\\\)*%")
_SCHEMES = "javascript|vbscript|data|file"
_REFUSED = re.compile(rf"\](?:\(|:)\s*<?\s*(({_SCHEMES}):[^\s)]*)", re.IGNORECASE)
_REFUSED_HTML = re.compile(rf"\s*({_SCHEMES}):", re.IGNORECASE)
_LOST_FOOTNOTE = re.compile(r"\[\^([^\]\s]+)\]")
_ELSEWHERE = re.compile(r"(?:https?:)?//", re.IGNORECASE)
_NOWHERE = "this link leads nowhere", "write its address between the brackets, or take the link out"
_PAGE_IDS = ("main", "lesson-data", "references")


class Prose:
    """What the Markdown of one lesson holds, gathered over all of its pieces."""

    def __init__(self, faults: Faults, references: Mapping[str, Any]) -> None:
        """`references` are the lesson's link definitions, so that quizzes and titles know them too."""
        self.formulas: list[Formula] = []
        self.images: list[Image] = []
        self.links: list[Link] = []
        self.citations: list[Citation] = []
        self.headings: list[Heading] = []
        self._ids: dict[str, int] = dict.fromkeys(_PAGE_IDS, 1)
        self._faults = faults
        self._references = references
        self._crossrefs = CrossReferences(faults)

    def blocks(self, text: str, line: int) -> Markdown:
        """Parse and read a piece of the lesson whose first line is `line`."""
        tokens = make_parser().parse(text, {"references": self._references})
        for token in tokens:
            if token.map:
                token.map = [number + line - 1 for number in token.map]
        self.read(tokens)
        return Markdown(tuple(tokens))

    def inline(self, text: str, line: int) -> Markdown:
        """Parse and read words that stand within a line, or run on over a few."""
        tokens = make_parser().parseInline(text.strip(), {"references": self._references})
        for token in tokens:
            token.map = [line - 1, line]
        self.read(tokens)
        return Markdown(tuple(tokens), inline=True)

    def title(self, text: str, line: int) -> Markdown:
        """Parse and read the title of a block, which the table of contents makes a link of."""
        title = self.inline(text, line)
        if _holds_links(title.tokens[0].children or ()):
            self._faults.add(line, "the title of a block holds only words", "put the link in the text below")
        return title

    def read_headings(self, tokens: Sequence[Token]) -> None:
        """Collect the body's headings and give them ids. Called last, so that the author's own go first."""
        level, line = 1, 1
        for opening, inline in pairwise(tokens):
            if opening.type != "heading_open":
                continue
            line = opening.map[0] + 1 if opening.map else line
            depth = int(opening.tag[1:])
            self._check_heading(inline, depth, level, line)
            level = max(depth, 2)
            identifier = opening.attrGet("id") or self._free_id(plain_text(inline.children or ()), line)
            opening.attrSet("id", str(identifier))
            if depth in (2, 3):
                self.headings.append(Heading(depth, str(identifier), Markdown((inline,), inline=True)))

    def read(self, tokens: Sequence[Token]) -> None:
        """Collect formulas, pictures and links, and note the faults of any piece of Markdown."""
        for outer, token, line in _with_lines(tokens):
            self._claim_id(token, line)
            match token.type:
                case "math_inline" | "math_block":
                    self._formula(token, line)
                case "math_inline_double":
                    self._faults.add(
                        line,
                        "a displayed formula stands inside a paragraph",
                        "put `$$` on lines of their own",
                    )
                case "image":
                    self._image(str(token.attrs["src"]), plain_text(token.children or ()), line)
                case "link_open":
                    self._link(outer, token, line)
                case "citation":
                    for key, _ in token.meta["items"]:
                        column = self._faults.column_of(f"@{key}", line)
                        self.citations.append(Citation(key, line, column))
                case "html_block" | "html_inline":
                    self._html(token.content, line)
                case "text":
                    self._check_text(token.content, line)
                    self._check_citation(token.content, line)
                case "container_stray":
                    self._faults.add(line, "this `:::` closes nothing", "remove it, or open a block above it")

    def _formula(self, token: Token, line: int) -> None:
        tex, display = tex_of(token)
        if not tex:
            self._faults.add(line, "this formula is empty", "write TeX between the dollar signs")
            return
        if _TEX_COMMENT.search(tex) and "\n" not in tex:
            self._faults.add(line, "`%` hides the rest of this formula", r"write `\%`")
        before = token.content[: token.content.index(tex)]
        line += before.count("\n")
        self.formulas.append(Formula(tex, display, line, self._faults.column_of(tex.split("\n")[0], line)))

    def _image(self, src: str, alt: str, line: int) -> None:
        if not src:
            self._faults.add(line, "this picture names no file", "write `![what it shows](file.svg)`")
            return
        if not alt:
            self._faults.add(
                line,
                f"the picture {src} has no text for those who cannot see it",
                f"write `![what it shows]({src})`",
                piece=src,
            )
        if _ELSEWHERE.match(src):
            self._faults.add(
                line,
                f"the picture {shorten(src)} lies on another site",
                "put the file beside the lesson",
                piece=src,
            )
        elif src.startswith("/"):
            self._faults.add(
                line,
                f"the picture {src} begins with a slash",
                "name it as it lies beside the lesson",
                piece=src,
            )
        self.images.append(Image(src, alt, line, self._faults.column_of(src, line)))

    def _link(self, inline: Token, opening: Token, line: int) -> None:
        written = str(opening.attrs["href"])
        href = self._crossrefs.take(inline, opening, line)
        if not written:
            self._faults.add(line, *_NOWHERE)
            return
        if href is None and is_wordless(inline, opening):
            self._faults.add(line, "this link has no words", "write them in the brackets", piece=written)
        if href != "":
            self.links.append(Link(href or written, written, line, self._faults.column_of(written, line)))

    def resolve_links(self, blocks: Sequence[Block]) -> None:
        """Lead the links by name to the lesson's blocks. Called last."""
        self._crossrefs.resolve(blocks)

    def _html(self, html: str, line: int) -> None:
        if "<" not in html or not any(mark in html for mark in ("href", "<img", "id=")):
            return
        for tag, attributes, at in _Tags.of(html, line):
            if attributes.get("id"):
                self._claim(str(attributes["id"]), at)
            if tag == "a" and "href" in attributes:
                href = attributes["href"] or ""
                if not href:
                    self._faults.add(at, *_NOWHERE)
                elif scheme := _REFUSED_HTML.match(href):
                    self._refuse(href, scheme[1], at)
                self.links.append(Link(href, href, at, self._faults.column_of(href, at)))
            elif tag == "img":
                # In HTML an empty alt is a decision: the picture is decoration.
                alt = attributes.get("alt", "")
                said = "decoration" if "alt" in attributes and not alt else alt
                self._image(attributes.get("src") or "", said or "", at)

    def _check_text(self, text: str, line: int) -> None:
        if "$$" in text:
            self._faults.add(line, "this `$$` has no partner", "open and close a displayed formula with `$$`")
        elif _LOST_TEX.search(text):
            self._faults.add(
                line,
                "this looks like a formula, but its dollar signs do not match",
                r"write `$x$` without spaces inside, and `\$` for money",
            )
        if lost := _LOST_FOOTNOTE.search(text):
            self._faults.add(
                line,
                f"the footnote `{lost[1]}` is not defined",
                f"add a line `[^{lost[1]}]: …`",
                piece=lost[0],
            )

        for refused in _REFUSED.finditer(text):
            self._refuse(refused[1], refused[2], line)

    def _refuse(self, address: str, scheme: str, line: int) -> None:
        """Markdown leaves such a link as text, and browsers do not follow most."""
        problem = f"`{scheme}:` cannot be linked to"
        remedy = "link to a page or to a file beside the lesson; code that readers run belongs in a cell"
        self._faults.add(line, problem, remedy, piece=address)

    def _check_citation(self, text: str, line: int) -> None:
        if "[@" in text:
            problem = "this looks like a citation, but cannot be read"
            remedy = "write `[@key]`, `[@key, Table 3]` or `[@one; @two]`"
            self._faults.add(line, problem, remedy, piece="[@")

    def _check_heading(self, inline: Token, depth: int, level: int, line: int) -> None:
        if depth == 1:
            self._faults.add(
                line, "the title of the lesson is its only first-level heading", "begin this one with `##`"
            )
        elif depth > level + 1:
            self._faults.add(
                line,
                f"this heading skips a level ({'#' * level} to {'#' * depth})",
                f"write `{'#' * (level + 1)}`",
            )
        children = inline.children or []
        if not plain_text(children):
            self._faults.add(line, "this heading is empty", "write its words or remove it")
        if _holds_links(children):
            self._faults.add(
                line, "a heading is a link to itself and holds only words", "put the link in the text below"
            )

    def _claim_id(self, token: Token, line: int) -> None:
        if token.attrs and token.nesting >= 0 and (identifier := token.attrGet("id")):
            self._claim(str(identifier), line)

    def _claim(self, identifier: str, line: int) -> None:
        if identifier in self._ids:
            first = self._ids[identifier]
            where = "the page itself uses it" if identifier in _PAGE_IDS else f"first on line {first}"
            self._faults.add(
                line, f"the id `{identifier}` is taken ({where})", "choose another", piece=identifier
            )
        self._ids.setdefault(identifier, line)

    def _free_id(self, words: str, line: int) -> str:
        slug = re.sub(r"[\W_]+", "-", words.lower()).strip("-") or "section"
        identifier, count = slug, 1
        while identifier in self._ids:
            count += 1
            identifier = f"{slug}-{count}"
        self._ids[identifier] = line
        return identifier


def _holds_links(inline: Sequence[Token]) -> bool:
    return any(token.type in ("link_open", "footnote_ref", "image", "citation") for token in inline)


def _with_lines(tokens: Sequence[Token]) -> Iterator[tuple[Token, Token, int]]:
    """Every block and inline token with the token it stands in (or itself) and its line, counted from 1."""
    line = 1
    for token in tokens:
        if token.map:
            line = token.map[0] + 1
        if token.type == "inline":
            yield from ((token, child, at) for child, at in _inline_lines(token, line))
        else:
            yield token, token, line


def _inline_lines(inline: Token, first: int) -> Iterator[tuple[Token, int]]:
    line = first
    for token in list(inline.children or ()):  # a copy, because links may be given words
        if "start" in token.meta:
            line = first + inline.content.count("\n", 0, token.meta["start"])
        yield token, line
        if token.type in ("softbreak", "hardbreak"):
            line += 1
        elif "end" in token.meta:
            line = first + inline.content.count("\n", 0, token.meta["end"])


class _Tags(HTMLParser):
    """The opening tags of a piece of raw HTML with their attributes and lines."""

    def __init__(self, first: int) -> None:
        super().__init__()
        self._first = first
        self.tags: list[tuple[str, dict[str, str | None], int]] = []

    @classmethod
    def of(cls, html: str, first: int) -> list[tuple[str, dict[str, str | None], int]]:
        reader = cls(first)
        with suppress(AssertionError):  # how CPython's parser answers to `<![nonsense`
            reader.feed(html)
        return reader.tags

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs), self._first + self.getpos()[0] - 1))
