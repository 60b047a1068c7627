"""The cells of a page by what they define and need: for what Run has to run first, and for missing names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from lectern.chance import Chance, chances
from lectern.names import CellNames, read_names
from lectern.source import normalise, parse_cell
from lectern.whereabouts import Finder, Whereabouts, nowhere


class Reading(NamedTuple):
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
    """The cells of a page in order, as last told by the page. Each is read when somebody asks for it."""

    def __init__(self) -> None:
        self._read: dict[str, Reading | None] = {}  # by source: most cells stay as they are
        self._cells: list[Mapping[str, str]] = []

    def tell(
        self, cells: Iterable[Mapping[str, str]], wanted: Iterable[int] | None = None
    ) -> list[dict[str, Any] | None]:
        """Take the cells (`name`, `source`, maybe `check`) in the page's order; return a reading of some.

        `wanted` are their indices, all if it is None: to read a cell takes a browser some 10 ms. None stands
        for one that cannot be read: it has a syntax error, which its own Run will report.
        """
        self._cells = list(cells)
        texts = {cell[key] for cell in self._cells for key in ("source", "check") if key in cell}
        self._read = {text: reading for text, reading in self._read.items() if text in texts}
        some = self._cells if wanted is None else [self._cells[i] for i in wanted]
        return [self._message(cell) for cell in some]

    def _message(self, cell: Mapping[str, str]) -> dict[str, Any] | None:
        reading = self._reading(cell["source"])
        check = self._reading(cell["check"]) if "check" in cell else None
        return reading.message(check) if reading else None

    def finder(self, cell: str) -> Finder:
        """Tells where other cells define a name, as seen from `cell`."""
        names = [each["name"] for each in self._cells]
        if cell not in names:
            return nowhere
        here = names.index(cell)

        def find(name: str) -> Whereabouts:
            readings = (self._reading(each["source"]) for each in self._cells)
            places = [
                i for i, read in enumerate(readings) if read and name in read.names.binds | read.names.touches
            ]
            return Whereabouts(
                above=tuple(names[i] for i in reversed(places) if i < here),
                here=here in places,
                below=tuple(names[i] for i in places if i > here),
            )

        return find

    def _reading(self, source: str) -> Reading | None:
        if source not in self._read:
            try:
                tree, _ = parse_cell(normalise(source), "<cell>")
                self._read[source] = Reading(read_names(tree), chances(tree))
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                self._read[source] = None
        return self._read[source]
