"""The only module that knows the browser: JSON strings in and out, and packages by micropip.

No JavaScript object outlives a call: requests and messages are strings, and `emit` is dropped after its run.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import re
import sys
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from lectern.archives import find_in_archives
from lectern.fetched import read_with
from lectern.runner import Runner
from lectern.streams import READ_REFUSED

_INDEX = Path("/lib/lectern/archives.json")
"""Which module waits in which archive; the pack has it."""

PATIENCE = 60.0
"""Seconds that a package may take to arrive; micropip is a hundredth of what Python itself takes."""


async def run(
    request: str, emit: Callable[..., None], ask: Callable[[str], Awaitable[str]] | None = None
) -> None:
    """Run the cell of a `Run` request and send its messages, each as JSON, ending with exactly one `done`.

    The arrays of a display go beside its JSON. `ask` gives a promise of the reader's answer to a prompt;
    input() waits for it. Requests that come while a cell runs wait for it. Never raises.
    """
    run_id: Any = 0

    def send(message: dict[str, Any]) -> None:
        buffers = message.pop("buffers", None)
        # ASCII only, so a lone surrogate that a student prints is an escape and not a failed conversion.
        text = json.dumps(message, ensure_ascii=True, allow_nan=False)
        if buffers:
            emit(text, _as_bytes(buffers))
        else:
            emit(text)

    try:
        wanted = json.loads(request)
        run_id = wanted.get("id", 0)
        cell, source = wanted["cell"], wanted["source"]
        exercise = {key: wanted[key] for key in ("check", "before", "starter") if key in wanted}
        async with _turn:
            answer = partial(_wait, ask) if ask else None
            await _runner.run(cell, source, emit=send, id=run_id, ask=answer, **exercise)
    except BaseException as error:
        _report(run_id, f"{type(error).__name__}: {error}", send)


def outline(request: str) -> str:
    """Take the cells of an `Outline` request; return its reply's `cells`. Runs nothing of the student's."""
    told = json.loads(request)
    return json.dumps(_runner.outline.tell(told["cells"], told.get("wanted")), ensure_ascii=True)


def revive() -> None:
    """Make a Python that came from a snapshot fit for use: look whether it works, and renew chance.

    The seed of hashes stays that of the snapshot, which each browser makes itself. Raises if it is broken.
    """
    import random

    import numpy as np

    if float((np.eye(3) @ np.arange(3.0)).sum()) != 3.0 or eval("[x for x in {1: 2}]") != [1]:
        raise RuntimeError("Python does not calculate as it should")
    random.seed()
    if generator := sys.modules.get("numpy.random"):
        generator.seed()


def reset() -> None:
    """Forget all variables of the student."""
    _runner.reset()


def _as_bytes(arrays: Sequence[Any]) -> Any:
    """JavaScript's own copies of NumPy arrays: a view would die when Python's memory grows."""
    from pyodide.ffi import to_js

    return to_js([to_js(memoryview(array.reshape(-1))) for array in arrays])


def _wait(ask: Callable[[str], Awaitable[str]], prompt: str) -> str:
    """Suspend Python until the reader has answered, where the browser has JavaScript Promise Integration."""
    from pyodide.ffi import can_run_sync, run_sync

    if not can_run_sync():
        raise EOFError(READ_REFUSED)
    return str(run_sync(ask(prompt)))


def _report(run_id: Any, what: str, send: Callable[[dict[str, Any]], None]) -> None:
    """Send the one `done` of a run that our own code broke off."""
    error = {"kind": "WorkerError", "message": what, "line": None, "traceback": "", "hint": None}
    try:
        send({"type": "done", "id": run_id, "ok": False, "error": error, "ms": 0})
    except BaseException:  # nobody is listening any more
        return


async def _load(modules: frozenset[str]) -> None:
    """Fetch micropip from the site's own folder when a cell imports it."""
    if "micropip" in modules:
        await _micropip()


async def _micropip() -> Any:
    try:
        return importlib.import_module("micropip")
    except ModuleNotFoundError:
        import pyodide_js
        from pyodide.ffi import create_proxy

        silence = create_proxy(lambda _message: None)
        try:
            loading = pyodide_js.loadPackage("micropip", messageCallback=silence, errorCallback=silence)
            await arrived(loading, "micropip")
            importlib.invalidate_caches()
            return importlib.import_module("micropip")
        except ModuleNotFoundError:  # Pyodide tells of some failures only by not having it
            raise ConnectionError(_missing("micropip")) from None
        finally:
            silence.destroy()


async def arrived(loading: Awaitable[Any], package: str, patience: float = PATIENCE) -> None:
    """Wait until a package has come from the site. Raises ConnectionError, with a sentence, if not."""
    try:
        await asyncio.wait_for(loading, patience)
    except Exception as error:
        raise ConnectionError(_missing(package)) from error


def _missing(package: str) -> str:
    return (
        f"{_file_of(package)} did not arrive, so nothing can be installed. Check the connection and run the "
        "cell again; if it still fails, the file is missing on this site."
    )


def _file_of(package: str) -> str:
    """The name of a package's file in the site's folder of the runtime; without a page, the package's own."""
    try:
        import pyodide_js

        return str(getattr(pyodide_js.lockfile.packages, package).file_name)
    except (ImportError, AttributeError):
        return f"The package {package}"


async def _install(requirements: Sequence[str]) -> None:
    """Install packages and say which versions came."""
    # Not at the top: each start would wait for it.
    from importlib.metadata import PackageNotFoundError, version

    await (await _micropip()).install(list(requirements))
    importlib.invalidate_caches()
    for requirement in requirements:
        name = re.split(r"[\s\[<>=!~;@]", requirement, maxsplit=1)[0]
        try:
            print(f"Installed {name} {version(name)}")
        except PackageNotFoundError:  # given by URL
            print(f"Installed {requirement}")


def _fetch(archive: str) -> None:
    """Get an archive from the site while the import that needs it waits."""
    from hashlib import sha256

    import js

    # The worker's own functions (static/js/start.js), looked up anew each time.
    site = js.lectern
    try:
        packed = site.read(archive)
    except Exception as error:
        reason = f"{archive} could not be fetched ({error})"
        raise ImportError(f"{reason}. Check the connection, then run again.") from None
    expected = site.sha256(archive)
    if expected and sha256(packed.to_bytes()).hexdigest() != expected:
        raise ImportError(
            f"{archive} arrived damaged. Reload the page: the site may have been published anew."
        )
    site.mount(packed)


def _read(path: str) -> bytes:
    """A file of the site, while the program waits for it."""
    import js

    return bytes(js.lectern.read(path).to_bytes())


# Recursion through C (a __repr__ that calls itself) takes more of the browser's stack than Python's own. At
# the usual 1,000 it overflows, which ends Pyodide for good; measured with 314.0.3, at 800 it does not.
if sys.platform == "emscripten":
    sys.setrecursionlimit(700)
    find_in_archives(json.loads(_INDEX.read_bytes()), _fetch)
    read_with(_read)

_runner = Runner(install=_install, load=_load)
_turn = asyncio.Lock()
