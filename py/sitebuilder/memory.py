"""What earlier builds of this process made, so that `serve` repeats only what a change concerns."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any, TypeVar

Made = TypeVar("Made")


class Memory:
    """The last result for each place, with all that it was made from."""

    def __init__(self) -> None:
        self._known: dict[Hashable, tuple[object, Any]] = {}
        self.written: dict[Path, Any] = {}
        """What stands in each output folder since the last build; `write.py` knows how to read it."""

    def recall(self, place: Hashable, made_from: object, make: Callable[[], Made]) -> Made:
        """The result at `place` if it was made from the same (by ==); otherwise `make` it now.

        `made_from` must hold everything that `make` looks at. What `make` raises is not remembered.
        """
        known = self._known.get(place)
        if known is not None and known[0] == made_from:
            made: Made = known[1]
            return made
        made = make()
        self._known[place] = (made_from, made)
        return made
