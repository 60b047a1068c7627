"""The operands of the expression that failed: their source text and shapes, read without running anything."""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Callable, Mapping
from itertools import islice
from types import FrameType
from typing import Any, NamedTuple

import numpy as np

Shape = tuple[int, ...]

# Array methods that only make a view: evaluating them again has no effect.
_VIEWS = {"transpose", "swapaxes", "reshape"}


class Place(NamedTuple):
    """Where an exception passed through the student's code: a frame and the instruction it had reached."""

    frame: FrameType
    instruction: int

    def name(self, name: str) -> Any:
        """What `name` stands for here. Raises LookupError if nothing does."""
        for scope in (self.frame.f_locals, self.frame.f_globals):
            if name in scope:
                return scope[name]
        raise LookupError(name)


class Operand(NamedTuple):
    text: str
    shape: Shape


def operands(place: Place) -> tuple[Operand, Operand] | None:
    """Left and right of the operation, or the first two arguments of the call, that `place` had reached.

    None if either cannot be known without running student code.
    """
    node = _failing_node(place)
    match node:
        case ast.BinOp(left=left, right=right):
            pair = [left, right]
        case ast.AugAssign(target=left, value=right):
            pair = [left, right]
        case ast.Call(args=[left, right, *_]) if not isinstance(left, ast.Starred):
            pair = [left, right]
        case _:
            return None
    try:
        first, second = (Operand(ast.unparse(side), np.shape(_array(side, place))) for side in pair)
    except (LookupError, TypeError, ValueError):
        return None
    return first, second


def _failing_node(place: Place) -> ast.AST | None:
    """The syntax tree of exactly the source range that the interpreter was executing."""
    positions = place.frame.f_code.co_positions()
    line, end_line, start, end = next(islice(positions, place.instruction // 2, None), (None,) * 4)
    if line is None or end_line is None or start is None or end is None:
        return None
    filename = place.frame.f_code.co_filename
    lines = [linecache.getline(filename, number).encode() for number in range(line, end_line + 1)]
    lines[-1] = lines[-1][:end]  # first the end: the range may lie within one line
    lines[0] = lines[0][start:]
    text = b"".join(lines).decode(errors="replace")
    try:
        statement = ast.parse(f"({text})").body[0]
    except SyntaxError:
        try:
            statement = ast.parse(text).body[0]
        except (SyntaxError, IndexError):
            return None
    return statement.value if isinstance(statement, ast.Expr) else statement


def _array(node: ast.expr, place: Place) -> Any:
    """The number or array that an expression of names, attributes, views and constant indices stands for."""
    value = _value(node, place)
    if not isinstance(value, np.ndarray | np.generic | int | float | list):
        raise TypeError
    return value


def _value(node: ast.expr, place: Place) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return place.name(name)
        case ast.Attribute(value=owner, attr=("T" | "mT") as attribute):
            return getattr(_exact(np.ndarray, owner, place), attribute)
        case ast.Attribute(value=owner, attr=attribute):
            return inspect.getattr_static(_value(owner, place), attribute, None)  # runs no property
        case ast.Subscript(value=owner, slice=ast.Constant(value=str() as key)):
            return _exact(dict, owner, place)[key]
        case ast.Subscript(value=owner, slice=index):
            return _exact(np.ndarray, owner, place)[_index(index)]
        case ast.Call(func=ast.Attribute(value=owner, attr=method), args=arguments) if method in _VIEWS:
            array = _exact(np.ndarray, owner, place)
            view: Callable[..., Any] = getattr(array, method)
            return view(*map(ast.literal_eval, arguments))
    raise LookupError


def _exact(kind: type, node: ast.expr, place: Place) -> Any:
    """The value of `node`, which must be a `kind` and no subclass with ideas of its own."""
    value = _value(node, place)
    if type(value) is not kind:
        raise TypeError
    return value


def _index(node: ast.expr) -> Any:
    match node:
        case ast.Tuple(elts=elements):
            return tuple(map(_index, elements))
        case ast.Slice(lower=lower, upper=upper, step=step):
            return slice(*(part and ast.literal_eval(part) for part in (lower, upper, step)))
        case _:
            return ast.literal_eval(node)


def names_in_reach(place: Place | None, namespace: Mapping[str, object]) -> list[str]:
    """The names a student could have meant: local ones first, then those of all cells."""
    local = [] if place is None else [*place.frame.f_locals]
    return [name for name in dict.fromkeys([*local, *namespace]) if not name.startswith("_")]
