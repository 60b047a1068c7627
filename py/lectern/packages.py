"""What `%pip install …` asks for, and which modules a cell imports; installing is the bridge's work. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Awaitable, Callable, Sequence

Installer = Callable[[Sequence[str]], Awaitable[None]]
"""Installs these requirements (as pip spells them), or raises with a sentence."""

Loader = Callable[[frozenset[str]], Awaitable[None]]
"""Makes modules importable that a cell imports, where that takes an await; called before the cell runs."""

INSTALL = "__lectern_install__"
"""The name under which a cell finds the installer while it runs."""

_HARMLESS = {"-q", "-qq", "-U", "--quiet", "--upgrade"}  # what notebooks tend to carry along
_COMMAND = re.compile(r"\s*([%!])(.*)")
_PIP = re.compile(r"%pip\s+install\b(.*)")


def is_command(line: str) -> bool:
    """Whether a line that is no Python may be an IPython command (`%…`) or a shell command (`!…`)."""
    return _COMMAND.match(line) is not None


def translate_command(line: str) -> str:
    """`%pip install a b` as a line of Python. Raises ValueError, with a sentence, for every other command."""
    match = _PIP.match(line)
    if not match:
        raise ValueError(_refusal(line))
    import shlex  # seldom needed, and every import delays the first Run

    try:
        words = shlex.split(match[1], comments=True)
    except ValueError as error:
        raise ValueError(f"%pip install: a quotation mark is not closed ({error}).") from error
    names = [word for word in words if word not in _HARMLESS]
    options = [name for name in names if name.startswith("-")]
    if options:
        raise ValueError(f"%pip install takes package names here; the option {options[0]} is not supported.")
    if not names:
        raise ValueError(
            "%pip install needs the name of a package, for example: %pip install snowballstemmer"
        )
    return f"await {INSTALL}({names!r})"


def _refusal(line: str) -> str:
    sign, words = _COMMAND.findall(line)[0]
    name = (words.lstrip("%!").split() or [""])[0]
    if re.match(r"[%!]*\s*pip\b", words) or name == "pip":
        return "In this page packages are installed by a line that starts with: %pip install name"
    if sign == "!":
        return f"!{name} is a command for a shell, and there is no shell in a browser. Use Python for it."
    if name in {"time", "timeit"}:
        return f"%{name} belongs to IPython. To measure here, use time.perf_counter() before and after."
    return f"%{name} belongs to IPython and is not available here. Only %pip install name is."


def imported_modules(tree: ast.AST) -> frozenset[str]:
    """The top-level names of all modules that a program imports, wherever the imports stand."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    return frozenset(names)
