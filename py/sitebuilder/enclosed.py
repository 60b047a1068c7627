"""Markdown inside of a fence (a quiz, a hint): paragraphs, lists, code; no headings, blocks or cells."""

from __future__ import annotations

from sitebuilder.faults import Faults
from sitebuilder.fences import fence_kind
from sitebuilder.model import Markdown
from sitebuilder.prose import Prose


def read_enclosed(text: str, line: int, what: str, prose: Prose, faults: Faults) -> Markdown:
    """Parse what stands in a `what` ("quiz" or "hint") from `line` on, and note what cannot stand there."""
    parsed = prose.blocks(text, line)
    for token in parsed.tokens:
        at = token.map[0] + 1 if token.map else line
        if token.type == "heading_open":
            faults.add(at, f"a {what} has no headings", "write the line as a paragraph")
        elif token.type == "container_open":
            faults.add(at, f"a {what} holds no `:::` blocks", f"move the block out of the {what}")
        elif token.type == "fence" and fence_kind(token, faults) not in ("shown", "fault"):
            faults.add(at, f"code in a {what} is only shown", "write the language alone after the fence")
    return parsed
