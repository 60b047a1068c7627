"""Run cells in one shared namespace and report what they say, show and fail at. Knows no browser.

Whatever a student does to the interpreter itself (stdout, builtins, `__main__`, the recursion limit) is put
back after every run, so that the next one starts whole. What they do to their own variables stays.
"""

from __future__ import annotations

import builtins
import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from types import CodeType, ModuleType
from typing import Any

from lectern.display import set_number_format, show_attention, show_value
from lectern.explain import CellError, explain
from lectern.packages import INSTALL, Installer, Loader
from lectern.source import Program, Versions, compile_cell, normalise, remember_lines
from lectern.streams import READ_REFUSED, CellStream, Emit, NoInput, Outbox, delivering_to


class Runner:
    """One interpreter as a lesson's page sees it: cells run one after another and share their variables.

    `install` serves `%pip install`; `load` is awaited before a cell with the modules it imports.
    """

    def __init__(self, *, install: Installer | None = None, load: Loader | None = None) -> None:
        self._install, self._load = install or _no_installer, load
        self._out, self._err, self._in = CellStream("stdout"), CellStream("stderr"), NoInput()
        self._true_builtins = dict(vars(builtins))
        own = {"input": _input, "breakpoint": _breakpoint, "exit": _exit, "quit": _exit}
        self._cell_builtins = self._true_builtins | own
        self.reset()

    def reset(self) -> None:
        """Forget all variables, as a fresh interpreter would."""
        self._main = ModuleType("__main__")
        self._versions = Versions()
        self._shown: object = None
        self.namespace: dict[str, Any] = vars(self._main)
        self.namespace.update({"__builtins__": builtins, "show_attention": show_attention})
        set_number_format()

    async def run(self, cell: str, source: str, *, emit: Emit, id: int = 0, check: str | None = None) -> None:
        """Run one cell. `emit` gets its streams and displays, in order, and then exactly one `done`.

        A `check` runs after a cell that did not fail, in a copy of the namespace; the message of a failing
        assertion becomes an error of kind "check". Never raises: a failed cell is an answer.
        """
        started = perf_counter()
        source = normalise(source)
        filename = self._versions.name(cell, source)
        error: CellError | None = None
        with self._stage(), delivering_to(Outbox(emit, id)):
            try:
                await self._run_cell(source, filename)
                if check is not None:
                    error = await self._run_check(normalise(check), f"<check {cell}>")
            except BaseException as failure:  # SystemExit and KeyboardInterrupt end the cell, not the worker
                error = explain(failure, filename, self._versions.shown, self.namespace)
        ms = round((perf_counter() - started) * 1000, 1)
        emit({"type": "done", "id": id, "ok": error is None, "error": error, "ms": ms})

    async def _run_cell(self, source: str, filename: str) -> None:
        remember_lines(source, filename)
        program = compile_cell(source, filename)
        if self._load and program.imports:
            await self._load(program.imports)
        self.namespace.pop("__warningregistry__", None)  # a second run shall warn like the first
        if program.installs:
            self.namespace[INSTALL] = self._install
        try:
            value = await self._evaluate(program, self.namespace)
        finally:
            self.namespace.pop(INSTALL, None)
        if program.last:
            self._keep(value)
            if program.shown:
                show_value(value)

    def _keep(self, value: object) -> None:
        """Let `_` be the last value, unless the student uses that name otherwise."""
        if value is not None and self.namespace.get("_", self._shown) is self._shown:
            self.namespace["_"] = self._shown = value

    async def _run_check(self, source: str, filename: str) -> CellError | None:
        remember_lines(source, filename)
        try:
            await self._evaluate(compile_cell(source, filename), dict(self.namespace))
        except AssertionError as failure:
            return {"kind": "check", "message": str(failure), "line": None, "traceback": "", "hint": None}
        return None

    async def _evaluate(self, program: Program, namespace: dict[str, Any]) -> object:
        """Run the student's code, nothing else. The builtins are put back at once, for what follows."""
        try:
            await _run(program.body, namespace)
            return await _run(program.last, namespace) if program.last else None
        finally:
            self._restore(self._cell_builtins)

    # Looked up when the class is made, so that it works while even `vars` is missing from the builtins.
    _restore = staticmethod(vars(builtins).update)

    @contextmanager
    def _stage(self) -> Iterator[None]:
        """The interpreter as a cell finds it; afterwards everything is as it was before."""
        kept = sys.stdout, sys.stderr, sys.stdin, sys.modules.get("__main__"), sys.getrecursionlimit()
        sys.stdout, sys.stderr, sys.stdin = self._out, self._err, self._in
        sys.modules["__main__"] = self._main  # pickle, dataclasses and inspect look their module up by name
        self._restore(self._cell_builtins)
        try:
            yield
        finally:
            self._restore(self._true_builtins)
            sys.stdout, sys.stderr, sys.stdin, main, limit = kept
            sys.setrecursionlimit(limit)
            if main:
                sys.modules["__main__"] = main


async def _run(code: CodeType, namespace: dict[str, Any]) -> object:
    result = eval(code, namespace)
    return await result if code.co_flags & inspect.CO_COROUTINE else result


def _input(_prompt: object = "", /) -> str:
    raise EOFError(READ_REFUSED)


def _breakpoint(*_arguments: object, **_options: object) -> None:
    raise RuntimeError(
        "breakpoint() is not available: the debugger cannot ask for commands. Print values instead."
    )


def _exit(code: object = None, /) -> None:
    raise SystemExit(code)


async def _no_installer(_requirements: object) -> None:
    raise RuntimeError("Packages can be installed in the lesson's page only.")
