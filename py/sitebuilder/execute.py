"""Run every lesson in the shipped Pyodide under Node, hold it to the gate, and record what it shows."""

from __future__ import annotations

import os
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from rich.console import Console

from sitebuilder.beside import container
from sitebuilder.cache import digest, keep_newest, read_json, sha256_of, write_json
from sitebuilder.conversation import Conversation, Ended
from sitebuilder.errors import BuildError, LessonError, LessonErrors
from sitebuilder.model import Cell, CellRun, Display, Lesson, Recording, Stream
from sitebuilder.progress import say
from sitebuilder.rehearsal import Outcome, Rehearsal, played, script
from sitebuilder.runtime import Runtime

_SCRIPT = Path(__file__).with_name("execute.mjs")
_TIMEOUT = 120.0
"""Seconds for all code of a lesson."""

_KEPT_RECORDINGS = 300
_PROCESSES = min(os.cpu_count() or 1, 4)
"""How many run at a time; each takes a core, and some 300 MB."""


@dataclass(frozen=True, slots=True)
class Executor:
    """Where execution happens: the runtime's folder, and the browser's own `start.js` and `graph.js`."""

    runtime: Runtime
    start: Path
    graph: Path
    cache: Path
    console: Console
    timeout: float = _TIMEOUT
    models: Mapping[str, Path] = field(default_factory=dict)
    """The folders of trained models, by their names in the site."""

    def execute(self, lessons: Sequence[Lesson]) -> dict[str, Recording]:
        """The recordings of all lessons by slug; unchanged lessons come from the cache.

        Raises LessonErrors with all that gate.py refuses in each lesson and with what hangs or breaks Python,
        BuildError if Python does not run and nothing else is wrong.
        """
        scripts = self._scripts()  # read once: a course may have hundreds of lessons
        found = {lesson.slug: self.recorded(lesson, scripts) for lesson in lessons}
        recordings = {slug: recording for slug, recording in found.items() if recording is not None}
        waiting = [lesson for lesson in lessons if lesson.slug not in recordings]
        faults: list[LessonError] = []
        trouble: list[BuildError] = []

        def run(share: Sequence[Lesson]) -> None:
            try:
                for lesson, outcome in self._all_outcomes(share):
                    faults.extend(outcome.faults)
                    if not outcome.faults:
                        recording = _joined(outcome.recording)
                        recordings[lesson.slug] = recording
                        write_json(
                            self._cached(lesson, scripts), [_to_json(run) for run in recording.values()]
                        )
            except BuildError as error:
                trouble.append(error)

        if waiting:
            shares = [waiting[i::_PROCESSES] for i in range(min(_PROCESSES, len(waiting)))]
            with ThreadPoolExecutor(len(shares)) as pool:
                list(pool.map(run, shares))
        if faults:
            raise LessonErrors(faults) from (trouble[0] if trouble else None)
        if trouble:
            raise trouble[0]
        if recordings:
            keep_newest(self.cache / "recordings", _KEPT_RECORDINGS)
        return recordings

    def _all_outcomes(self, lessons: Iterable[Lesson]) -> Iterator[tuple[Lesson, Outcome]]:
        """One process for these lessons, and a new one after each that ended."""
        waiting = list(lessons)
        while waiting:
            for lesson, outcome in self._outcomes(tuple(waiting)):
                waiting.remove(lesson)
                yield lesson, outcome

    def _outcomes(self, lessons: Sequence[Lesson]) -> Iterator[tuple[Lesson, Outcome]]:
        """What becomes of these lessons in one process: at least of the first, of all if it lives on."""
        with Conversation([_SCRIPT], cwd=self.start.parent, request=self._request(lessons)) as node:
            for lesson in lessons:
                say(self.console, f"Running the cells of {lesson.slug}")
                try:
                    outcome = Rehearsal(lesson, node, self.timeout).outcome()
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
            "graph": str(self.graph.resolve()),
            "models": {name: str(folder.resolve()) for name, folder in self.models.items()},
            "lessons": [
                {
                    "packages": self.runtime.packages(lesson.meta.packages),
                    "wheels": self.runtime.wheels(lesson.meta.packages),
                    "own": b64encode(container(lesson.files)).decode() if lesson.files else None,
                    "items": script(lesson),
                }
                for lesson in lessons
            ],
        }

    def _scripts(self) -> list[str]:
        """The digests of what runs lessons, besides the runtime."""
        return [sha256_of(script) for script in (_SCRIPT, *_modules(self.start), self.graph)]

    def _cached(self, lesson: Lesson, scripts: Sequence[str]) -> Path:
        """Where a recording lies, named by all that could change it; `lectern` is in the runtime's digest."""
        key = {
            "request": self._request([lesson])["lessons"],
            "runtime": self.runtime.digest,
            "scripts": scripts,
        }
        return self.cache / "recordings" / f"{digest(key)[:24]}.json"

    def recorded(self, lesson: Lesson, scripts: Sequence[str] = ()) -> Recording | None:
        """The recording in the cache, or None if this lesson must run."""
        if not played(lesson):
            return {}
        file = self._cached(lesson, scripts or self._scripts())
        try:
            runs = [_from_json(run) for run in read_json(file) or ()]
        except (TypeError, KeyError):
            return None
        if [run.cell for run in runs] != _visible(lesson):
            return None
        file.touch()
        return {run.cell: run for run in runs}


def _visible(lesson: Lesson) -> list[str]:
    """Those of the cells that are run, of which there is a recording."""
    return [item.name for item in played(lesson) if isinstance(item, Cell)]


def _joined(recording: Recording) -> Recording:
    """The same with neighbouring pieces of a stream as one: where it was cut depends on the clock."""
    return {name: CellRun(name, tuple(_whole(run.outputs))) for name, run in recording.items()}


def _whole(outputs: Iterable[Stream | Display]) -> Iterator[Stream | Display]:
    for name, group in groupby(outputs, lambda output: output.name if isinstance(output, Stream) else None):
        if name is None:
            yield from group
        else:
            yield Stream(name, "".join(output.text for output in group if isinstance(output, Stream)))


def _to_json(run: CellRun) -> dict[str, Any]:
    outputs = [
        {"stream": o.name, "text": o.text}
        if isinstance(o, Stream)
        else {"mime": o.mime, "data": o.data, "key": o.key}
        for o in run.outputs
    ]
    return {"cell": run.cell, "outputs": outputs}


def _from_json(run: dict[str, Any]) -> CellRun:
    outputs = (
        Stream(o["stream"], o["text"]) if "stream" in o else Display(o["mime"], o["data"], o["key"])
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
