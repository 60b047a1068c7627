"""From an exception to what the student reads: type, message, line, their own frames, and a hint."""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterator, Mapping
from itertools import groupby
from types import TracebackType
from typing import Any, NotRequired, TypedDict

from lectern.operands import Place
from lectern.whereabouts import Finder, nowhere

MAX_MESSAGE = 2_000
MAX_TRACEBACK = 20_000
MAX_FRAMES = 20

_HERE = os.path.dirname(__file__)  # noqa: PTH120 - inside a zip archive, where there is no Path to speak of
_MACHINERY = ("importlib", "pyodide", "_pyodide", "runpy", "codeop")
_COLLAPSED = "\0"  # marks a frame that stands for several
_OWN_WORDS = {
    "SystemExit": "exit() ended this cell here. Its variables are still there, and other cells can run.",
    "KeyboardInterrupt": "The cell was interrupted here.",
    "MemoryError": "Python ran out of memory.",
}


class CellError(TypedDict):
    """The same as `CellError` in static/js/protocol.js."""

    kind: str
    message: str
    line: int | None
    traceback: str
    hint: str | None
    cell: NotRequired[str]
    met: NotRequired[list[int]]
    at: NotRequired[int | None]


def explain(
    error: BaseException,
    cell_file: str,
    student_files: Mapping[str, str],
    namespace: Mapping[str, object],
    where: Finder = nowhere,
) -> CellError:
    """What to tell about `error`, which ended the cell whose code is named `cell_file`.

    `student_files` maps the names of all cells' code to what is shown; other frames are dropped or collapsed.
    `where` tells which cells of the page define a name.
    `line` is where *this* cell was, which its editor marks, even if another cell's function raised.
    Never raises, whatever the exception's own methods do.
    """
    places = [(tb, tb.tb_frame.f_code.co_filename) for tb in _entries(error.__traceback__)]
    own = [tb for tb, name in places if name == cell_file]
    students = [tb for tb, name in places if name in student_files]
    place = Place(students[-1].tb_frame, students[-1].tb_lasti) if students else None
    line = own[-1].tb_lineno if own else None
    kind = _kind(type(error))
    message = _message(error)
    if isinstance(error, SyntaxError) and error.filename in student_files and not own:
        line, message = _syntax_line(error), error.msg
    if kind in _OWN_WORDS and (kind != "MemoryError" or not message):
        message = _OWN_WORDS[kind]
    return {
        "kind": kind,
        "message": message if len(message) <= MAX_MESSAGE else message[:MAX_MESSAGE] + " …",
        "line": line,
        "traceback": _student_traceback(error, student_files),
        "hint": _hint(error, message, place, namespace, where),
    }


def _entries(tb: TracebackType | None) -> Iterator[TracebackType]:
    while tb is not None:
        yield tb
        tb = tb.tb_next


def _kind(cls: type[BaseException]) -> str:
    """The name of the exception's type, or of its first public base: _ArrayMemoryError is a MemoryError."""
    return next((base.__name__ for base in cls.__mro__ if not base.__name__.startswith("_")), cls.__name__)


def _message(error: BaseException) -> str:
    try:
        return str(error)
    except BaseException:  # the student's own __str__ may do anything
        return "(this exception's own message could not be shown)"


def _hint(
    error: BaseException, message: str, place: Place | None, namespace: Mapping[str, object], where: Finder
) -> str | None:
    try:  # here and not above: only a cell that fails shall wait for these modules
        from lectern.hints import hint_for
    except Exception:  # the student may have emptied sys.path
        return None
    return hint_for(error, message, place, namespace, where)


def _syntax_line(error: SyntaxError) -> int | None:
    return error.lineno or None


class _StudentStack(traceback.StackSummary):
    """Frames of the student, in which a stretch of a library is one line."""

    def format_frame_summary(self, frame_summary: traceback.FrameSummary, **options: Any) -> str:
        if frame_summary.filename.startswith(_COLLAPSED):
            return f"  … {frame_summary.filename[1:]}\n"
        return super().format_frame_summary(frame_summary, **options)


