"""Run every lesson's cells in the shipped runtime, under Node, and record what a student will see."""

from __future__ import annotations

import re
import time
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from rich.console import Console

from sitebuilder.beside import container
from sitebuilder.cache import digest, keep_newest, read_json, sha256_of, write_json
from sitebuilder.conversation import Conversation, Ended
from sitebuilder.errors import BuildError, LessonError, LessonErrors
from sitebuilder.faults import shorten
from sitebuilder.model import Cell, CellRun, Display, Lesson, Recording, Stream
from sitebuilder.progress import say
from sitebuilder.runtime import Runtime

_SCRIPT = Path(__file__).with_name("execute.mjs")
_START_SECONDS = 180.0
"""Starting Python takes two seconds, and twenty on a busy machine; this is for one that hangs."""

_TIMEOUT = 120.0
"""Seconds for all cells of a lesson."""

_MOST_OUTPUT = 8_000_000
"""Bytes of messages from a cell; a page with more is unreadable, and an endless print would fill memory."""

_KEPT_RECORDINGS = 300


@dataclass(frozen=True, slots=True)
class Executor:
    """Where execution happens: the runtime's folder, and the browser's own `start.js`."""

    runtime: Runtime
    start: Path
    cache: Path
    console: Console
    timeout: float = _TIMEOUT

    def execute(self, lessons: Sequence[Lesson]) -> dict[str, Recording]:
        """The recordings of all lessons by slug; unchanged lessons come from the cache.

        Raises LessonErrors with each lesson's raising, hanging or breaking cell, BuildError if Python does
        not run and nothing else is wrong.
        """
        found = {lesson.slug: self.recorded(lesson) for lesson in lessons}
        recordings = {slug: recording for slug, recording in found.items() if recording is not None}
        waiting = [lesson for lesson in lessons if lesson.slug not in recordings]
        faults: list[LessonError] = []
        try:
            while waiting:  # one process for all, a new one after each that ended
                for lesson, outcome in self._outcomes(tuple(waiting)):
                    waiting.remove(lesson)
                    if isinstance(outcome, LessonError):
                        faults.append(outcome)
                    else:
                        recordings[lesson.slug] = outcome
                        write_json(self._cached(lesson), [_to_json(run) for run in outcome.values()])
        except BuildError as error:
            if faults:
                raise LessonErrors(faults) from error
            raise
        if faults:
            raise LessonErrors(faults)
        if recordings:
            keep_newest(self.cache / "recordings", _KEPT_RECORDINGS)
        return recordings

    def _outcomes(self, lessons: Sequence[Lesson]) -> Iterator[tuple[Lesson, Recording | LessonError]]:
        """What becomes of these lessons in one process: at least of the first, of all if it lives on."""
        with Conversation([_SCRIPT], cwd=self.start.parent, request=self._request(lessons)) as node:
            for lesson in lessons:
                say(self.console, f"Running the cells of {lesson.slug}")
                try:
                    outcome = _Run(lesson, node, self.timeout).outcome()
                except Ended:
                    if lesson is lessons[0]:
                        raise
                    return  # an earlier lesson may have left the process to die; this one gets its own
                yield lesson, outcome
                if not node.open:
                    return

    def _request(self, lessons: Iterable[Lesson]) -> dict[str, Any]:
        return {
            "runtime": str(self.runtime.folder.resolve()),
            "start": str(self.start.resolve()),
            "lessons": [
                {
                    "packages": self.runtime.packages(lesson.meta.packages),
                    "wheels": self.runtime.wheels(lesson.meta.packages),
                    "own": b64encode(container(lesson.files)).decode() if lesson.files else None,
                    "cells": [{"name": cell.name, "source": cell.source} for cell in _order(lesson)],
                }
                for lesson in lessons
            ],
        }

    def _cached(self, lesson: Lesson) -> Path:
        """Where a recording lies, named by all that could change it; `lectern` is in the runtime's digest."""
        key = {
            "request": self._request([lesson])["lessons"],
            "runtime": self.runtime.digest,
            "scripts": [sha256_of(script) for script in (_SCRIPT, *_modules(self.start))],
        }
        return self.cache / "recordings" / f"{digest(key)[:24]}.json"

    def recorded(self, lesson: Lesson) -> Recording | None:
        """The recording in the cache, or None if this lesson must run."""
        if not _order(lesson):
            return {}
        file = self._cached(lesson)
        try:
            runs = [_from_json(run) for run in read_json(file) or ()]
        except (TypeError, KeyError):
            return None
        if [run.cell for run in runs] != [cell.name for cell in _order(lesson)]:
            return None
        file.touch()
        return {run.cell: run for run in runs}


