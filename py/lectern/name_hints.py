"""Hints for names that mean nothing (yet), modules that are not there, and syntax that belongs elsewhere."""

from __future__ import annotations

import builtins
import difflib
import re
import sys

from lectern.hint_rules import Case, Rules
from lectern.operands import names_in_reach
from lectern.whereabouts import Whereabouts

RULES = Rules()

MODULES = (
    "asyncio",
    "collections",
    "functools",
    "itertools",
    "json",
    "math",
    "numpy",
    "random",
    "re",
    "sys",
    "time",
)
USUAL_IMPORTS = {"np": "import numpy as np"} | {name: f"import {name}" for name in MODULES}
PIP_NAMES = {"sklearn": "scikit-learn", "PIL": "pillow", "cv2": "opencv-python", "yaml": "pyyaml"}
TOO_LARGE = {"torch", "tensorflow", "jax", "keras", "transformers", "torchvision", "cupy"}


@RULES.add(UnboundLocalError, r"local variable '(\w+)'")
def _unbound(case: Case) -> str:
    return (
        f"`{case[1]}` is assigned in this function, which makes it local, and it is read before that. "
        "Pass it as an argument or use another name."
    )


@RULES.add(NameError, r"name '(\w+)' is not defined")
def _name(case: Case) -> str:
    name = case[1]
    reach = names_in_reach(case.place, case.namespace)
    alike = [other for other in reach if other.lower() == name.lower()]
    page = case.where(name)
    if name in USUAL_IMPORTS and not alike:
        owner = next(iter((*page.above, *page.below)), None) if page else None
        cell = f"the cell {owner}, which" if owner else "the cell that"
        return f"Add `{USUAL_IMPORTS[name]}`, or run {cell} has it."
    if page and (known := _defined_by(name, page)):
        return known
    if hasattr(builtins, name):  # only `del` misses it; to read a name, Python looks here too
        return f"`{name}` is Python's own: there is no variable of that name to delete."
    if close := alike or difflib.get_close_matches(name, [*reach, *dir(builtins)], n=1, cutoff=0.7):
        return f"Did you mean `{close[0]}`? If not, run the cell that defines `{name}` first."
    if page:
        return f"No cell of this page defines `{name}`. Define it before this line, or check the spelling."
    return f"No cell that has run so far defines `{name}`. Run the cell that does, or check the spelling."


def _defined_by(name: str, page: Whereabouts) -> str | None:
    if page.here:
        return f"This cell defines `{name}` only after this line, or only in some cases."
    if page.above:  # Run has run it: only a branch or a `del` can be the reason
        return f"The cell {page.above[0]} defines `{name}`, but only in some cases, or it deletes it again."
    if page.below:
        cell = page.below[0]
        return (
            f"`{name}` is defined further down, by the cell {cell}. Cells are meant to run from top to "
            f"bottom: define `{name}` here, or run {cell} first."
        )
    return None


@RULES.add(ModuleNotFoundError, r"No module named '([\w.]+)'|^The module '([\w.]+)'")
def _module(case: Case) -> str:
    name = (case[1] or case[2]).partition(".")[0]
    if name.lstrip("_") in sys.stdlib_module_names:
        return f"{name} belongs to Python, but needs what a browser does not have, such as processes."
    if name in TOO_LARGE:
        return f"{name} does not run in a browser. Here are Python, its standard library and NumPy."
    return f"If it is a package, install it on a line before: %pip install {PIP_NAMES.get(name, name)}"


@RULES.add(AttributeError, r"module 'numpy' has no attribute 'softmax'")
def _np_softmax(_: Case) -> str:
    return "NumPy has no softmax of its own; it is np.exp and a division by the sum."


@RULES.add(AttributeError, r"^(?:module '[\w.]+'|'numpy\.ndarray' object) has no attribute")
def _attribute(case: Case) -> str | None:
    error = case.error
    if not isinstance(error, AttributeError) or error.obj is None:
        return None
    close = difflib.get_close_matches(error.name or "", dir(error.obj), n=1, cutoff=0.75)
    return f"Did you mean `.{close[0]}`?" if close else None


@RULES.add(
    AttributeError,
    r"'(list|tuple)' object has no attribute '(shape|T|reshape|transpose|sum|mean|max|ndim|dtype)'",
)
def _not_an_array(case: Case) -> str:
    return f"This is a {case[1]}, and .{case[2]} belongs to arrays: np.array(…) makes one of it."


@RULES.add(TypeError, r"'([\w.]+)' object is not callable")
def _call(case: Case) -> str | None:
    if case[1] == "numpy.ndarray":
        return "Round brackets call a function. An array takes square ones, x[0], and * to multiply."
    if case[1] in ("tuple", "list"):
        return (
            f"A {case[1]} takes square brackets, as in x.shape[0]. Or is a comma missing before this bracket?"
        )
    return f"A variable holds a {case[1]} here. If a function had that name, `del` the variable."


@RULES.add(SyntaxError, r"invalid syntax|Missing parentheses")
def _syntax(case: Case) -> str | None:
    text = (case.error.text or "").strip() if isinstance(case.error, SyntaxError) else ""
    if re.match(r"(?:pip|python -m pip)\d?\s+install\b", text):
        return "To install a package in this page, write: %pip install " + text.split("install", 1)[1].strip()
    if help_for := re.match(r"(?:\?+\s*([\w.]+)|([\w.]+)\?+)$", text):
        return f"To read about it, write: help({help_for[1] or help_for[2]})"
    return None
