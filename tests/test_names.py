"""What a cell needs from others and leaves for them, and what may differ when it runs again."""

from __future__ import annotations

import ast
import builtins
import inspect
import statistics
import symtable
import tempfile
import textwrap
from pathlib import Path

import pytest

from lectern.chance import chances
from lectern.names import CellNames, read_names

BUILT_IN = set(dir(builtins)) | {"__name__"}


def names(source: str) -> CellNames:
    return read_names(ast.parse(source))


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


CELLS: list[tuple[str, str, str, str]] = [
    # source, needs (without built-in names), binds, touches
    ("", "", "", ""),
    ("x = 1", "", "x", ""),
    ("x = y", "y", "x", ""),
    ("x = x + 1", "x", "x", ""),
    ("x += 1", "x", "x", ""),
    ("x = 1\ny = x", "", "x y", ""),
    ("y = x\nx = 1", "x", "x y", ""),
    ("a, (b, *c) = d", "d", "a b c", ""),
    ("x: int = 5", "", "x", ""),
    ("x: Size", "Size", "", ""),
    ("print(x.shape, end=e)", "x e", "", ""),
    ("_ = 5\n_", "", "", ""),
    # imports
    ("import numpy as np", "", "np", ""),
    ("import os.path", "", "os", ""),
    ("from math import pi, tau as turn", "", "pi turn", ""),
    ("from numpy import *", "", "", ""),
    # functions: what they use is needed once they are called
    ("def f(a, b=c): return a + b + d", "c d", "f", ""),
    ("def f(): return g()\ndef g(): return 1", "", "f g", ""),
    ("def f(x: T) -> U:\n    y = x\n    return y + z", "T U z", "f", ""),
    ("@wrap\ndef f(): pass", "wrap", "f", ""),
    ("def f():\n    global n\n    n = n + 1", "n", "f", "n"),
    ("def f():\n    n = 1\n    def g():\n        nonlocal n\n        n += m\n    return g", "m", "f", ""),
    ("def f():\n    import json\n    return json", "", "f", ""),
    ("async def f():\n    async with a as b:\n        return await b", "a", "f", ""),
    ("x = await f()", "f", "x", ""),
    ("key = lambda t: score[t] + t", "score", "key", ""),
    ("def f(*args, **options): return args, options", "", "f", ""),
    ("def f():\n    return [y for y in z if y > t]", "z t", "f", ""),
    ("def f():\n    for i in range(n): pass\n    return i", "n", "f", ""),
    # classes: their body runs at once, their methods later
    ("class A(B, metaclass=M):\n    x = y\n    def f(self): return x", "B M y x", "A", ""),
    ("class A:\n    n: int = 0\n    m = n", "", "A", ""),
    # comprehensions keep their variables to themselves
    ("[i * k for i in xs]", "k xs", "", ""),
    ("i = [i for i in i]", "i", "i", ""),
    ("{k: v for k, v in d.items() if k in keep}", "d keep", "", ""),
    ("[(last := x) for x in xs]\nlast", "xs", "last", ""),
    ("sum(a * b for a, b in zip(p, q))", "p q", "", ""),
    ("[lambda: i + j for i in range(3)]", "j", "", ""),
    ("[[x for x in row] for row in rows]", "rows", "", ""),
    # what binds for certain, and what perhaps
    ("for i, x in enumerate(xs): y = x", "xs", "i x y", ""),
    ("while n > 0: n -= 1", "n", "n", ""),
    ("with open(p) as f: text = f.read()", "p", "f text", ""),
    ("if ready: x = 1", "ready", "", "x"),
    ("if ready: x = 1\nelse: x = 2\nx", "ready", "x", ""),
    ("if ready: x = 1\nx", "ready x", "", "x"),
    ("if not ready: raise ValueError\nelse: x = 1\nx", "ready", "x", ""),
    ("try:\n    import fast as m\nexcept ImportError:\n    m = None", "", "m", ""),
    ("try:\n    x = f()\nexcept ValueError as e:\n    print(e)\nx", "f x", "", "x e"),
    ("try:\n    x = 1\nfinally:\n    done = True", "", "x done", ""),
    ("if (n := len(a)) > 10: print(n)", "a", "n", ""),
    ("match p:\n    case [x, *rest]: y = x\n    case _: y = 0", "p", "y", "x rest"),
    ("match p:\n    case {'k': v, **others}: pass", "p", "", "v others"),
    ("match p:\n    case (x, y): pass\n    case x: y = 1\nx, y", "p", "x y", ""),
    # deleted, changed in place
    ("del x", "x", "", "x"),
    ("x = 1\ndel x\nx", "x", "", "x"),
    ("params['W_Q'] = W", "params W", "", "params"),
    ("params['W_Q'][0, :] *= 2", "params", "", "params"),
    ("model.layer.bias = 0", "model", "", "model"),
    ("del d['k']", "d", "", "d"),
    ("X = zeros(3)\nX[0] = 1", "zeros", "X", ""),
    ("tokens.append('cat')", "tokens", "", "tokens"),
    ("tokens = []\ntokens.append('cat')", "", "tokens", ""),
    ("x.reshape(3)", "x", "", ""),
    ("for row in X: row[0] = 1", "X", "row", ""),
    ("cfg['a'].update(b=c)", "cfg c", "", "cfg"),
    # not seen, and said so in the module
    ("exec('x = 1')", "", "", ""),
    ("globals()['x'] = 1", "", "", ""),
]


