"""The block `::: kind …` up to its `:::`, as a rule for markdown-it.

Blocks nest by counting, as Pandoc's fenced divs do: a line of colons with words opens, one without closes the
innermost. (The container plugin of mdit-py-plugins closes the outer block at the first `:::`, looks into
code fences, and does not tell a closed block from an open one.)
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

_CODE_FENCE = re.compile(r"(`{3,}(?=[^`]*$)|~{3,})(.*)")


def container_plugin(md: MarkdownIt) -> None:
    """Adds the tokens container_open (`info` has its words), container_close and container_stray."""
    alt = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    md.block.ruler.before("fence", "container", _container, alt)  # type: ignore[arg-type]


def _container(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    line = _text(state, start)
    if not line.startswith(":::") or state.is_code_block(start):
        return False
    if silent:
        return True
    words = line.lstrip(":").strip()
    if not words:
        token = state.push("container_stray", "", 0)
        token.map = [start, start + 1]
        state.line = start + 1
        return True

    stop, closed = _find_close(state, start, end)
    opening = state.push("container_open", "div", 1)
    opening.block = True
    opening.info = words
    opening.map = [start, stop]
    opening.meta = {"closed": closed}

    parent, line_max = state.parentType, state.lineMax
    state.parentType, state.lineMax = "container", stop
    state.md.block.tokenize(state, start + 1, stop)
    state.parentType, state.lineMax = parent, line_max

    state.push("container_close", "div", -1).block = True
    state.line = min(stop + 1, end)
    return True


def _find_close(state: StateBlock, start: int, end: int) -> tuple[int, bool]:
    """The line of the closing `:::` (or `end`), and whether the block is well closed.

    A block that ends inside an open code fence counts as closed: the fence is the fault to report.
    """
    depth, fence = 1, ""
    for number in range(start + 1, end):
        line = _text(state, number)
        if fence:
            bare = line.rstrip()
            if bare.startswith(fence) and not bare.strip(fence[0]):
                fence = ""
        elif match := _CODE_FENCE.match(line):
            fence = match[1]
        elif line.startswith(":::") and not state.is_code_block(number):
            depth += 1 if line.strip(": \t") else -1
            if not depth:
                return number, True
    return end, bool(fence)


def _text(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]
