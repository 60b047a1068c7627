"""The course's notation: which identifiers mean query, key, value …, so that each keeps one hue."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

_MI = re.compile(r'<mi(?: class="([^"]*)")?((?: [^<>]*)?)>([^<]+)</mi>')


@dataclass(frozen=True, slots=True)
class Notation:
    """`roles` maps an identifier to its role: {"Q": "query"}."""

    roles: Mapping[str, str]

    @classmethod
    def of(cls, notation: Mapping[str, tuple[str, ...]]) -> Notation:
        """From the table of `course.toml`, which maps a role to its identifiers."""
        return cls({identifier: role for role, names in notation.items() for identifier in names})

    def css_class(self, identifier: str) -> str:
        """`sym-query` for `Q`; empty for an identifier that is not part of the notation."""
        role = self.roles.get(identifier)
        return f"sym-{role}" if role else ""


NO_NOTATION = Notation({})


def colour_mathml(mathml: str, notation: Notation) -> str:
    """Give each `<mi>` whose whole text is an identifier of the notation its class.

    Bold and script letters count as the plain letter (NFKC folds them): 𝐐 is Q.
    """
    if not notation.roles:
        return mathml

    def mark(match: re.Match[str]) -> str:
        classes, attributes, text = match.groups(default="")
        symbol = notation.css_class(unicodedata.normalize("NFKC", text))
        if not symbol:
            return match[0]
        return f'<mi class="{f"{classes} {symbol}".strip()}"{attributes}>{text}</mi>'

    return _MI.sub(mark, mathml)
