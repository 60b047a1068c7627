"""What a reader fetches, in bytes on the wire: as a host sends them that compresses text."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from sitebuilder.assembled import Bundle
from sitebuilder.memory import Memory
from sitebuilder.model import Lesson
from sitebuilder.offline import pictures
from sitebuilder.pages import Ingredients
from sitebuilder.typeface import FACES, REST, rest_file
from sitebuilder.write import Content

_TEXT = frozenset({".css", ".html", ".js", ".svg"})
"""What hosts compress."""


def before_run(
    made: Ingredients, pages: Mapping[str, str], files: Mapping[str, Content], memory: Memory
) -> int:
    """Bytes on the wire to read the heaviest lesson to its end without running anything.

    Of the bundle that is all but scripts for later: a face in italics or a font for code may come last;
    rare letters only where a page has some.
    """
    favicon = _on_wire(files["favicon.svg"])
    shared, seldom = memory.recall("bundle's weight", made.bundle, partial(_bundle, made.bundle))

    def weigh(lesson: Lesson) -> int:
        html = pages[f"{lesson.slug}/index.html"]
        page, rare = memory.recall(
            ("weight", lesson.slug), html, lambda: (_on_wire(html), not REST.isdisjoint(html))
        )
        drawn = made.drawings[lesson.slug]
        shown = sum(_on_wire(files[path]) for path in pictures(lesson, drawn) if path in files)
        font = _on_wire(made.math_font) if lesson.formulas and made.math_font else 0
        return page + rare * seldom + shown + font

    return shared + favicon + max(map(weigh, made.site.lessons))


def _bundle(bundle: Bundle) -> tuple[int, int]:
    """What every page fetches of the bundle, and what only those with rare letters do."""
    early = {bundle["main.js"], *bundle.preloads("main.js")}
    seldom = {bundle.folder / bundle[name] for name in map(rest_file, FACES) if name in bundle.fonts}
    shared = [f for f in bundle.folder.iterdir() if f.suffix not in (".js", ".json") and f not in seldom]
    shared += [bundle.folder / name for name in early]
    return sum(map(_on_wire, shared)), sum(map(_on_wire, seldom))


def _on_wire(content: Content) -> int:
    """The size of a file as a host sends it that compresses what is text."""
    if isinstance(content, Path) and content.suffix not in _TEXT:
        return content.stat().st_size
    data = content.read_bytes() if isinstance(content, Path) else content
    return len(gzip.compress(data.encode() if isinstance(data, str) else data, 6, mtime=0))
