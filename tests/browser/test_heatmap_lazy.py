"""Maps of queries and keys: rows come from a worker wherever the map stands, and without one all the same."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from lectern.attention import softmax
from lectern.notebook import AttentionMap
from tests.browser.test_heatmap_embed import showing

H, N, DK = 3, 200, 16
QUERIES, KEYS = np.random.default_rng(3).normal(size=(2, H, N, DK)).astype(np.float32)
WEIGHTS = softmax(QUERIES @ KEYS.swapaxes(-1, -2))  # (h, n, n)
TOKENS = [f"w{i}" for i in range(N)]
PIXELS = "(it) => [...it.getContext('2d').getImageData(0, 0, it.width, it.height).data]"
POLICY = "script-src 'self' 'unsafe-inline'; worker-src 'none'"
REFUSED = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'


def attention(script: Path) -> AttentionMap:
    return AttentionMap(tokens=TOKENS, queries=QUERIES, keys=KEYS, scale=1.0, script=script)


def page_of(shown: AttentionMap, policy: str = "", before: str = "") -> str:
    """One script and one tag, with the frame in the page."""
    frame = shown.to_json().replace("<", "\\u003c")
    return (
        f'<!doctype html><meta charset="utf-8">{policy}<title>Lazy</title>'
        f"<script>{before}</script>"
        '<script src="heat-map.js" defer></script>'
        f'<heat-map name="lazy"><script type="application/json" data-frame>{frame}</script></heat-map>'
    )


@contextmanager
def opened(
    where: str, browser: Browser, dist: Path, folder: Path, before: str = ""
) -> Iterator[tuple[Page, Any]]:
    """The page, and what has the map in it; `before` is a script that runs first."""
    script = dist / "embed/heat-map.js"
    shown = attention(script)
    if where == "notebook":
        with showing(browser, folder, f"<!doctype html><body>{shown._repr_html_()}") as page:
            yield page, page.frame_locator("iframe")
        return
    text = page_of(shown, REFUSED if where == "refused" else "", before)
    if where == "file":
        (folder / "heat-map.js").write_bytes(script.read_bytes())
        (folder / "index.html").write_text(text, encoding="utf-8")
        page = browser.new_page()
        page.goto((folder / "index.html").as_uri())
        yield page, page
        page.close()
        return
    with showing(browser, folder, text, **{"heat-map_js": script.read_bytes()}) as page:
        yield page, page


def top(line: Any) -> list[str]:
    """The largest of a row or column, as the read-out names it: token, per cent."""
    largest = int(line.argmax())
    return [TOKENS[largest], f"{round(100 * line[largest])}\u202f%"]


@pytest.mark.parametrize("where", ["host", "file", "notebook", "refused"])
def test_rows_and_columns_of_queries_and_keys_are_read(
    browser: Browser, dist: Path, tmp_path: Path, where: str
) -> None:
    with opened(where, browser, dist, tmp_path) as (page, shown):
        lazy, first = shown.locator("heat-map"), shown.locator(".hm-bars > li").first
        lazy.evaluate("(map) => { map.setAttribute('data-head', 2); map.setAttribute('data-query', 150); }")
        for word in top(WEIGHTS[2, 150]):
            expect(first).to_contain_text(word)
        expect(shown.locator(".hm-plot canvas:not([data-due])")).to_be_attached()
        expect(shown.locator(".hm-whole > canvas:not([data-old])")).to_be_attached()
        lazy.evaluate("(map) => map.removeAttribute('data-query')")
        shown.locator('[role="gridcell"][tabindex="0"]').focus()
        for key in ("Control+Home", "c"):
            shown.locator('[role="gridcell"]:focus').press(key)
        expect(shown.locator(".hm-title")).to_contain_text("is attended to by")
        for word in top(WEIGHTS[2, :, 0]):
            expect(first).to_contain_text(word)
        assert len(page.workers) == (0 if where == "refused" else 1)
        for worker in page.workers:
            with worker.expect_event("close"):
                lazy.evaluate("(map) => map.remove()")


# Every number of a row computed takes one: those of the page are counted, and those of its worker are not.
COUNTING = """(() => {
  const { exp } = Math;
  globalThis.computedHere = 0;
  Math.exp = (x) => (globalThis.computedHere++, exp(x));
})()"""


@pytest.mark.parametrize(("where", "most"), [("host", 20), ("refused", None)])
def test_whole_heads_are_computed_in_the_worker_whatever_is_made_of_them(
    browser: Browser, dist: Path, tmp_path: Path, where: str, most: int | None
) -> None:
    with opened(where, browser, dist, tmp_path, COUNTING) as (page, shown):
        lazy = shown.locator("heat-map")
        shown.get_by_role("button", name="Compare").click()
        shown.get_by_label("Scale").select_option("head")
        for head in range(H):
            lazy.evaluate("(map, head) => map.setAttribute('data-head', head)", head)
            expect(shown.locator(".hm-legend-name")).to_contain_text(f"({WEIGHTS[head].max():.2f})")
            expect(shown.locator(".hm-plot canvas:not([data-due])")).to_be_attached()
        shown.get_by_label("Side by side").select_option("1")
        expect(shown.locator(".hm-multiples canvas:not([data-due])")).to_be_attached()
        lazy.evaluate("(map) => map.querySelector('[role=gridcell][tabindex=\"0\"]').focus()")
        shown.locator('[role="gridcell"]:focus').press("c")  # by columns
        largest = TOKENS[int(WEIGHTS[1, :, 0].argmax())]
        expect(shown.locator(".hm-multiples p")).to_contain_text(largest)
        shown.locator('[role="gridcell"]:focus').press("c")
        shown.get_by_label("Hide the first key").check()
        held = round(100 * WEIGHTS[H - 1, :, 0].sum() / N)
        expect(shown.locator(".hm-hidden")).to_contain_text(f"holds {held}\u202f% of head {H}")
        shown.get_by_label("Hide the first key").uncheck()
        for name in ("PNG", "CSV"):
            with page.expect_download():
                shown.get_by_role("button", name=name, exact=True).click()
            expect(shown.get_by_role("status").filter(has_text="Saved")).to_be_visible()
        shown.locator("summary").click()
        query, key = divmod(int(WEIGHTS[0].argmax()), N)
        expect(shown.locator(".hm-words > li").first).to_contain_text(f"w{query}\u2069 → \u2068w{key}")
        rows = lazy.evaluate("() => globalThis.computedHere") / N
        assert rows <= most if most else rows >= H * N  # what is read at once needs a row now and then


def test_the_overview_of_a_head_is_the_same_from_a_worker_and_without(
    browser: Browser, dist: Path, tmp_path: Path
) -> None:
    seen = []
    for where in ("host", "refused"):
        with opened(where, browser, dist, tmp_path) as (_, shown):
            expect(shown.locator(".hm-whole > canvas[width]:not([data-old])")).to_be_attached()
            seen.append(shown.locator(".hm-whole > canvas").evaluate(PIXELS))
    assert seen[0] == seen[1]
    assert len(set(seen[0])) > 50
