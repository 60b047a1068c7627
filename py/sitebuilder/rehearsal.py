"""One lesson under Node: hear what its cells and exercises do, keep what readers will see, note faults."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from sitebuilder.conversation import Conversation, Ended
from sitebuilder.errors import BuildError, LessonError
from sitebuilder.faults import shorten
from sitebuilder.gate import Answer, answers, broken_promise, misjudged, raised
from sitebuilder.model import (
    CHART_MIME,
    TEXT_MIME,
    Cell,
    CellRun,
    Display,
    Exercise,
    Lesson,
    Recording,
    Stream,
)
from sitebuilder.promises import Slice, slices

_START_SECONDS = 180.0
"""Starting Python takes two seconds, and twenty on a busy machine; this is for one that hangs."""

_MOST_OUTPUT = 8_000_000
"""Bytes of messages from a cell; a page with more is unreadable, and an endless print would fill memory."""


def played(lesson: Lesson) -> tuple[Cell | Exercise, ...]:
    """What is run, in this order: set-up first, wherever it stands, then cells and exercises."""
    exercises = {exercise.starter: exercise for exercise in lesson.exercises()}
    cells = lesson.cells("setup") + lesson.cells("run", "exercise")
    return tuple(exercises.get(cell, cell) for cell in cells)


def script(lesson: Lesson) -> list[dict[str, Any]]:
    """The same as execute.mjs takes it. All that could change what a lesson does is in it."""
    return [
        _scene(item.solution) | {"check": item.check.source, "answers": [a.source for a in answers(item)]}
        if isinstance(item, Exercise)
        else _scene(item) | {"check": "", "answers": []}
        for item in played(lesson)
    ]


def _scene(cell: Cell) -> dict[str, Any]:
    return {
        "name": cell.name,
        "source": cell.source,
        "setup": cell.role == "setup",
        "slices": [piece.source for piece in slices(cell.source)],
    }


@dataclass(frozen=True, slots=True)
class Outcome:
    """What readers will see of each cell, and what is wrong with the lesson."""

    recording: Recording
    faults: tuple[LessonError, ...]


@dataclass(slots=True)
class _Act:
    """What is running: a slice of a cell (of an exercise, of its solution), or an answer to an exercise."""

    item: Cell | Exercise
    doing: Slice | Answer
    last: bool = False
    outputs: list[Stream | Display] = field(default_factory=list)
    size: int = 0

    @property
    def cell(self) -> Cell:
        return self.item.solution if isinstance(self.item, Exercise) else self.item

    @property
    def what(self) -> str:
        if isinstance(self.item, Cell):
            return f'cell "{self.item.name}"'
        answer = self.doing if isinstance(self.doing, Answer) else answers(self.item)[1]
        return answer.of(self.item)

    @property
    def line(self) -> int:
        return self.doing.line if isinstance(self.doing, Answer) else self.cell.line


@dataclass(slots=True)
class Rehearsal:
    """The build's side of the conversation about one lesson. `timeout` is in seconds, for all of its code."""

    lesson: Lesson
    node: Conversation
    timeout: float
    _faults: list[LessonError] = field(default_factory=list)
    _runs: dict[str, list[Stream | Display]] = field(default_factory=dict)
    _doubted: set[str] = field(default_factory=set)
    _unserved: bool = False
    """Whether a cell asked for a model that this build leaves out."""

    def outcome(self) -> Outcome:
        """Listen until the lesson has ended. Raises Ended if Node died before any of its code ran."""
        items = played(self.lesson)
        pieces = [slices((item.solution if isinstance(item, Exercise) else item).source) for item in items]
        deadline = time.monotonic() + _START_SECONDS
        act: _Act | None = None
        while True:
            try:
                line = self.node.hear(deadline - time.monotonic(), doing=f"Running {self.lesson.path}")
            except Ended as ended:
                if act is None:
                    raise
                return self._broke(act, ended.reason)
            if line is None:
                self.node.kill()
                return self._hung(act)
            message = line.message
            match message["type"]:
                case "slice" | "answer" as kind:
                    if act is None:
                        deadline = time.monotonic() + self.timeout
                    item, number = items[message["item"]], message["number"]
                    if kind == "answer" and isinstance(item, Exercise):
                        act = _Act(item, answers(item)[number])
                    else:
                        of_item = pieces[message["item"]]
                        act = _Act(item, of_item[number], last=number + 1 == len(of_item))
                case "stream" if act:
                    act.outputs.append(Stream(message["name"], message["text"]))
                case "display" if act:
                    shown = Display(message["mime"], message["data"], message.get("key", ""))
                    act.outputs = [*(o for o in act.outputs if not _replaces(shown, o)), shown]
                case "done" if act:
                    error = message["error"]
                    if error and error["kind"] == "WorkerError":
                        self.node.kill()
                        return self._broke(act, error["message"])
                    self._ended(act, error)
                case "end":
                    return self._outcome()
            if act:
                act.size += line.size
                if act.size > _MOST_OUTPUT:
                    self.node.kill()
                    problem = f"{act.what} says more than {_MOST_OUTPUT // 1_000_000} MB"
                    return self._outcome(
                        LessonError(self.lesson.path, act.line, problem, "print or show less")
                    )

    def _ended(self, act: _Act, error: dict[str, Any] | None) -> None:
        """Judge what has run, and keep what a reader will see of it."""
        path = self.lesson.path
        fault: LessonError | None = None
        if isinstance(act.doing, Answer):
            assert isinstance(act.item, Exercise)
            fault = misjudged(path, act.item, act.doing, error)
            if error and act.item.name in self._doubted:
                fault = None
            elif fault and (act.doing.role == "solution" or (error and error["kind"] == "BrokenCheck")):
                self._doubted.add(act.item.name)  # what else goes wrong with it follows from this
        elif error and error["kind"] == "NotServed":
            self._unserved = True
            self._runs[act.cell.name] = [Stream("stdout", f"{error['message']}\n")]
        elif error:
            if act.item.name not in self._doubted:
                fault = raised(path, act.what, act.cell.line, error)
        else:
            if act.doing.promise:
                fault = broken_promise(path, act.cell, act.doing.promise, act.outputs)
            if isinstance(act.item, Cell):  # what a solution shows would give it away
                self._runs.setdefault(act.cell.name, []).extend(_seen(act))
        if fault:
            self._faults.append(fault)

    def _outcome(self, last: LessonError | None = None) -> Outcome:
        if self._unserved:  # what needs such a cell did not run, and shows nothing
            self._runs = {
                cell.name: self._runs.get(cell.name, []) for cell in self.lesson.cells("setup", "run")
            }
        runs = {name: CellRun(name, tuple(outputs)) for name, outputs in self._runs.items()}
        return Outcome(runs, (*self._faults, *([last] if last else ())))

    def _broke(self, act: _Act, reason: str) -> Outcome:
        problem = f"{act.what} broke Python ({shorten(reason, 100)})"
        remedy = "take out what ends Python or nests too deeply; it would break in a reader's page too"
        return self._outcome(LessonError(self.lesson.path, act.line, problem, remedy))

    def _hung(self, act: _Act | None) -> Outcome:
        if act is None:
            raise BuildError(
                f"Running {self.lesson.path}: Python was not ready after {_START_SECONDS:.0f} s; "
                "build again when the machine is less busy"
            )
        problem = f"{act.what} was still running when the lesson had taken {self.timeout:.0f} s"
        return self._outcome(
            LessonError(self.lesson.path, act.line, problem, "end its loop, or let it compute less")
        )


def _replaces(new: Display, old: Stream | Display) -> bool:
    """Whether `new` is a later state of the picture `old`; which states there were depends on the clock."""
    return new.mime == CHART_MIME and isinstance(old, Display) and (old.mime, old.key) == (new.mime, new.key)


def _seen(act: _Act) -> list[Stream | Display]:
    """What the whole cell would have shown: only the value of its last expression is shown."""
    last = act.outputs[-1] if act.outputs else None
    if not act.last and isinstance(last, Display) and last.mime == TEXT_MIME:
        return act.outputs[:-1]
    return act.outputs
