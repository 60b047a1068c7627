"""What earlier runs can have changed outside of their variables, put aside while an answer is checked.

Put back are built-in names; the public names of NumPy and of the standard library's modules for numbers and
data (GUARDED), as they were when this program first saw them loaded; the generators behind `random` and
`np.random`, as unforeseeable as in a fresh interpreter; the filters of `warnings`. Afterwards the student has
their own changes again.

Out of reach: what a cell changes in a guarded module in the very run that first loads it; changes inside an
object (`np.allclose.__defaults__`, a method of a class); other modules; files.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from types import ModuleType
from typing import Any

_FOR_DATA = ("collections", "copy", "functools", "itertools", "operator")
_FOR_NUMBERS = ("cmath", "math", "numpy", "random", "statistics")
GUARDED = frozenset(["builtins", *_FOR_DATA, *_FOR_NUMBERS])
"""Modules and packages, by their first name."""

_GENERATORS = {"random": ("getstate", "setstate"), "numpy.random": ("get_state", "set_state")}
_ABSENT = object()

Change = tuple[dict[str, Any], str, object]
"""A namespace, a name in it, and what the name stood for (_ABSENT: for nothing)."""


class Pristine:
    """The guarded modules as they were; `names` are those of `builtins`, as cells have them."""

    def __init__(self, names: dict[str, Any]) -> None:
        self._seen = 0
        self._true: dict[str, tuple[ModuleType, dict[str, Any]]] = {}
        self._filters = list(warnings.filters)
        self.notice()
        self._true["builtins"] = sys.modules["builtins"], dict(names)

    def notice(self) -> None:
        """Take guarded modules that are new as they are now; to be called between runs."""
        if len(sys.modules) == self._seen:
            return
        self._seen = len(sys.modules)
        for name, module in list(sys.modules.items()):
            if (
                name.partition(".")[0] in GUARDED
                and name not in self._true
                and isinstance(module, ModuleType)
            ):
                self._true[name] = module, dict(vars(module))

    @contextmanager
    def borrowed(self) -> Iterator[Callable[[], object]]:
        """While this lasts, all is as in a fresh interpreter. The given function makes it so again."""
        with ExitStack() as after:
            for change in self._put_back():
                after.callback(_set, *change)
            after.callback(self._put_back)  # of what the check's own run has changed, before the rest
            with suppress(Exception):  # the student may have made them anything
                after.callback(_fill, warnings.filters, list(warnings.filters))
                _fill(warnings.filters, self._filters)
            for name, (get, put) in _GENERATORS.items():
                if module := sys.modules.get(name):
                    with suppress(Exception):
                        after.callback(getattr(module, put), getattr(module, get)())
                        module.seed()
            yield self._put_back

    def _put_back(self) -> list[Change]:
        """Give every guarded name its true meaning; return what the changed ones meant, the latest first."""
        changed: list[Change] = []
        for name, (module, true) in self._true.items():
            now = vars(module)
            if len(now) == len(true) and all(now.get(key, _ABSENT) is value for key, value in true.items()):
                continue  # nearly always; thousands of names wait
            for key in now.keys() | true.keys():
                value = now.get(key, _ABSENT)
                if value is not true.get(key, _ABSENT) and _counts(name, key, value):
                    changed.append((now, key, value))
                    _set(now, key, true.get(key, _ABSENT))
        return changed


def _counts(module: str, key: str, value: object) -> bool:
    """Whether students and checks use a name, and not only the module itself, for what it keeps or loads."""
    if module == "builtins":
        return True
    return not key.startswith("_") and getattr(value, "__name__", None) != f"{module}.{key}"


def _set(namespace: dict[str, Any], key: str, value: object) -> None:
    if value is _ABSENT:
        namespace.pop(key, None)
    else:
        namespace[key] = value


def _fill(items: Any, wanted: list[Any]) -> None:
    items[:] = wanted
