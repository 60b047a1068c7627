"""Run cells as the page does, in CPython: one Runner, and what it said as plain lists."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from lectern.packages import Installer, Loader
from lectern.runner import Runner

Message = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """All messages of one run, `done` last."""

    messages: list[Message]

    @property
    def done(self) -> Message:
        return self.messages[-1]

    @property
    def error(self) -> dict[str, Any]:
        """The error of a run that failed."""
        error: dict[str, Any] = self.done["error"]
        assert error, f"the cell did not fail: {self.messages}"
        return error

    @property
    def values(self) -> list[Any]:
        """The data of all displays."""
        return [message["data"] for message in self.messages if message["type"] == "display"]

    def text(self, name: str = "stdout") -> str:
        """Everything that was written to one stream."""
        return "".join(m["text"] for m in self.messages if m["type"] == "stream" and m["name"] == name)


class Page:
    """A lesson's page without the page: cells run one after another and share their variables."""

    def __init__(self, *, install: Installer | None = None, load: Loader | None = None) -> None:
        self.runner = Runner(install=install, load=load)

    def run(self, source: str, cell: str = "cell", **exercise: Any) -> Answer:
        messages: list[Message] = []
        asyncio.run(self.runner.run(cell, source, emit=messages.append, id=7, **exercise))
        return Answer(messages)
