"""Run cells in a namespace they share, and checks in one of their own; report how it went. Knows no browser.

Whatever a student does to the interpreter itself (stdout, builtins, modules, the recursion limit) is put
back after every run, so that the next one starts whole. What they do to their own variables stays.
"""

from __future__ import annotations

import builtins
import inspect
import os
import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import Context
from functools import partial
from time import perf_counter
from types import coroutine
from typing import Any, NoReturn

from lectern.display import show_value
from lectern.explain import CellError, explain
from lectern.outline import Outline
from lectern.packages import INSTALL, Installer, Loader
from lectern.pristine import Pristine
from lectern.source import Versions, compile_cell, normalise, remember_lines
from lectern.streams import Ask, CellInput, CellStream, Emit, Outbox, delivering_to
from lectern.verdict import Answer, judge, names_of
from lectern.workspace import Workspace

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
        self._pristine = Pristine(self._cell_builtins)
        self.outline = Outline()
        self.reset()

    def reset(self) -> None:
        """Forget all variables, as a fresh interpreter would."""
        self._versions = Versions()
        self._shared = Workspace()

    @property
    def namespace(self) -> dict[str, Any]:
        """The variables that cells share."""
        return self._shared.namespace

    async def run(
        self,
        cell: str,
        source: str,
        *,
        emit: Emit,
        id: int = 0,
        check: str | None = None,
        before: Sequence[Mapping[str, str]] = (),
        starter: str = "",
        ask: Ask | None = None,
    ) -> None:
        """Run one cell. `emit` gets its streams and displays, in order, and then exactly one `done`.

        With a `check`, all runs in a namespace of its own, which earlier runs have not touched: the cells
        `before` (`name`, `source`), unseen; then the cell; then the check, whose verdict is the error
        (lectern/verdict.py). `starter` is what the cell was when the student began. `ask` serves input().
        Never raises: a failed cell is an answer.
        """
        started = perf_counter()
        self._in.ask = ask
        outbox = Outbox(emit, id)
        if check is None:
            with self._stage(self._shared), delivering_to(outbox):
                error = await self._show(cell, source, self._shared)
        else:
            fresh = Workspace()
            with self._stage(fresh), self._pristine.borrowed() as as_new:
                with delivering_to(Outbox(_unheard, id)):
                    error = await self._prepare(before, fresh)
                with delivering_to(outbox):
                    error = error or await self._examine(
                        cell, source, check, fresh, names_of(starter), as_new
                    )
        self._pristine.notice()
        self._in.ask = None
        ms = round((perf_counter() - started) * 1000, 1)
        emit({"type": "done", "id": id, "ok": error is None, "error": error, "ms": ms})

    async def _show(self, cell: str, source: str, workspace: Workspace) -> CellError | None:
        """Run a cell and show its value; return how it failed."""
        source = normalise(source)
        filename = self._versions.name(cell, source)
        failure = await self._attempt(source, filename, workspace, show=True)
        return None if failure is None else self._explain(failure, cell, filename, workspace)

    async def _prepare(self, cells: Sequence[Mapping[str, str]], fresh: Workspace) -> CellError | None:
        """Run the cells that an answer builds on; the first failure ends it, and names its cell."""
        for cell in cells:
            name, source = cell["name"], normalise(cell["source"])
            filename = self._versions.name(name, source)
            failure = await self._attempt(source, filename, fresh, show=False)
            if failure is not None:
                return {**self._explain(failure, name, filename, fresh), "cell": name}
        return None

    async def _examine(
        self,
        cell: str,
        source: str,
        check: str,
        fresh: Workspace,
        expected: frozenset[str],
        as_new: Callable[[], object],
    ) -> CellError | None:
        """Run an answer and its check; return what is wrong with one of them."""
        known = dict(fresh.namespace)
        if error := await self._show(cell, source, fresh):
            return error
        as_new()
        bound = {name: value for name, value in fresh.namespace.items() if known.get(name, self) is not value}
        answer = Answer(self._versions.name(cell, normalise(source)), bound, expected)
        if error := answer.lacks(check, source):
            return error
        check, check_file = normalise(check), f"<check of {cell}>"
        failure = await self._attempt(check, check_file, fresh.branch(), show=False)
        if failure is None:
            return None
        return judge(
            failure, check, check_file, answer, partial(self._explain, failure, cell, workspace=fresh)
        )

    def _explain(self, failure: BaseException, cell: str, filename: str, workspace: Workspace) -> CellError:
        files = {filename: filename, **self._versions.shown}  # a check's code is no version of a cell
        return explain(failure, filename, files, workspace.namespace, self.outline.finder(cell))

    async def _attempt(
        self, source: str, filename: str, workspace: Workspace, *, show: bool
    ) -> BaseException | None:
        """Run source text as code named `filename`; show its value if wanted.

        What ends it early is returned, SystemExit and KeyboardInterrupt included: they end a cell and not the
        worker. And a StopIteration that left this coroutine would become another exception.
        """
        namespace = workspace.namespace
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
                    value = workspace.context.run(eval, code, namespace)
                    if code.co_flags & inspect.CO_COROUTINE:
                        value = await _in_context(workspace.context, value)
            finally:  # first of all, for even the next lines need them
                self._restore(self._cell_builtins)
            if program.has_value:
                workspace.keep(value)
                if show and program.shown:
                    workspace.context.run(show_value, value)
        except BaseException as failure:
            return failure
        finally:
            namespace.pop(INSTALL, None)
        return None

    def _input(self, prompt: object = "", /) -> str:
        return self._in.question(str(prompt))

    # Looked up when the class is made, so that it works while even `vars` is missing from the builtins.
    _restore = staticmethod(vars(builtins).update)

    @contextmanager
    def _stage(self, workspace: Workspace) -> Iterator[None]:
        """The interpreter as a cell finds it; afterwards everything is as it was before."""
        kept = sys.stdout, sys.stderr, sys.stdin, sys.modules.get("__main__")
        limit, set_limit, leave, abort = sys.getrecursionlimit(), sys.setrecursionlimit, os._exit, os.abort
        modules = sys.modules
        sys.stdout, sys.stderr, sys.stdin = self._out, self._err, self._in
        sys.setrecursionlimit = partial(_set_recursion_limit, set_limit)
        os._exit = os.abort = _exit  # the true ones would end the worker
        sys.modules["__main__"] = (
            workspace.main
        )  # pickle, dataclasses and inspect look their module up by name
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


def _unheard(_message: object) -> None:
    """Where the output goes that nobody shall see."""


async def _no_installer(_requirements: object) -> None:
    raise RuntimeError("Packages can be installed in the lesson's page only.")
