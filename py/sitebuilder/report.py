"""What a build says to a terminal, an editor or GitHub: its step, the faults it found, the result."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from rich.console import Console
from rich.text import Text

from sitebuilder.errors import LessonError
from sitebuilder.progress import MB, say

_PATIENCE = 1.0
"""Seconds a step may take in silence."""

NEARLY_FULL = 8 * 10**8
"""Bytes of a site from which on its size is told."""


@dataclass(frozen=True, slots=True)
class Built:
    """What a build made, for its closing lines. Sizes are bytes as a compressing host sends them."""

    out: Path | None
    lessons: int
    cells: int
    before_run: int
    runtime: int
    size: int
    seconds: float


Style = Literal["text", "github"]
"""How faults are written: one line each that editors parse, or as commands to GitHub's runner."""

STYLES: tuple[Style, ...] = get_args(Style)


class Report:
    """Speaks to a person: results and progress on one console, faults on another."""

    def __init__(
        self, console: Console | None = None, faults: Console | None = None, style: Style = "text"
    ) -> None:
        self.console = console or Console(highlight=False)
        self.faults_to = faults or Console(stderr=True, highlight=False)
        self.style = style

    @contextmanager
    def step(self, doing: str, *, silent: bool = False) -> Iterator[None]:
        """Name a step: by a spinner where the terminal redraws, and a line if it took more than a second.

        Elsewhere only a `silent` step, whose work prints nothing of its own, gets a line, after a second.
        """
        if self.console.is_terminal:
            started = time.monotonic()
            with self.console.status(Text(doing), spinner="dots", spinner_style="blue"):
                yield
            if (took := time.monotonic() - started) > _PATIENCE:
                self.console.print(Text.assemble(("  ✓ ", "green"), doing, (f"  {_time(took)}", "dim")))
            return
        if not silent:
            yield
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
        count = f"{len(errors)} fault" if len(errors) == 1 else f"{len(errors)} faults"
        fate = f"{_near(kept)}/ is as it was." if kept else "Nothing was written."
        written = map(github_annotation, errors) if self.style == "github" else map(str, errors)
        self.repeat("\n".join([*written, f"✗ {count}. {fate}"]))

    def trouble(self, message: str) -> None:
        """One problem that is not a fault in a lesson."""
        self.repeat(f"::error::{_escaped(message)}" if self.style == "github" else f"✗ {message}")

    def repeat(self, faults: str) -> None:
        """Faults as text, from this build or another process: places stand out, and so does the mark."""
        for line in faults.splitlines():
            text = Text(line)
            text.highlight_regex(r"^[^\s:]\S*?:\d+:(?:\d+:)?", "bold")
            text.highlight_regex("^✗", "red")
            self.faults_to.print(text, soft_wrap=True)

    def line(self, text: str) -> None:
        """A line as it is."""
        say(self.console, text)

    def begun(self, lesson: Path, lessons: str | None = None) -> None:
        """A new lesson, and what to do with it; `lessons` is the folder that was asked for."""
        serve = "python build.py serve" + (f" --lessons {lessons}" if lessons else "")
        done = Text.assemble(("✓ ", "green"), (_near(lesson), "bold"), " is a whole lesson")
        self.console.print(done, soft_wrap=True)
        show = Text.assemble("  Next: write in it while ", (serve, "blue"), " shows the page")
        self.console.print(show, soft_wrap=True)

    def built(self, result: Built, *, served: bool = False) -> None:
        """What was built, what it weighs, how long it took, what to do next (unless `serve` is doing it)."""
        lessons = f"{result.lessons} lesson" if result.lessons == 1 else f"{result.lessons} lessons"
        head = f"Built {lessons} into {_near(result.out)}/" if result.out else f"Checked {lessons}: no faults"
        took = f" in {_time(result.seconds)}"
        self.console.print(Text.assemble(("✓ ", "green"), (head, "bold"), took), soft_wrap=True)
        if served:
            return
        reading, running = _size(result.before_run), _size(result.runtime)
        self.line(
            f"  To read a lesson costs at most {reading}, the first Run {running}; {_cells(result.cells)}"
        )
        if result.size > NEARLY_FULL:
            self.line(f"  The site has {_size(result.size)}, and GitHub Pages takes no more than 1 GB")
        if result.out:
            self.console.print(Text.assemble("  Next: ", ("python build.py serve", "blue"), " shows it"))


def github_annotation(error: LessonError) -> str:
    """The command that makes GitHub show a fault beside its line of the source.

    The message repeats the place: of a step GitHub shows ten annotations, and the log shows only messages.
    """
    place = {"file": error.path.as_posix(), "line": error.line}
    if error.column:
        place["col"] = error.column
    properties = ",".join(f"{key}={_escaped(str(value), ':,')}" for key, value in place.items())
    return f"::error {properties}::{_escaped(str(error))}"


def _escaped(text: str, also: str = "") -> str:
    """Text as a workflow command takes it; the percent sign first, since it begins each escape.

    Source: `escapeData` and `escapeProperty` of @actions/core.
    """
    for character in "%\r\n" + also:
        text = text.replace(character, f"%{ord(character):02X}")
    return text


def _cells(count: int) -> str:
    return f"{count} cell ran" if count == 1 else f"{count} cells ran"


def _near(path: Path) -> str:
    """A path as somebody standing in this folder would write it."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) and path != here else path)


def _time(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 60 else f"{seconds // 60:.0f} min {seconds % 60:.0f} s"


def _size(count: int) -> str:
    return f"{count / MB:.1f} MB" if count >= MB else f"{count / 1000:.0f} kB"
