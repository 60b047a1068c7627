"""Measures the heat map in headless Chromium: switching heads, hovering rows, to the next painted frame.

    python -m tests.bench.heatmap dist/embed/heat-map.js

Each figure is the median and the worst of 50, in milliseconds, from the act (at the start of a frame) to the
first task after that frame was painted. "New" heads have not been computed before; memory is what the page's
JavaScript holds beyond the frame's own numbers.
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import Page, sync_playwright

from tests.browser.browsers import launch

TIMES = 50
SIZES = ((4, 12, False), (12, 128, False), (96, 1024, True))

FEED = """([h, n, lazy]) => {
  let seed = 1;
  const draw = (count) => Float32Array.from({length: count}, () => {
    seed = (seed * 1103515245 + 12345) & 0x7fffffff;
    return 3.4 * (seed / 0x3fffffff - 1);
  });
  const tokens = Array.from({length: n}, (_, i) => `token ${i}`);
  const dk = 64;
  const buffers = lazy ? [draw(h * n * dk), draw(h * n * dk)] : [draw(h * n * n)];
  if (!lazy) for (let row = 0; row < h * n; row++) {
    const weights = buffers[0].subarray(row * n, (row + 1) * n);
    const sum = weights.reduce((total, x, i) => total + (weights[i] = Math.exp(x)), 0);
    weights.forEach((x, i) => (weights[i] = x / sum));
  }
  const map = document.querySelector("heat-map");
  map.frame = {
    version: 2, h, nq: n, nk: n, queryTokens: tokens, keyTokens: tokens, scores: null, mask: null,
    weights: lazy ? null : {buffer: 0}, headLabels: null, checks: [], buffers,
    ...(lazy ? {lazy: {queries: {buffer: 0}, keys: {buffer: 1}, dk, scale: dk ** -0.5}} : {}),
  };
  return buffers.reduce((bytes, {byteLength}) => bytes + byteLength, 0);
}"""

WATCH = """() => {
  const map = document.querySelector("heat-map");
  globalThis.painted = (act) => new Promise((resolve) => requestAnimationFrame(() => {
    const {port1, port2} = new MessageChannel();
    const start = performance.now();
    port1.onmessage = () => resolve(performance.now() - start);
    act();
    port2.postMessage(null); // runs after this frame's style, layout and paint
  }));
  globalThis.chooseHead = (head) => painted(() => map.setAttribute("data-head", head));
  globalThis.hoverRow = (share) => painted(() => {
    const matrix = map.querySelector(".hm-plot > .hm-matrix");
    const box = matrix.getBoundingClientRect();
    matrix.dispatchEvent(new PointerEvent("pointermove", {
      bubbles: true, pointerType: "mouse",
      clientX: box.left + box.width * share, clientY: box.top + box.height * share,
    }));
  });
}"""


def times(page: Page, act: str, places: list[Any]) -> str:
    """ "median / worst" of an act at these places."""
    loop = f"async (ps) => {{ const took = []; for (const p of ps) took.push(await {act}(p)); return took; }}"
    took: list[float] = page.evaluate(loop, places)
    return f"{median(took):6.1f} / {max(took):6.1f}"


def used(page: Page) -> float:
    """Bytes that the page's JavaScript holds, typed arrays included."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    usage = session.send("Runtime.getHeapUsage")
    return float(usage["usedSize"] + usage.get("backingStorageSize", 0))


def main(script: Path) -> None:
    """Print one line per size."""
    page_source = (
        f"<!doctype html><body><script>{script.read_text('utf-8')}</script><heat-map name=m></heat-map>"
    )
    print(f"{'':>12} {'new head':>15} {'known head':>15} {'row hover':>15}   memory above the data")
    with sync_playwright() as playwright:
        browser = launch(playwright)
        for h, n, lazy in SIZES:
            page = browser.new_page(viewport={"width": 1280, "height": 1000})
            page.set_content(page_source)
            before = used(page)
            data = page.evaluate(FEED, [h, n, lazy])
            page.wait_for_selector("[role=gridcell]", state="attached")
            page.evaluate(WATCH)
            heads = [str(1 + i % (h - 1)) for i in range(TIMES)]
            new = times(page, "chooseHead", heads if h > TIMES else heads[: h - 1])
            page.wait_for_timeout(2_000)  # what goes on in slices is over
            few = [str(i % min(h, 4)) for i in range(TIMES)]
            times(page, "chooseHead", few[:8])
            known = times(page, "chooseHead", few)
            hover = times(page, "hoverRow", [(i * 7 % TIMES + 0.5) / TIMES for i in range(TIMES)])
            above = (used(page) - before - data) / 1e6
            print(f"{h:>4} × {n:<5} {new:>15} {known:>15} {hover:>15}   {above:.0f} MB", flush=True)
            page.close()
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
