"""The heat map beside PyTorch: what it reads out, tables and saves is what PyTorch gave."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from playwright.sync_api import Browser, Page, expect

from lectern.notebook import AttentionMap
from tests.project import ROOT

RECORDED = json.loads((ROOT / "tests/oracle/attention.json").read_text(encoding="utf-8"))["multi_head"]


def named(case: dict[str, Any]) -> str:
    """A name for a recorded case."""
    mask = "masked" if case["mask"] else "open"
    return f"{case['by']} {case['dtype']} {np.shape(case['weights'])} {mask}"


@pytest.fixture(params=RECORDED, ids=named)
def case(request: pytest.FixtureRequest) -> tuple[npt.NDArray[np.float64], Any]:
    """PyTorch's weights (h, nq, nk), NaN where it gave that, and the mask."""
    return np.array(request.param["weights"], dtype=np.float64), request.param["mask"]


@pytest.fixture
def page(browser: Browser, dist: Path, case: tuple[npt.NDArray[np.float64], Any]) -> Iterator[Page]:
    weights, mask = case
    _, nq, nk = weights.shape
    queries, keys = [f"q{i}" for i in range(nq)], [f"k{i}" for i in range(nk)]
    shown = AttentionMap(weights, queries, keys, mask=mask, script=dist / "embed/heat-map.js")
    page = browser.new_page()
    page.set_content(shown.to_html())
    expect(page.get_by_role("gridcell").first).to_be_attached()
    yield page
    page.close()


def test_every_number_equals_the_array_to_the_digits_shown(
    page: Page, case: tuple[npt.NDArray[np.float64], Any]
) -> None:
    weights, mask = case
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
