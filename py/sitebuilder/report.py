"""What a build says in the terminal: the step it is at, the faults it found, the result."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.text import Text

from sitebuilder.errors import LessonError
from sitebuilder.progress import MB, say

_PATIENCE = 1.0
"""Seconds a step may take in silence."""


@dataclass(frozen=True, slots=True)
class Built:
    """What a build made, for its closing lines. Sizes are bytes as a compressing host sends them."""

    out: Path | None
    lessons: int
    cells: int
    before_run: int
    runtime: int
    seconds: float


class Report:
    """Speaks to a person: results and progress on one console, faults on another."""

    def __init__(self, console: Console | None = None, faults: Console | None = None) -> None:
        self.console = console or Console(highlight=False)
        self.faults_to = faults or Console(stderr=True, highlight=False)

    @contextmanager
    def step(self, doing: str) -> Iterator[None]:
        """Name a step: a spinner where the terminal redraws, else a line once it has taken a second."""
        if self.console.is_terminal:
            started = time.monotonic()
            with self.console.status(Text(doing), spinner="dots", spinner_style="blue"):
                yield
            if (took := time.monotonic() - started) > _PATIENCE:
                self.console.print(Text.assemble(("  ✓ ", "green"), doing, (f"  {_time(took)}", "dim")))
            return
        announcement = threading.Timer(_PATIENCE, say, (self.console, f"  {doing} …"))
        announcement.daemon = True
        announcement.start()
        try:
            yield
        finally:
            announcement.cancel()

    def faults(self, errors: Sequence[LessonError], *, kept: Path | None) -> None:
        """Every fault on a line of its own, then how many there are and what became of the old site."""
        for error in errors:
            place = f"{error.path}:{error.line}:"
            self._fault_line(Text.assemble((place, "bold"), " ", error.problem, "; ", (error.remedy, "blue")))
        count = f"{len(errors)} fault" if len(errors) == 1 else f"{len(errors)} faults"
        fate = f"{kept}/ is as it was." if kept else "Nothing was written."
        self._fault_line(Text.assemble(("✗ ", "red"), (count, "bold"), f". {fate}"))

    def trouble(self, message: str) -> None:
        """One problem that is not a fault in a lesson."""
        self._fault_line(Text.assemble(("✗ ", "red"), message))

    def built(self, result: Built) -> None:
        """What was built, what it weighs, how long it took, what to do next."""
        lessons = f"{result.lessons} lesson" if result.lessons == 1 else f"{result.lessons} lessons"
        head = f"Built {lessons} into {result.out}/" if result.out else f"Checked {lessons}: no faults"
        took = f" in {_time(result.seconds)}"
        self.console.print(Text.assemble(("✓ ", "green"), (head, "bold"), took), soft_wrap=True)
        reading, running = _size(result.before_run), _size(result.runtime)
        sizes = f"Reading a lesson costs at most {reading}, the first Run {running}"
        self.console.print(Text(f"  {sizes}. {result.cells} cells ran."), style="dim", soft_wrap=True)
        if result.out:
            self.console.print(Text.assemble("  To read it: ", ("python build.py serve", "blue")))

    def _fault_line(self, line: Text) -> None:
        self.faults_to.print(line, soft_wrap=True)


def _time(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 60 else f"{seconds // 60:.0f} min {seconds % 60:.0f} s"


def _size(count: int) -> str:
    return f"{count / MB:.1f} MB" if count >= MB else f"{count / 1000:.0f} KB"
