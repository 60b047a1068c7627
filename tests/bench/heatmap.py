"""Measures the heat map in headless Chromium: switching heads, hovering rows, to the next painted frame.

    python -m tests.bench.heatmap dist/embed/heat-map.js [--bertviz FOLDER]

Each figure is the median and the worst of 50, in milliseconds, from the act (at the start of a frame) to
the first task after that frame was painted: scripts, style, layout, painting, and handing the picture
over. It is not the wait for the frame to begin (up to 16.7 ms after an event), nor rasterising and showing
it: other threads do that. Below it, what the page's main thread computed for the act, by the processor's
clock, with what followed until the next act: whatever else runs on the machine makes the first longer,
often manyfold for one in 50, but not the second. "New" heads have not been computed before: of the largest
map a worker does that, and their figure is until the frame that has the cells; the first row
that is read is among the 50; memory is what the page's JavaScript holds beyond the frame's own numbers.

With --bertviz the head view of BertViz is measured below ours, on the same arrays, as far as it gets in a
minute. It needs what nothing else here does:

    python -m pip install torch ipython && python -m pip install --no-deps bertviz==1.4.1
    npm install --prefix FOLDER d3@5.7.0 jquery@2.2.4 requirejs@2.3.6
"""

from __future__ import annotations

import argparse
import base64
import time
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np
from playwright.sync_api import Browser, CDPSession, Error, Page, sync_playwright

from tests.bench import bertviz_page
from tests.browser.browsers import launch

TIMES = 50
PATIENCE = 20  # seconds for a column; then those that it has
DRAWING = 60  # seconds in which BertViz has to be there
SIZES = ((4, 12, False), (12, 128, False), (12, 256, False), (12, 512, False), (96, 1024, True))

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

PAINTED = """() => {
  globalThis.painted = (act) => new Promise((resolve) => requestAnimationFrame(() => {
    const {port1, port2} = new MessageChannel();
    const start = performance.now();
    port1.onmessage = () => resolve(performance.now() - start);
    act();
    const due = () => document.querySelector("canvas[data-due]"); // its cells are being computed elsewhere
    const after = () => (due() ? requestAnimationFrame(after) : port2.postMessage(null));
    after(); // the message arrives after this frame's style, layout and paint
  }));
}"""

WATCH = """() => {
  const map = document.querySelector("heat-map");
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


# The weights of a map that holds them, as base64: nothing else carries millions of numbers out of a page.
HELD = """() => {
  const bytes = new Uint8Array(document.querySelector("heat-map").frame.buffers[0].buffer);
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000)
    text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text);
}"""


class Times(NamedTuple):
    """ "median / worst" of an act, by the clock on the wall and by the processor's."""

    wall: str
    computed: str


def times(page: Page, act: str, places: list[Any]) -> Times:
    """An act at these places; fewer if they take too long."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    took: list[float] = []
    computed: list[float] = []
    until = time.monotonic() + PATIENCE
    before = busy(session)
    for place in places:
        took.append(page.evaluate(f"(place) => {act}(place)", place))
        after = busy(session)
        computed.append(after - before)
        before = after
        if time.monotonic() > until:
            break
    session.send("Performance.disable")
    return Times(*(f"{median(each):6.1f} / {max(each):6.1f}" for each in (took, computed)))


def busy(session: CDPSession) -> float:
    """Milliseconds that the page's main thread has computed."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return next(1000 * float(m["value"]) for m in metrics if m["name"] == "TaskDuration")


def lines(label: str, cells: list[Times | None], memory: str) -> str:
    """A line of times, and below it what was computed."""
    first = "".join(f"{each.wall if each else '':>18}" for each in cells)
    second = "".join(f"{each.computed if each else '':>18}" for each in cells)
    return f"{label:>14}{first}   {memory}\n{'computed':>14}{second}"


def used(page: Page) -> float:
    """Bytes that the page's JavaScript holds, typed arrays included."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    usage = session.send("Runtime.getHeapUsage")
    return float(usage["usedSize"] + usage.get("backingStorageSize", 0))


def hovers() -> list[float]:
    """Places down the rows, as shares of the height."""
    return [(i * 7 % TIMES + 0.5) / TIMES for i in range(TIMES)]


def ours(page: Page, script: Path, h: int, n: int, lazy: bool) -> str:
    """Measure our own map of h heads of n tokens; the page stays open for its weights."""
    page.set_content(
        f"<!doctype html><body><script>{script.read_text('utf-8')}</script><heat-map name=m></heat-map>"
    )
    before = used(page)
    data = page.evaluate(FEED, [h, n, lazy])
    page.wait_for_selector("[role=gridcell]", state="attached")
    page.evaluate(PAINTED)
    page.evaluate(WATCH)
    heads = [str(1 + i % (h - 1)) for i in range(TIMES)]
    new = times(page, "chooseHead", heads if h > TIMES else heads[: h - 1])
    page.wait_for_timeout(2_000)  # what goes on in slices is over
    few = [str(i % min(h, 4)) for i in range(TIMES)]
    times(page, "chooseHead", few[:8])
    known = times(page, "chooseHead", few)
    page.wait_for_timeout(2_000)  # what goes on in slices is over
    hover = times(page, "hoverRow", hovers())
    memory = f"{(used(page) - before - data) / 1e6:.0f} MB"
    return lines(f"{h} × {n}", [new, known, hover], memory)


def theirs(browser: Browser, weights: np.ndarray[Any, np.dtype[np.float32]], libraries: Path) -> str:
    """Measure BertViz on weights (h, n, n); a sentence if it does not get that far."""
    h, n, _ = weights.shape
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    page.set_default_timeout(1000 * DRAWING)
    try:
        page.set_content("<!doctype html><body>")
        before = used(page)
        began = time.monotonic()
        bertviz_page.show(page, weights, [f"token {i}" for i in range(n)], libraries)
        drawn = time.monotonic() - began
        page.evaluate(PAINTED)
        page.evaluate(bertviz_page.WATCH)
        switch = times(page, "chooseHead", [i % h for i in range(TIMES)])
        hover = times(page, "hoverRow", hovers())
        memory = (used(page) - before - weights.nbytes) / 1e6
    except Error as error:
        return f"{'BertViz':>14} gives up: {error.message.splitlines()[0]}"
    finally:
        page.close()
    return lines("BertViz", [None, switch, hover], f"{memory:.0f} MB, drawn in {drawn:.1f} s")


def main() -> None:
    """Print a line per size, and below it BertViz's."""
    parser = argparse.ArgumentParser(description="How fast the heat map is.")
    parser.add_argument("script", type=Path, help="embed/heat-map.js of a built site")
    parser.add_argument("--bertviz", type=Path, metavar="FOLDER", help="where npm has put what BertViz needs")
    options = parser.parse_args()
    print(f"{'':>14}{'new head':>18}{'known head':>18}{'row hover':>18}   memory above the data")
    with sync_playwright() as playwright:
        browser = launch(playwright)
        beaten = False
        for h, n, lazy in SIZES:
            if not browser.is_connected():  # so many lines have been too much for it
                browser = launch(playwright)
            page = browser.new_page(viewport={"width": 1280, "height": 1000})
            print(ours(page, options.script, h, n, lazy), flush=True)
            if options.bertviz and not lazy and not beaten:
                held = np.frombuffer(base64.b64decode(page.evaluate(HELD)), np.float32)
                said = theirs(browser, held.reshape(h, n, n), options.bertviz / "node_modules")
                print(said, flush=True)
                beaten = "gives up" in said
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
