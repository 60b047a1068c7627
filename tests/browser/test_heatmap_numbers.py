"""The heat map beside PyTorch: what it reads out, tables and saves is what PyTorch gave."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from playwright.sync_api import Browser, Page, expect

from lectern.attention import split_heads
from lectern.notebook import AttentionMap
from tests.project import ROOT

ORACLE = json.loads((ROOT / "tests/oracle/attention.json").read_text(encoding="utf-8"))
RECORDED, PARAMS = ORACLE["multi_head"], ORACLE["params"]


LAZY = [case for case in RECORDED if case["dtype"] == "float64"]
"""What is also shown from the queries and keys that PyTorch made its weights of."""


def named(case: dict[str, Any] | bool) -> str:
    """A name for a recorded case."""
    if isinstance(case, bool):
        return "lazy" if case else "weights"
    mask = "masked" if case["mask"] else "open"
    return f"{case['by']} {case['dtype']} {np.shape(case['weights'])} {mask}"


def given(case: dict[str, Any], lazy: bool) -> dict[str, Any]:
    """What the map gets."""
    if not lazy:
        return {"weights": np.array(case["weights"], dtype=np.float64)}
    W, h = PARAMS[case["dtype"]], case["h"]
    X_q = np.array(case["X_q"])  # (nq, d_model)
    X_kv = X_q if case["X_kv"] is None else np.array(case["X_kv"])  # (nk, d_model)
    return {
        "queries": split_heads(X_q @ np.array(W["W_Q"]), h),
        "keys": split_heads(X_kv @ np.array(W["W_K"]), h),
    }


@contextmanager
def showing(browser: Browser, dist: Path, case: dict[str, Any], lazy: bool) -> Iterator[Page]:
    _, nq, nk = np.shape(case["weights"])
    queries, keys = [f"q{i}" for i in range(nq)], [f"k{i}" for i in range(nk)]
    script = dist / "embed/heat-map.js"
    shown = AttentionMap(
        tokens=queries, key_tokens=keys, mask=case["mask"], script=script, **given(case, lazy)
    )
    page = browser.new_page()
    page.set_content(shown.to_html())
    expect(page.get_by_role("gridcell").first).to_be_attached()
    yield page
    page.close()


@pytest.mark.parametrize(
    ("case", "lazy"), [*((case, False) for case in RECORDED), *((case, True) for case in LAZY)], ids=named
)
def test_every_number_equals_the_array_to_the_digits_shown(
    browser: Browser, dist: Path, case: dict[str, Any], lazy: bool
) -> None:
    with showing(browser, dist, case, lazy) as page:
        compare(page, np.array(case["weights"], dtype=np.float64), case["mask"])


def compare(page: Page, weights: npt.NDArray[np.float64], mask: Any) -> None:
    """Table, CSV and read-out with PyTorch's weights (h, nq, nk), NaN where it gave that."""
    blocked = np.array(mask, dtype=bool) if mask else np.zeros(weights.shape[1:], dtype=bool)
    heat_map = page.locator("heat-map")
    page.get_by_role("button", name="Compare, rescale, take along").click()
    page.locator("summary").click()
    expect(page.locator("table")).to_have_count(len(weights))
    for head, of_head in enumerate(weights):
        cells = page.locator("table").nth(head).locator("td").all_inner_texts()
        shown = np.where(np.isnan(of_head), "NaN", np.char.mod("%.2f", of_head.round(6)))
        assert cells == np.where(blocked, "masked", shown).ravel().tolist()
        heat_map.evaluate("(map, head) => map.setAttribute('data-head', head)", head)
        with page.expect_download() as download:
            page.get_by_role("button", name="CSV", exact=True).click()
        rows = list(csv.reader(io.StringIO(Path(download.value.path()).read_text(encoding="utf-8"))))
        saved = np.array(rows[1:])[:, 1:].astype(float)
        assert np.allclose(saved, of_head, rtol=0, atol=5.1e-7, equal_nan=True)  # six decimals
        for query, row in enumerate(of_head):
            heat_map.evaluate("(map, query) => map.setAttribute('data-query', query)", query)
            read = dict(
                zip(
                    page.locator(".hm-bars > :not([data-none]) .hm-key").all_inner_texts(),
                    page.locator(".hm-bars > :not([data-none]) .hm-share").all_inner_texts(),
                    strict=True,
                )
            )
            open_keys = np.flatnonzero(~blocked[query] & np.isfinite(row))
            expected = {f"k{key}": f"{100 * row[key]:.0f}" for key in open_keys if row[key] >= 0.005}
            assert {key: share.split("\u202f")[0] for key, share in read.items()} == expected
            others = [row[key] for key in open_keys if f"k{key}" not in expected]
            rest = f"{100 * sum(others):.0f}" if sum(others) >= 0.005 else "<1"
            assert page.locator(".hm-rest .hm-share").inner_text() == (f"{rest}\u202f%" if others else "")
            some = row[row > 0]
            bits = f"Entropy {-(some * np.log2(some)).sum() + 0:.2f} of at most" if some.size else ""
            assert page.locator(".hm-sum").inner_text().startswith(bits)
