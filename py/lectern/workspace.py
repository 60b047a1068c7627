"""The variables that cells share, and what belongs to them: their module, their context, the last value."""

from __future__ import annotations

import builtins
from contextvars import copy_context
from copy import copy
from types import ModuleType
from typing import Any

from lectern.display import set_number_format, show_attention, show_chart


class Workspace:
    """Where code runs as in an interpreter of its own: one for a lesson, and a new one for each check."""

    def __init__(self) -> None:
        self.main = ModuleType("__main__")
        self.namespace: dict[str, Any] = vars(self.main)
        shown = {"show_attention": show_attention, "show_chart": show_chart}
        self.namespace.update({"__builtins__": builtins, **shown})
        # NumPy's print options and error state are context variables: they shall last from cell to cell.
        self.context = copy_context()
        self.context.run(set_number_format)
        self._shown: object = None

    def keep(self, value: object) -> None:
        """Let `_` be the last value, unless the student uses that name otherwise."""
        if value is not None and self.namespace.get("_", self._shown) is self._shown:
            self.namespace["_"] = self._shown = value

    def branch(self) -> Workspace:
        """The same, except that what is bound there stays there."""
        other = copy(self)
        other.namespace = dict(self.namespace)
        return other
