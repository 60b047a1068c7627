"""The tags of a finished page, by pattern: for HTML that we wrote and an author's raw pieces in it.

Python's own HTML parser took a third of the time of a build of 200 lessons.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import unescape

# Possessive, so that an author's open quotation mark costs no more than one look at the rest of the page.
_TAG = re.compile(r"""<(/?)([a-zA-Z][^\s/>]*+)((?:[^"'>]++|"[^"]*+"|'[^']*+')*+)>|<!--.*?-->""", re.DOTALL)
_ATTRIBUTE = re.compile(r"""([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?""")
_RAW_TEXT = {name: re.compile(rf"</{name}\s*>", re.IGNORECASE) for name in ("script", "style")}
_NONE: Mapping[str, str] = {}


@dataclass(slots=True)
class Tag:
    """A start or end tag: its name in small letters, its place in the page; `alone` if it ends in `/>`."""

    name: str
    closing: bool
    alone: bool
    attributes: Mapping[str, str]
    start: int
    end: int


def tags(html: str) -> Iterator[Tag]:
    """Every tag of a page in order; what stands inside scripts and styles is none."""
    position = 0
    while match := _TAG.search(html, position):
        position = match.end()
        slash, name, inside = match.groups()
        if name is None:
            continue
        name = name.lower()
        attributes = _attributes(inside) if inside and not inside.isspace() else _NONE
        yield Tag(name, bool(slash), inside.endswith("/"), attributes, match.start(), position)
        if name in _RAW_TEXT and not slash:
            end = _RAW_TEXT[name].search(html, position)
            position = end.start() if end else len(html)


def _attributes(text: str) -> dict[str, str]:
    """Names in small letters with their values; the first wins where a name stands twice, as in a browser."""
    found: dict[str, str] = {}
    for name, double, single, bare in _ATTRIBUTE.findall(text):
        value = double or single or bare
        found.setdefault(name.lower(), unescape(value) if "&" in value else value)
    return found
