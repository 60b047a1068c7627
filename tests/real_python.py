"""The shipped Pyodide under Node for tests that run lessons: packed once, kept in this user's cache."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from sitebuilder.assets import install_packages
from sitebuilder.cache import cache_folder
from sitebuilder.execute import Executor
from sitebuilder.runtime import provide_runtime
from tests.project import ROOT

JS = ROOT / "static/js"


def executor(recordings: Path, *, timeout: float = 60.0) -> Executor:
    """An executor that keeps its recordings in a folder of its own. `timeout` is in seconds per lesson."""
    console = Console(quiet=True)
    npm = install_packages(ROOT / "static", cache=cache_folder(), console=console) / "pyodide"
    runtime = provide_runtime((), npm=npm, lectern=ROOT / "py/lectern", cache=cache_folder(), console=console)
    return Executor(runtime, JS / "start.js", JS / "graph.js", recordings, console, timeout)
