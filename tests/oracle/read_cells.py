"""What the `read` cells of a lesson print when really run, after the cells above and with PyTorch at hand."""

from __future__ import annotations

import asyncio
import hashlib
import importlib.metadata
import os
import sys
from pathlib import Path
from typing import Any

from lectern.runner import Runner
from sitebuilder.model import Cell
from sitebuilder.parse import parse_lesson

TOOLS = ("torch",)


def recording(folder: Path, shown: Path) -> dict[str, Any] | None:
    """The content of `recorded.json` for the lesson in `folder`; None if it has no `read` cells.

    Raises SystemExit, with a sentence, if a cell fails. `shown` is the path of the lesson in that sentence.
    """
    lesson = parse_lesson((folder / "lesson.md").read_text(encoding="utf-8"), shown)
    cells = lesson.cells("read")
    if not cells:
        return None
    before, kept_path = Path.cwd(), [*sys.path]
    os.chdir(folder)  # a lesson may open its own data and import its own modules
    sys.path.insert(0, str(folder))
    try:
        runner = Runner()
        last = max(cell.line for cell in cells)
        for cell in lesson.cells("setup", "run"):
            if cell.role == "setup" or cell.line < last:  # what stands below may train, or fetch a model
                _outputs(runner, cell, shown)
        return {
            "tools": {tool: importlib.metadata.version(tool).partition("+")[0] for tool in TOOLS},
            "cells": {
                cell.name: {
                    "sha256": hashlib.sha256(cell.source.encode()).hexdigest(),
                    "outputs": _outputs(runner, cell, shown),
                }
                for cell in cells
            },
        }
    finally:
        os.chdir(before)
        sys.path[:] = kept_path


def _outputs(runner: Runner, cell: Cell, shown: Path) -> list[dict[str, Any]]:
    """The streams and displays of one cell; neighbouring pieces of a stream are joined."""
    messages: list[dict[str, Any]] = []
    asyncio.run(runner.run(cell.name, cell.source, emit=messages.append))
    done = messages.pop()
    if done["error"]:
        line = cell.line + (done["error"]["line"] or 1) - 1
        raise SystemExit(
            f"{shown}:{line}: {done['error']['kind']}: {done['error']['message']}; repair this cell"
        )
    outputs: list[dict[str, Any]] = []
    for message in messages:
        output = {key: value for key, value in message.items() if key != "id"}
        last = outputs[-1] if outputs else {}
        if output["type"] == last.get("type") == "stream" and output["name"] == last["name"]:
            last["text"] += output["text"]
        else:
            outputs.append(output)
    return outputs
