"""`# →`: what is a promise, how a cell is cut for it, and what keeps it."""

from __future__ import annotations

import pytest

from sitebuilder.promises import Promise, slices
from tests.test_parse import BODY, HEAD, PATH
from tests.test_parse import faults as located


def cut(source: str) -> list[tuple[str, str]]:
    """The slices as (source, promised text)."""
    return [(piece.source, piece.promise.text if piece.promise else "") for piece in slices(source)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = 1  # a number", [("x = 1  # a number", "")]),
        ("'# → 3'", [("'# → 3'", "")]),
        ("x  # → 1", [("x  # → 1", "1")]),
        ("x = 1\nx  # → 1\ny = 2", [("x = 1", ""), ("\nx  # → 1", "1"), ("\n\ny = 2", "")]),
        ("x  # → 1\ny  #→2", [("x  # → 1", "1"), ("\ny  #→2", "2")]),
        ("x = 1; x  # → 1", [("x = 1; x  # → 1", "1")]),
        ("x = [\n1]; x  # → [1]", [("x = [\n1]; x  # → [1]", "[1]")]),
        ("f(\n    1,\n)  # → 2\n\n# The end.\n", [("f(\n    1,\n)  # → 2", "2")]),
        (
            "x  # → [[1 2]\n#    [3 4]]\n# Now y:\ny",
            [("x  # → [[1 2]\n#    [3 4]]", "[[1 2]\n[3 4]]"), ("\n\n# Now y:\ny", "")],
        ),
        ("%pip install einops\nx  # → 1", [("%pip install einops", ""), ("\nx  # → 1", "1")]),
        ("é = 'ü'; é  # → 'ü'", [("é = 'ü'; é  # → 'ü'", "'ü'")]),
        ("await f()  # → 1", [("await f()  # → 1", "1")]),
    ],
)
def test_a_cell_is_cut_at_its_promises(source: str, expected: list[tuple[str, str]]) -> None:
    assert cut(source) == expected


@pytest.mark.parametrize(
    ("promised", "came", "kept"),
    [
        ("(6, 16)", "(6, 16)", True),
        ("(6, 16)", "(6, 32)", False),
        ("[[1 2] [3 4]]", "[[1 2]\n [3 4]]", True),
        ("[1, …, 9]", "[1, 2, 3, 9]", True),
        ("[1, ..., 9]", "[1, 2, 3, 8]", False),
        ("…", "", True),
        ("1", "1\n1", False),
        ("None", "None", True),
        ("a.b", "acb", False),
    ],
)
def test_a_promise_is_kept_by_what_the_page_would_show(promised: str, came: str, kept: bool) -> None:
    assert Promise("x", promised, 1, 1).is_kept(came) is kept


def test_an_untrue_promise_says_what_came_and_what_to_write() -> None:
    assert Promise("x.shape", "(1, 2)", 1, 1).refusal("(2, 1)") == (
        "`x.shape` gives `(2, 1)`, not `(1, 2)`",
        "write `# → (2, 1)`, or correct the code",
    )
    assert Promise("print(x)", "1", 1, 1).refusal("2\n")[0] == "`print(x)` gives `2`, not `1`"
    assert "`…` stands for the parts" in Promise("x", "1", 1, 1).refusal("2 " * 90)[1]


@pytest.mark.parametrize(
    ("code", "line", "piece"),
    [
        ("x = 1  # → 1", 1, "no expression stands before it"),
        ("for i in x:\n    i  # → 1", 2, "no expression stands before it"),
        ("# → 1", 1, "no expression stands before it"),
        ("x\n# → 1", 2, "no expression stands before it"),
        ("x;  # → 1", 1, "no expression stands before it"),
        ("f(  # → 1\n)", 1, "no expression stands before it"),
        ("x  # →", 1, "names none"),
    ],
)
@pytest.mark.parametrize("fence", ["setup", "run a"])
def test_an_arrow_after_no_expression_is_a_fault(fence: str, code: str, line: int, piece: str) -> None:
    (fault,) = located(f"{HEAD}```python {fence}\n{code}\n```\n")
    assert str(fault).startswith(f"{PATH}:{BODY + line}:")
    assert piece in fault.problem


def test_a_cell_that_cannot_run_promises_nothing() -> None:
    assert not located(HEAD + "```python read a\nx = 1  # → 1\n```\n")
