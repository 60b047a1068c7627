"""The cells of a page by what they define and need: for what Run has to run first, and for missing names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lectern.chance import Chance, chances
from lectern.names import CellNames, read_names
from lectern.source import normalise, parse_cell
from lectern.whereabouts import Finder, Whereabouts, nowhere


@dataclass(frozen=True, slots=True)
class Reading:
    """What the code of one cell says."""

    names: CellNames
    chances: tuple[Chance, ...]

    def message(self, check: Reading | None) -> dict[str, Any]:
        """As `CellNames` in static/js/protocol.js; `check` is that of an exercise."""
        read = {
            "needs": sorted(self.names.needs),
            "binds": sorted(self.names.binds),
            "touches": sorted(self.names.touches),
            "chances": list(self.chances),
        }
        return {**read, "asks": sorted(check.names.needs - self.names.binds)} if check else read


class Outline:
    """The cells of a page in order, as last told by the page."""

    def __init__(self) -> None:
        self._read: dict[str, Reading | None] = {}  # by source: most cells stay as they are
        self._cells: list[tuple[str, Reading | None]] = []

    def tell(self, cells: Iterable[Mapping[str, str]]) -> list[dict[str, Any] | None]:
        """Take the cells (`name`, `source`, maybe `check`) in the page's order; return a reading of each.

        None for one that cannot be read: it has a syntax error, which its own Run will report.
        """
        cells = list(cells)
        texts = [cell[key] for cell in cells for key in ("source", "check") if key in cell]
        self._read = {text: self._reading(text) for text in texts}
        self._cells = [(cell["name"], self._read[cell["source"]]) for cell in cells]
        checks = [self._read[cell["check"]] if "check" in cell else None for cell in cells]
        return [
            reading.message(check) if reading else None
            for (_, reading), check in zip(self._cells, checks, strict=True)
        ]

    def finder(self, cell: str) -> Finder:
        """Tells where other cells define a name, as seen from `cell`."""
        names = [name for name, _ in self._cells]
        if cell not in names:
            return nowhere
        here = names.index(cell)

        def find(name: str) -> Whereabouts:
            places = [
                i
                for i, (_, read) in enumerate(self._cells)
                if read and name in read.names.binds | read.names.touches
            ]
            return Whereabouts(
                above=tuple(names[i] for i in reversed(places) if i < here),
                here=here in places,
                below=tuple(names[i] for i in places if i > here),
            )

        return find

    def _reading(self, source: str) -> Reading | None:
        if source in self._read:
            return self._read[source]
        try:
            tree, _ = parse_cell(normalise(source), "<cell>")
            return Reading(read_names(tree), chances(tree))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
