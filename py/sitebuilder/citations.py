"""Citations: `[@key]`, `[@key, Table 3]`, `[@one; @two]` as a rule for markdown-it, and their HTML."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

from sitebuilder.model import Reference

KEY = r"[A-Za-z][A-Za-z0-9_-]*"
_ONE = rf"\s*@({KEY})(?:,([^;\[\]]+))?\s*"
_ALL = re.compile(rf"\[{_ONE}(?:;{_ONE})*\](?![\[(])")
_EACH = re.compile(_ONE)


def citation_plugin(md: MarkdownIt) -> None:
    """Adds the token `citation`; its meta has `items`, each a key and what to look up there (or "")."""
    md.inline.ruler.before("link", "citation", _citation)


def _citation(state: StateInline, silent: bool) -> bool:
    match = _ALL.match(state.src, state.pos)
    if not match:
        return False
    if not silent:
        token = state.push("citation", "", 0)
        token.content = match[0]
        token.meta["items"] = [(key, place.strip()) for key, place in _EACH.findall(match[0])]
    state.pos = match.end()
    return True


def citation_html(items: Sequence[tuple[str, str]], references: Mapping[str, Reference]) -> str:
    """The citation in the text: author and year lead to the list at the lesson's end."""
    parts = []
    for key, place in items:
        label = references[key].label if key in references else key  # an unknown one is a fault already
        link = f'<a class="citation" href="#{anchor(key)}">{escape(label)}</a>'
        parts.append(f"{link}, {escape(place)}" if place else link)
    return f"({'; '.join(parts)})"


def anchor(key: str) -> str:
    """The id of a reference in the list."""
    return f"ref-{key}"
