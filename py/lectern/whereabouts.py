"""Where on the page a name is defined, seen from one of its cells: for hints about missing names."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Whereabouts(NamedTuple):
    """Names of cells, the nearest first."""

    above: tuple[str, ...] = ()
    here: bool = False
    below: tuple[str, ...] = ()


Finder = Callable[[str], Whereabouts | None]
"""From a name to the cells that may define it; None if the page has not told its cells."""


def nowhere(_name: str) -> None:
    """The finder of a runner that knows no page."""
