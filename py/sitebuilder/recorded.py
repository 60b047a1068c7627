"""What `read` cells printed when they were really run: lessons/<slug>/recorded.json, from the oracle."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, Literal

import msgspec

from sitebuilder.errors import LessonError, LessonErrors
from sitebuilder.model import CellRun, Display, Lesson, Recording, Stream

FILE_NAME = "recorded.json"
_NAMES = {"torch": "PyTorch", "numpy": "NumPy"}
_RERUN = "run python tests/oracle/record.py"


class _Stream(msgspec.Struct, tag="stream", forbid_unknown_fields=True):
    name: Literal["stdout", "stderr"]
    text: str


class _Display(msgspec.Struct, tag="display", forbid_unknown_fields=True):
    mime: str
    data: Any


class _Cell(msgspec.Struct, forbid_unknown_fields=True):
    sha256: str
    outputs: list[_Stream | _Display]


class _File(msgspec.Struct, forbid_unknown_fields=True):
    tools: dict[str, str]
    cells: dict[str, _Cell]


@dataclass(frozen=True, slots=True)
class Recorded:
    """The runs of a lesson's `read` cells, and the tools that made them ("PyTorch 2.13.0")."""

    runs: Recording
    tools: str


NOTHING = Recorded({}, "")


def read_recorded(lesson: Lesson, folder: Path, shown: PurePath) -> Recorded:
    """The recording in a lesson's folder; `NOTHING` if there is none.

    Raises LessonErrors if the file is no recording (reported under `shown`) or a cell has changed since.
    """
    file = folder / FILE_NAME
    if not file.is_file():
        return NOTHING
    try:
        content = msgspec.json.decode(file.read_bytes(), type=_File)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise LessonErrors([LessonError(shown, 1, f"this is not a recording: {error}", _RERUN)]) from error
    runs: dict[str, CellRun] = {}
    faults = []
    for cell in lesson.cells("read"):
        if not (seen := content.cells.get(cell.name)):
            continue
        if seen.sha256 != hashlib.sha256(cell.source.encode()).hexdigest():
            problem = f"the recorded output of “{cell.name}” is of another version of this cell"
            faults.append(LessonError(lesson.path, cell.line, problem, _RERUN))
        runs[cell.name] = CellRun(cell.name, tuple(map(_output, seen.outputs)))
    if faults:
        raise LessonErrors(faults)
    tools = (f"{_NAMES.get(tool, tool)} {version}" for tool, version in content.tools.items())
    return Recorded(runs, ", ".join(tools))


def _output(seen: _Stream | _Display) -> Stream | Display:
    return Stream(seen.name, seen.text) if isinstance(seen, _Stream) else Display(seen.mime, seen.data)
