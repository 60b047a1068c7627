"""What a cell takes from other cells and leaves for them, read from its syntax tree without running it. Pure.

Names are those of the module level, which all cells of a page share. Where only running could tell, the
answer errs towards needing more: a function needs whatever it might use once it is called, and a branch binds
only what every branch binds. Loops are taken to run at least once, since nearly all do.

Not seen: star imports, `exec`, `globals()[…]`, `%pip install`; a change through another name
(`W = params["W_Q"]`, then `W[0] = 1`), by a function that is called, or by a method that is not in MUTATORS.
A `global` of a function counts for the cell that defines the function, not for the one that calls it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

_OF_LISTS = {"append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"}
_OF_DICTS_AND_SETS = {"add", "discard", "popitem", "setdefault", "update"}
_OF_ARRAYS = {"fill", "itemset", "resize"}
MUTATORS = _OF_LISTS | _OF_DICTS_AND_SETS | _OF_ARRAYS
"""Methods that change what they are called on."""

_LAST_VALUE = "_"  # what the latest cell showed, whichever that was: nobody's name

Function = ast.FunctionDef | ast.AsyncFunctionDef
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


class CellNames(NamedTuple):
    """What one cell has to do with the names that all cells share."""

    needs: frozenset[str]  # used, and not bound by the cell itself before; built-in names among them
    binds: frozenset[str]  # defined for certain once the cell has run
    touches: frozenset[str]  # perhaps defined, changed in place, or deleted


def read_names(tree: ast.Module) -> CellNames:
    """The names of a cell. Raises RecursionError for a tree that is nested too deeply."""
    cell = _Cell()
    cell.run(tree.body)
    needs = cell.needs | (cell.later - cell.bound)
    return CellNames(
        frozenset(needs - {_LAST_VALUE}),
        frozenset(cell.bound - {_LAST_VALUE}),
        frozenset((cell.defined | cell.changed) - cell.bound - {_LAST_VALUE}),
    )


class _Scope(ast.NodeVisitor):
    """The names of one scope. Inner scopes are read into scopes of their own, and hand on what they lack."""

    def __init__(self) -> None:
        self.used: set[str] = set()
        self.own: set[str] = set()
        self.later: set[str] = set()  # what functions in here lack: needed when they are called
        self.elsewhere: set[str] = set()  # declared `global` or `nonlocal`
        self.globals: set[str] = set()  # declared `global` here or in a function in here

    def use(self, name: str) -> None:
        self.used.add(name)

    def bind(self, name: str) -> None:
        self.own.add(name)

    def run(self, nodes: Iterable[ast.AST | None]) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node)

    # what binds

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Store):
            self.use(node.id)
        if not isinstance(node.ctx, ast.Load):
            self.bind(node.id)

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self.bind(alias.asname or alias.name.partition(".")[0])

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.name != "*":
                self.bind(alias.asname or alias.name)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self.bind(node.name)
        self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs | ast.MatchStar) -> None:
        self.generic_visit(node)
        if node.name:
            self.bind(node.name)

    visit_MatchStar = visit_MatchAs

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        self.generic_visit(node)
        if node.rest:
            self.bind(node.rest)

    def visit_Global(self, node: ast.Global) -> None:
        self.elsewhere.update(node.names)
        self.globals.update(node.names)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self.elsewhere.update(node.names)

    # in the order in which Python evaluates, which is not the order of the fields

    def visit_Assign(self, node: ast.Assign) -> None:
        self.run([node.value, *node.targets])

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self.use(node.target.id)
        self.run([node.value, node.target])

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.later |= _loaded(node.annotation)
        self.run([node.value, node.target])

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.run([node.value, node.target])

    def visit_For(self, node: ast.For | ast.AsyncFor) -> None:
        self.run([node.iter, node.target, *node.body, *node.orelse])

    visit_AsyncFor = visit_For

    # inner scopes

    def visit_FunctionDef(self, node: Function) -> None:
        self.run(node.decorator_list)
        self._function(node, node.body)
        self.bind(node.name)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._function(node, [node.body])

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.run([*node.decorator_list, *node.bases, *node.keywords])
        inner = _Scope()
        inner.run(node.body)
        inner.own.update(_type_parameters(node))
        self._take(inner, now=inner.used - (inner.own - inner.elsewhere), later=inner.later)
        self.bind(node.name)

    def visit_ListComp(self, node: Comprehension) -> None:
        first, *others = node.generators
        self.visit(first.iter)
        inner = _Scope()
        inner.run([first.target, *first.ifs])
        for each in others:
            inner.run([each.iter, each.target, *each.ifs])
        inner.run([node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt])
        # `:=` binds around the comprehension; the compiler forbids it for the comprehension's own variables.
        walrus = {each.target.id for each in _walruses(node)}
        own = inner.own - walrus
        self._take(inner, now=inner.used - inner.own, later=inner.later - own)
        for name in sorted(walrus):
            self.bind(name)

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp

    def _function(self, node: Function | ast.Lambda, body: Sequence[ast.AST]) -> None:
        parameters = node.args
        self.run([*parameters.defaults, *parameters.kw_defaults])
        every = [*parameters.posonlyargs, *parameters.args, *parameters.kwonlyargs]
        every += [one for one in (parameters.vararg, parameters.kwarg) if one]
        inner = _Scope()
        inner.own.update(one.arg for one in every)
        inner.own.update(_type_parameters(node))
        for annotation in [*(one.annotation for one in every), getattr(node, "returns", None)]:
            inner.later |= _loaded(annotation)
        inner.run(body)
        own = inner.own - inner.elsewhere
        self._take(inner, now=set(), later=(inner.used | inner.later) - own)

    def _take(self, inner: _Scope, *, now: set[str], later: set[str]) -> None:
        for name in sorted(now):
            self.use(name)
        self.later |= later
        self.globals |= inner.globals


class _Cell(_Scope):
    """The module level of a cell, followed in the order in which it runs."""

    def __init__(self) -> None:
        super().__init__()
        self.needs: set[str] = set()
        self.bound: set[str] = set()  # for certain, at the point that the reading has reached
        self.defined: set[str] = set()  # anywhere in the cell
        self.changed: set[str] = set()

    def use(self, name: str) -> None:
        if name not in self.bound:
            self.needs.add(name)

    def bind(self, name: str) -> None:
        self.bound.add(name)
        self.defined.add(name)

    def visit_Name(self, node: ast.Name) -> None:
        super().visit_Name(node)
        if isinstance(node.ctx, ast.Del):
            self.bound.discard(node.id)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value or not isinstance(node.target, ast.Name):
            super().visit_AnnAssign(node)
        else:  # `x: int` promises a type and binds nothing
            self.later |= _loaded(node.annotation)

    def _take(self, inner: _Scope, *, now: set[str], later: set[str]) -> None:
        super()._take(inner, now=now, later=later)
        self.defined |= inner.globals

    # changes in place

    def visit_Subscript(self, node: ast.Subscript | ast.Attribute) -> None:
        if not isinstance(node.ctx, ast.Load):
            self._change(node)
        self.generic_visit(node)

    visit_Attribute = visit_Subscript

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Attribute) and node.func.attr in MUTATORS:
            self._change(node.func)
        self.generic_visit(node)

    def _change(self, node: ast.expr) -> None:
        while isinstance(node, ast.Subscript | ast.Attribute):
            node = node.value
        if isinstance(node, ast.Name) and node.id not in self.bound:
            self.changed.add(node.id)

    # branches

    def visit_If(self, node: ast.If) -> None:
        self.visit(node.test)
        self._join([self._branch(node.body), self._branch(node.orelse)])

    def visit_Try(self, node: ast.Try | ast.TryStar) -> None:
        handlers = [self._branch([handler], handler.body) for handler in node.handlers]
        self._join([self._branch([*node.body, *node.orelse]), *handlers])
        self.run(node.finalbody)

    visit_TryStar = visit_Try

    def visit_Match(self, node: ast.Match) -> None:
        self.visit(node.subject)
        ways = [self._branch([case.pattern, case.guard, *case.body], case.body) for case in node.cases]
        last = node.cases[-1]
        if last.guard or not (isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None):
            ways.append(self.bound)
        self._join(ways)

    def _branch(
        self, nodes: Sequence[ast.AST | None], body: Sequence[ast.AST] | None = None
    ) -> set[str] | None:
        """What is bound at the end of this way through the cell; None if it ends in a `raise`."""
        before, self.bound = self.bound, set(self.bound)
        self.run(nodes)
        after, self.bound = self.bound, before
        steps = nodes if body is None else body
        return None if steps and isinstance(steps[-1], ast.Raise) else after

    def _join(self, ways: Sequence[set[str] | None]) -> None:
        if known := [way for way in ways if way is not None]:
            self.bound = set.intersection(*known)


def _loaded(node: ast.AST | None) -> set[str]:
    """The names in an annotation, which Python evaluates late or never, and a dataclass at once."""
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} if node else set()


def _type_parameters(node: ast.AST) -> Iterator[str]:
    for parameter in getattr(node, "type_params", ()):  # def f[T](x: T): from Python 3.12
        yield parameter.name


def _walruses(node: ast.AST) -> Iterator[ast.NamedExpr]:
    """The `:=` of a comprehension, without those of functions in it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.NamedExpr):
            yield child
        if not isinstance(child, ast.Lambda):
            yield from _walruses(child)
