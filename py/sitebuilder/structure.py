"""Whether a finished page is sound HTML that everybody can use: nesting, headings, names, references to ids.

Of the rules of the HTML standard and WCAG 2.2 these are what raw HTML in a lesson, or a template, can break.
A full validator takes 80 ms for a page of a lesson; this takes five.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import unescape

from sitebuilder.markup import Tag


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


_VOID = _names("area base br col embed hr img input link meta source track wbr")
_MAY_STAY_OPEN = _names("li dt dd p option tr td th thead tbody tfoot colgroup")
_ENDS_PARAGRAPH = _names(
    """
    address article aside blockquote details dialog div dl fieldset figcaption figure footer form h1 h2 h3 h4
    h5 h6 header hr main menu nav ol p pre search section table ul
    """
)
_PARENTS = {
    "li": ("ul", "ol", "menu"),
    "dt": ("dl", "div"),
    "dd": ("dl", "div"),
    "tr": ("table", "thead", "tbody", "tfoot"),
    "td": ("tr",),
    "th": ("tr",),
    "figcaption": ("figure",),
    "summary": ("details",),
    "legend": ("fieldset",),
    "caption": ("table",),
}
_INTERACTIVE = frozenset({"a", "button", "label", "summary"})
_RULED = _MAY_STAY_OPEN | _ENDS_PARAGRAPH | _INTERACTIVE | _PARENTS.keys()
_NAMED = frozenset({"a", "button", "summary"})
_NAMING = re.compile(r"""\b(?:aria-label|aria-labelledby|alt|title)\s*=\s*["']?[^"'\s>]|<mtext|<mi|<mn|<mo""")
_REFERENCES = ("aria-labelledby", "aria-describedby", "aria-controls", "aria-owns", "aria-details", "for")


@dataclass(frozen=True, slots=True)
class Flaw:
    """Something wrong with a page; `tag` is the tag at fault, word for word."""

    tag: str
    problem: str
    remedy: str


def flaws(html: str, found: Iterable[Tag]) -> tuple[Flaw, ...]:
    """Every flaw of a page with these tags, in the order of the page."""
    return tuple(_Reader(html).read(found))


@dataclass(slots=True)
class _Reader:
    html: str
    open: list[Tag] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    references: list[tuple[Tag, str, str]] = field(default_factory=list)
    left: Counter[str] = field(default_factory=Counter)
    """Elements that were told to be open where another one closed."""
    level: int = 0

    def read(self, found: Iterable[Tag]) -> Iterator[Flaw]:
        first_title = True
        for tag in found:
            if tag.closing:
                yield from self._close(tag)
                continue
            yield from self._nesting(tag)
            yield from self._element(tag)
            if tag.name == "h1":
                if not first_title:
                    yield self._flaw(tag, "the page has a second <h1>", "make it an <h2>")
                first_title = False
            if tag.name not in _VOID and not (tag.alone and self._is_foreign(tag)):
                self.open.append(tag)
        for tag in self.open:
            if tag.name not in _MAY_STAY_OPEN:
                yield self._flaw(tag, f"<{tag.name}> is never closed", f"add </{tag.name}>")
        for tag, attribute, wanted in self.references:
            if wanted not in self.ids:
                problem = f"{attribute} names “{wanted}”, and nothing on the page has that id"
                yield self._flaw(tag, problem, "correct the id or take the attribute out")
        if first_title:
            yield Flaw("", "the page has no <h1>", "give it one: the title")

    def _nesting(self, tag: Tag) -> Iterator[Flaw]:
        if tag.name not in _RULED:
            return
        names = [other.name for other in self.open]
        if tag.name in _ENDS_PARAGRAPH and names and names[-1] == "p":  # HTML ends the paragraph here
            self.open.pop()
            names.pop()
        while names and names[-1] == tag.name and tag.name in _MAY_STAY_OPEN:
            names.pop()
            self.open.pop()
        if tag.name in _INTERACTIVE and (outer := next((n for n in names if n in _INTERACTIVE), None)):
            problem = f"<{tag.name}> stands inside <{outer}>, so nobody can tell which of them is pressed"
            yield self._flaw(tag, problem, "take one of them out")
        parents = _PARENTS.get(tag.name)
        if parents and (not names or names[-1] not in (*parents, *_MAY_STAY_OPEN)):
            inside = f"inside <{names[-1]}>" if names else "alone"
            yield self._flaw(
                tag,
                f"<{tag.name}> stands {inside}",
                f"put it into {' or '.join(f'<{p}>' for p in parents[:2])}",
            )

    def _element(self, tag: Tag) -> Iterator[Flaw]:
        attributes = tag.attributes
        if not attributes and tag.name not in ("img", "iframe", "h1", "h2", "h3", "h4", "h5", "h6"):
            return
        if identifier := attributes.get("id"):
            self.ids.add(identifier)
        for attribute in _REFERENCES:
            if attribute in attributes and (attribute != "for" or tag.name == "label"):
                self.references += [(tag, attribute, one) for one in attributes[attribute].split()]
        if tag.name == "img" and "alt" not in attributes:
            yield self._flaw(
                tag, "a picture has no alt", "say in alt what it shows, or alt='' for decoration"
            )
        if tag.name == "iframe" and not attributes.get("title"):
            yield self._flaw(tag, "a frame has no title", "say in title what it holds")
        if attributes.get("tabindex", "0").isdigit() and int(attributes.get("tabindex", "0")) > 0:
            yield self._flaw(tag, "a tabindex above 0 makes the Tab key jump about", "write tabindex=0")
        if len(tag.name) == 2 and tag.name[0] == "h" and tag.name[1].isdigit():
            level = int(tag.name[1])
            if level > self.level + 1 and self.level:
                problem = f"this heading skips a level (<h{self.level}> to <h{level}>)"
                yield self._flaw(tag, problem, f"make it an <h{self.level + 1}>")
            self.level = level

    def _close(self, tag: Tag) -> Iterator[Flaw]:
        if all(other.name != tag.name for other in reversed(self.open)):
            if self.left[tag.name]:  # told where it was still open
                self.left[tag.name] -= 1
                return
            remedy = "take it out, or open one before it"
            if tag.name == "p":
                remedy = "take it out; a list, block or table before it has ended the paragraph"
            yield self._flaw(tag, f"</{tag.name}> closes nothing", remedy)
            return
        while self.open:
            opened = self.open.pop()
            if opened.name == tag.name:
                break
            if opened.name not in _MAY_STAY_OPEN:
                self.left[opened.name] += 1
                problem = f"<{opened.name}> is still open where </{tag.name}> stands"
                yield self._flaw(opened, problem, f"add </{opened.name}> before it")
        if tag.name in _NAMED:
            yield from self._name(opened, self.html[opened.start : tag.start])

    def _name(self, tag: Tag, inside: str) -> Iterator[Flaw]:
        """A link or button must say something to those who hear the page."""
        if tag.name == "a" and "href" not in tag.attributes:
            return
        words = unescape(re.sub(r"<[^>]*>", " ", inside)).strip()
        if not words and not _NAMING.search(inside):
            what = "link" if tag.name == "a" else "button"
            yield self._flaw(tag, f"a {what} has no text", "write its words, or say them in aria-label")

    def _is_foreign(self, tag: Tag) -> bool:
        """Whether `/>` closes it: only in drawings and formulas."""
        return tag.name in ("svg", "math") or any(other.name in ("svg", "math") for other in self.open)

    def _flaw(self, tag: Tag, problem: str, remedy: str) -> Flaw:
        return Flaw(self.html[tag.start : tag.end], problem, remedy)
