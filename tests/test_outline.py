"""What Python tells the page about its cells, and what a student reads about a name that is missing."""

from __future__ import annotations

import json

import pytest

from lectern import bridge
from lectern.outline import Outline
from tests.cells import Page

CELLS = {
    "top": "import numpy as np\nif np is None: rare = 1",
    "middle": "x = later + rare",
    "broken": "def f(:",
    "end": "later = 1\nmath = 2",
}


def told(cells: dict[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "source": source} for name, source in cells.items()]


def test_each_cell_is_read_and_one_with_a_syntax_error_is_none() -> None:
    top, middle, broken, end = Outline().tell(told(CELLS))
    assert top == {"needs": [], "binds": ["np"], "touches": ["rare"], "chances": []}
    assert middle == {"needs": ["later", "rare"], "binds": ["x"], "touches": [], "chances": []}
    assert broken is None
    assert end
    assert end["binds"] == ["later", "math"]


def test_only_the_cells_that_are_wanted_are_read() -> None:
    outline = Outline()
    assert outline.tell(told(CELLS), wanted=[]) == []
    assert outline.tell(told(CELLS), wanted=[2, 3]) == [None, outline.tell(told(CELLS))[3]]


@pytest.mark.parametrize(
    ("source", "check", "asks"),
    [
        ("def f(x): ...", "assert f(X) == g, h", ["X", "g", "h"]),
        ("g = 1", "y = f\nassert y == g", ["f"]),
        ("x = 1", "assert (", None),
    ],
)
def test_an_exercise_tells_what_its_check_needs_beyond_the_answer(
    source: str, check: str, asks: list[str] | None
) -> None:
    (reading,) = Outline().tell([{"name": "task", "source": source, "check": check}])
    assert reading
    assert reading.get("asks") == asks


@pytest.mark.parametrize(
    ("source", "needs"),
    [
        ("%pip install packaging\nx = y", ["__lectern_install__", "y"]),
        ("\ufeffx = y", ["y"]),
        ("x = await y", ["y"]),
        ("bad = '\0'", None),
        ("bad = '\ud800'", None),
        ("(" * 500 + ")" * 500, None),
    ],
)
def test_cells_are_read_as_the_runner_reads_them(source: str, needs: list[str] | None) -> None:
    (reading,) = Outline().tell(told({"cell": source}))
    assert (reading and reading["needs"]) == needs


def test_the_bridge_answers_an_outline_as_json() -> None:
    assert json.loads(bridge.outline(json.dumps({"cells": told({"a": "x = 1"})}))) == [
        {"needs": [], "binds": ["x"], "touches": [], "chances": []}
    ]
    bridge.outline(json.dumps({"cells": []}))


@pytest.mark.parametrize(
    ("cell", "source", "words"),
    [
        ("top", "later", "`later` is defined further down, by the cell end."),
        ("middle", "rare", "The cell top defines `rare`, but only in some cases"),
        ("top", "nothing_like_it", "No cell of this page defines `nothing_like_it`."),
        ("top", "math.pi", "Add `import math`, or run the cell end, which has it."),
        ("top", "del np\nprint(np)", "Add `import numpy as np`"),
        ("middle", "x", "This cell defines `x` only after this line"),
        ("top", "lenn([])", "Did you mean `len`?"),
        ("elsewhere", "nothing_like_it", "No cell that has run so far defines `nothing_like_it`."),
    ],
)
def test_a_missing_name_is_explained_by_the_cells_of_the_page(cell: str, source: str, words: str) -> None:
    page = Page()
    page.run("import numpy as np")
    page.runner.outline.tell(told(CELLS), wanted=[])
    error = page.run(source, cell=cell).error
    assert error["kind"] == "NameError"
    assert words in error["hint"]