@pytest.mark.parametrize(("source", "needs", "binds", "touches"), CELLS)
def test_a_cell_needs_and_leaves(source: str, needs: str, binds: str, touches: str) -> None:
    found = names(source)
    assert found.needs - BUILT_IN == words(needs)
    assert (found.binds, found.touches) == (words(binds), words(touches))


def test_a_built_in_name_is_a_need_too_since_a_cell_above_may_have_taken_it() -> None:
    assert "sum" in names("sum([1])").needs


def globals_of(table: symtable.SymbolTable) -> set[str]:
    """What the compiler says is looked up among the globals, in all functions below the module level."""
    found = {
        symbol.get_name()
        for child in table.get_children()
        for symbol in child.get_symbols()
        if symbol.is_global() and symbol.is_referenced()
    }
    return found.union(*(globals_of(child) for child in table.get_children()))


def bare(node: ast.FunctionDef) -> ast.Module:
    """The function without what is evaluated around it: decorators, defaults, annotations."""
    node.decorator_list = []
    node.args.defaults = [ast.Constant(None) for _ in node.args.defaults]
    node.args.kw_defaults = [each and ast.Constant(None) for each in node.args.kw_defaults]
    for part in ast.walk(node):
        if isinstance(part, ast.arg):
            part.annotation = None
        elif isinstance(part, ast.FunctionDef):
            part.returns = None
        elif isinstance(part, ast.AnnAssign):
            part.annotation = ast.Constant(None)
    return ast.Module([node], [])


@pytest.mark.parametrize("module", [ast, inspect, statistics, tempfile, textwrap], ids=lambda m: m.__name__)
def test_functions_lack_what_the_compiler_says_they_look_up(module: object) -> None:
    tree = ast.parse(Path(getattr(module, "__file__", "")).read_text(encoding="utf-8"))
    compared = 0
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            alone = bare(node)
            expected = globals_of(symtable.symtable(ast.unparse(alone), "function", "exec"))
            assert read_names(alone).needs == expected - {node.name}, node.name
            compared += 1
    assert compared >= 3


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("x = 1", []),
        ("rng = np.random.default_rng(31)\nrng.normal()", []),
        ("rng = np.random.default_rng()", ["random"]),
        ("from numpy.random import default_rng\ndefault_rng()", ["random"]),
        ("np.random.rand(3)", ["random"]),
        ("np.random.seed(0)\nnp.random.rand(3)", []),
        ("np.random.seed()\nnp.random.rand(3)", ["random"]),
        ("import random\nrandom.shuffle(x)", ["random"]),
        ("import random\nrandom.seed(1)\nrandom.shuffle(x)", []),
        ("from random import choice as pick\npick(x)", ["random"]),
        ("import random as r\nr.random()", ["random"]),
        ("random.Random(3)", []),
        ("import uuid\nuuid.uuid4()", ["random"]),
        ("import time\ntime.time()", ["time"]),
        ("import time\ntime.sleep(1)", []),
        ("from time import perf_counter\nperf_counter()", ["time"]),
        ("from datetime import datetime\ndatetime.now()", ["time"]),
        ("import datetime\ndatetime.datetime(2020, 1, 1)", []),
        ("name = input('Who? ')", ["input"]),
        ("import sys\nsys.stdin.readline()", ["input"]),
        ("import time, random\nrandom.random(); time.time(); input()", ["input", "random", "time"]),
    ],
)
def test_chance_is_found_by_its_names(source: str, found: list[str]) -> None:
    assert list(chances(ast.parse(source))) == found
