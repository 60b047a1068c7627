"""Run cells in one shared namespace and report what they say, show and fail at. Knows no browser.

Whatever a student does to the interpreter itself (stdout, builtins, modules, the recursion limit) is put
back after every run, so that the next one starts whole. What they do to their own variables stays.
"""

from __future__ import annotations

import builtins
import inspect
import os
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from contextvars import Context, copy_context
from functools import partial
from time import perf_counter
from types import ModuleType, coroutine
from typing import Any, NoReturn

from lectern.display import set_number_format, show_attention, show_value
from lectern.explain import CellError, explain
from lectern.outline import Outline
from lectern.packages import INSTALL, Installer, Loader
from lectern.source import Versions, compile_cell, normalise, remember_lines
from lectern.streams import Ask, CellInput, CellStream, Emit, Outbox, delivering_to

DEEPEST_RECURSION = 3_000
"""Releasing a chain of frames recurses in C; a deep one overflows Pyodide's stack, which ends it for good."""


class Runner:
    """One interpreter as a lesson's page sees it: cells run one after another and share their variables.

    `install` serves `%pip install`; `load` is awaited before a cell with the modules it imports.
    """

    def __init__(self, *, install: Installer | None = None, load: Loader | None = None) -> None:
        self._install, self._load = install or _no_installer, load
        self._out, self._err, self._in = CellStream("stdout"), CellStream("stderr"), CellInput()
        self._modules = dict(sys.modules)
        self._true_builtins = dict(vars(builtins))
        own = {"input": self._input, "breakpoint": _breakpoint, "exit": _exit, "quit": _exit}
        self._cell_builtins = self._true_builtins | own
        self.outline = Outline()
        self.reset()

    def reset(self) -> None:
        """Forget all variables, as a fresh interpreter would."""
        self._main = ModuleType("__main__")
        self._versions = Versions()
        self._shown: object = None
        self.namespace: dict[str, Any] = vars(self._main)
        self.namespace.update({"__builtins__": builtins, "show_attention": show_attention})
        # NumPy's print options and error state are context variables: they shall last from cell to cell.
        self._context = copy_context()
        self._context.run(set_number_format)

    async def run(
        self,
        cell: str,
        source: str,
        *,
        emit: Emit,
        id: int = 0,
        check: str | None = None,
        ask: Ask | None = None,
    ) -> None:
        """Run one cell. `emit` gets its streams and displays, in order, and then exactly one `done`.

        A `check` runs after a cell that did not fail, in a copy of the namespace; the message of a failing
        assertion becomes an error of kind "check". `ask` serves input(). Never raises: a failed cell is an
        answer.
        """
        started = perf_counter()
        source = normalise(source)
        filename = self._versions.name(cell, source)
        error: CellError | None = None
        self._in.ask = ask
        with self._stage(), delivering_to(Outbox(emit, id)):
            failure = await self._attempt(source, filename, self.namespace)
            unmet = None
            if failure is None and check is not None:
                failure = unmet = await self._attempt(
                    normalise(check), f"<check {cell}>", dict(self.namespace)
                )
            if failure is not None:
                where = self.outline.finder(cell)
                error = explain(failure, filename, self._versions.shown, self.namespace, where)
            if error and isinstance(unmet, AssertionError):
                error = {**error, "kind": "check", "line": None, "traceback": "", "hint": None}
        self._in.ask = None
        ms = round((perf_counter() - started) * 1000, 1)
        emit({"type": "done", "id": id, "ok": error is None, "error": error, "ms": ms})

    async def _attempt(self, source: str, filename: str, namespace: dict[str, Any]) -> BaseException | None:
        """Run source text as code named `filename`; show its value if it runs in the students' own namespace.

        What ends it early is returned, SystemExit and KeyboardInterrupt included: they end a cell and not the
        worker. And a StopIteration that left this coroutine would become another exception.
        """
        try:
            remember_lines(source, filename)
            program = compile_cell(source, filename)
            if self._load and program.imports:
                await self._load(program.imports)
            if program.installs:
                namespace[INSTALL] = self._install
            namespace.pop("__warningregistry__", None)  # a second run shall warn like the first
            value = None
            try:
                for code in program.parts:
                    value = self._context.run(eval, code, namespace)
                    if code.co_flags & inspect.CO_COROUTINE:
                        value = await _in_context(self._context, value)
            finally:  # first of all, for even the next lines need them
                self._restore(self._cell_builtins)
            if program.has_value and namespace is self.namespace:
                self._keep(value)
                if program.shown:
                    self._context.run(show_value, value)
        except BaseException as failure:
            return failure
        finally:
            namespace.pop(INSTALL, None)
        return None

    def _input(self, prompt: object = "", /) -> str:
        return self._in.question(str(prompt))

    def _keep(self, value: object) -> None:
        """Let `_` be the last value, unless the student uses that name otherwise."""
        if value is not None and self.namespace.get("_", self._shown) is self._shown:
            self.namespace["_"] = self._shown = value

    # Looked up when the class is made, so that it works while even `vars` is missing from the builtins.
    _restore = staticmethod(vars(builtins).update)

    @contextmanager
    def _stage(self) -> Iterator[None]:
        """The interpreter as a cell finds it; afterwards everything is as it was before."""
        kept = sys.stdout, sys.stderr, sys.stdin, sys.modules.get("__main__")
        limit, set_limit, leave, abort = sys.getrecursionlimit(), sys.setrecursionlimit, os._exit, os.abort
        modules = sys.modules
        sys.stdout, sys.stderr, sys.stdin = self._out, self._err, self._in
        sys.setrecursionlimit = partial(_set_recursion_limit, set_limit)
        os._exit = os.abort = _exit  # the true ones would end the worker
        sys.modules["__main__"] = self._main  # pickle, dataclasses and inspect look their module up by name
        self._restore(self._cell_builtins)
        try:
            yield
        finally:
            self._restore(self._true_builtins)
            sys.modules = modules
            for name in self._modules.keys() - modules.keys():  # without them Pyodide can run nothing more
                modules[name] = self._modules[name]
            sys.stdout, sys.stderr, sys.stdin, main = kept
            sys.setrecursionlimit, os._exit, os.abort = set_limit, leave, abort
            set_limit(limit)
            if main:
                sys.modules["__main__"] = main


@coroutine
def _in_context(context: Context, student: Any) -> Generator[Any, Any, object]:
    """Await a student's coroutine, each of its steps in `context`.

    Not as a task of its own: in a task, SystemExit and KeyboardInterrupt would end the whole event loop.
    """
    step, argument = student.send, None
    while True:
        try:
            waiting = context.run(step, argument)
        except StopIteration as stop:
            return stop.value
        try:
            step, argument = student.send, (yield waiting)
        except BaseException as error:
            step, argument = student.throw, error


def _breakpoint(*_arguments: object, **_options: object) -> None:
    raise RuntimeError(
        "breakpoint() is not available: the debugger cannot ask for commands. Print values instead."
    )


def _exit(status: object = None) -> NoReturn:
    raise SystemExit(status)


def _set_recursion_limit(set_limit: Callable[[int], None], limit: int, /) -> None:
    if limit > DEEPEST_RECURSION:
        raise ValueError(
            f"The recursion limit can be {DEEPEST_RECURSION:,} at most: a browser's stack is small."
        )
    set_limit(limit)


async def _no_installer(_requirements: object) -> None:
    raise RuntimeError("Packages can be installed in the lesson's page only.")