@dataclass(slots=True)
class _Run:
    """One lesson's turn in the conversation with Node."""

    lesson: Lesson
    node: Conversation
    timeout: float
    runs: dict[str, CellRun] = field(default_factory=dict)

    def outcome(self) -> Recording | LessonError:
        """The lesson's recording, or the one fault that ended it. Raises Ended if no cell began."""
        deadline = time.monotonic() + _START_SECONDS
        cells = {cell.name: cell for cell in _order(self.lesson)}
        cell: Cell | None = None
        outputs: list[Stream | Display] = []
        size = 0
        fault: LessonError | None = None
        while True:
            try:
                line = self.node.hear(deadline - time.monotonic(), doing=f"Running {self.lesson.path}")
            except Ended as ended:
                if cell is None:
                    raise
                return self._broke(cell, ended.reason)
            if line is None:
                self.node.kill()
                return self._hung(cell)
            message, size = line.message, size + line.size
            match message["type"]:
                case "cell":
                    if cell is None:
                        deadline = time.monotonic() + self.timeout
                    cell, outputs, size = cells[message["name"]], [], 0
                case "stream":
                    outputs.append(Stream(message["name"], message["text"]))
                case "display":
                    outputs.append(Display(message["mime"], message["data"]))
                case "done" if cell and message["ok"]:
                    self.runs[cell.name] = CellRun(cell.name, tuple(_joined(outputs)))
                case "done" if cell and message["error"]["kind"] == "WorkerError":
                    self.node.kill()
                    return self._broke(cell, message["error"]["message"])
                case "done" if cell:
                    fault = self._raised(cell, message["error"])
                case "end":
                    return fault or self.runs
            if cell and size > _MOST_OUTPUT:
                self.node.kill()
                problem = f'cell "{cell.name}" says more than {_MOST_OUTPUT // 1_000_000} MB'
                return LessonError(self.lesson.path, cell.line, problem, "print or show less")

    def _raised(self, cell: Cell, error: dict[str, Any]) -> LessonError:
        line = cell.line + (error["line"] or 1) - 1
        message = " ".join(str(error["message"]).split())
        remedy = error["hint"] or "correct it; what a cell uses must be defined in it or in a cell above"
        if error["kind"] == "ModuleNotFoundError":  # the hint tells a student to install it
            remedy = "correct the name, or add its package to `packages:` in the front matter"
        problem = f'cell "{cell.name}" raises {error["kind"]}' + (f": {message}" if message else "")
        return LessonError(self.lesson.path, line, problem, remedy)

    def _broke(self, cell: Cell, reason: str) -> LessonError:
        problem = f'cell "{cell.name}" broke Python ({shorten(reason, 100)})'
        remedy = "take out what ends Python or nests too deeply; it would break in a reader's page too"
        return LessonError(self.lesson.path, cell.line, problem, remedy)

    def _hung(self, cell: Cell | None) -> LessonError:
        if cell is None:
            raise BuildError(
                f"Running {self.lesson.path}: Python was not ready after {_START_SECONDS:.0f} s; "
                "build again when the machine is less busy"
            )
        problem = f'cell "{cell.name}" was still running when the lesson had taken {self.timeout:.0f} s'
        return LessonError(self.lesson.path, cell.line, problem, "end its loop, or let it compute less")


def _order(lesson: Lesson) -> tuple[Cell, ...]:
    """As the page runs them: setup first, wherever it stands."""
    return lesson.cells("setup") + lesson.cells("run")


def _joined(outputs: Iterable[Stream | Display]) -> Iterator[Stream | Display]:
    """The same with neighbouring pieces of a stream as one: where it was cut depends on the clock."""
    for name, group in groupby(outputs, lambda output: output.name if isinstance(output, Stream) else None):
        if name is None:
            yield from group
        else:
            yield Stream(name, "".join(output.text for output in group if isinstance(output, Stream)))


def _to_json(run: CellRun) -> dict[str, Any]:
    outputs = [
        {"stream": o.name, "text": o.text} if isinstance(o, Stream) else {"mime": o.mime, "data": o.data}
        for o in run.outputs
    ]
    return {"cell": run.cell, "outputs": outputs}


def _from_json(run: dict[str, Any]) -> CellRun:
    outputs = (
        Stream(o["stream"], o["text"]) if "stream" in o else Display(o["mime"], o["data"])
        for o in run["outputs"]
    )
    return CellRun(run["cell"], tuple(outputs))


def _modules(script: Path) -> list[Path]:
    """A JavaScript module and all that it imports by a relative path, each once."""
    found: dict[Path, None] = {}
    waiting = [script]
    while waiting:
        module = waiting.pop()
        if module not in found:
            found[module] = None
            names = re.findall(r"""\bfrom\s+["'](\./[^"']+)["']""", module.read_text(encoding="utf-8"))
            waiting += [module.parent / name for name in names]
    return list(found)