def _student_traceback(error: BaseException, student_files: Mapping[str, str]) -> str:
    """The traceback as Python prints it, chained exceptions and groups included, without foreign frames."""
    try:
        told = traceback.TracebackException.from_exception(error, compact=True)
        _keep_students_frames(told, student_files, set())
        text = "".join(told.format())
    except BaseException:  # again the student's own __str__, __repr__ or __cause__
        return ""
    if "\n" not in text.strip("\n"):
        return ""  # only "Type: message", which the page shows anyway
    half = MAX_TRACEBACK // 2
    return text if len(text) <= MAX_TRACEBACK else f"{text[:half]}\n  …\n{text[-half:]}"


def _keep_students_frames(
    told: traceback.TracebackException | None, student_files: Mapping[str, str], seen: set[int]
) -> None:
    if told is None or id(told) in seen:
        return
    seen.add(id(told))
    if filename := getattr(told, "filename", None):  # of a SyntaxError
        told.filename = student_files.get(filename, filename)
    if told.stack is not None:
        frames = _shortened(_students(told.stack, student_files))
        # An empty stack would print the heading "Traceback" over nothing; None prints none.
        told.stack = _StudentStack(frames) if frames else None  # type: ignore[assignment]
    if told.__cause__ and not _concerns(told.__cause__, student_files):
        told.__cause__ = None
    if told.__context__ and not _concerns(told.__context__, student_files):
        told.__context__ = None
    for other in (told.__cause__, told.__context__, *(told.exceptions or ())):
        _keep_students_frames(other, student_files, seen)


def _concerns(told: traceback.TracebackException, student_files: Mapping[str, str]) -> bool:
    """Whether an exception passed through student code, or was made by it and never raised."""
    return not told.stack or any(frame.filename in student_files for frame in told.stack)


def _students(
    stack: traceback.StackSummary, student_files: Mapping[str, str]
) -> list[traceback.FrameSummary]:
    kept: list[traceback.FrameSummary] = []
    for frame in stack:
        if shown := student_files.get(frame.filename):
            frame.filename = shown  # its source line is already looked up
            kept.append(frame)
        elif kept and (library := _library(frame.filename)):
            stretch = _placeholder(f"inside {library}")
            if kept[-1].filename != stretch.filename:
                kept.append(stretch)
    return kept


def _shortened(frames: list[traceback.FrameSummary]) -> list[traceback.FrameSummary]:
    """Endless mutual recursion has a thousand frames; both ends tell the story."""
    steps = sum(1 for _ in groupby((frame.filename, frame.lineno) for frame in frames))
    if steps <= MAX_FRAMES:
        return frames  # short, or plain recursion, which Python itself abbreviates
    left_out = len(frames) - MAX_FRAMES
    return [*frames[:8], _placeholder(f"{left_out} more calls"), *frames[8 - MAX_FRAMES :]]


def _placeholder(what: str) -> traceback.FrameSummary:
    return traceback.FrameSummary(f"{_COLLAPSED}{what}", 0, "", lookup_line=False, line="")


def _library(filename: str) -> str | None:
    """The package that a foreign frame belongs to; None if it is machinery that is no news to a student."""
    if filename.startswith((_HERE, "<")):  # generated code and frozen importlib are "<…>"
        return None
    parts = filename.replace("\\", "/").split("/")
    start = next((i + 1 for i, part in enumerate(parts) if part in ("site-packages", "dist-packages")), None)
    if start is None:  # the standard library: lib/python3.14/json/decoder.py, or python314.zip/json/…
        start = next((i + 1 for i, part in enumerate(parts) if part.startswith("python3")), len(parts) - 1)
    name = parts[start].removesuffix(".py")
    return None if name in _MACHINERY else name
