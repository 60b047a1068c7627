"""How fast the five models of lesson 31 train in the page, and whether it answers meanwhile.

`python -m tests.bench.training` starts headless Chromium on the built site, trains all five numbers of heads
in one run, clicks while they train, and presses Stop in the middle of a second training. Where others use the
processors, a second of training takes longer than a second: so it says, too, how busy the machine is, and how
many seconds of a processor all threads of the page have had.
"""

from __future__ import annotations

import argparse
import os
import statistics
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright
from rich.console import Console

from tests.bench.start import LESSON, RUN, STOP, WATCH, serving, timed
from tests.browser.browsers import QUIET, find_chromium, is_root
from tests.browser.visit import BOOT_MS, Visit
from tests.project import ROOT

CELL, BEFORE, AFTER = "train-heads", "deal-cards", "sentence"
"""What trains, the cell above that it needs, and one that waits for Stop."""

HEADS = [1, 2, 4, 8, 16]
BUDGET = 20.0
CLICK_EVERY_MS = 2000

# Clicks now and then, and notes when each line of the cell's output came.
ATTEND = """([name, every]) => {
  Object.assign(globalThis, { answered: [], longest: 0, lines: [] });
  const began = performance.now();
  const output = document.querySelector(`code-cell[name="${name}"] [data-output]`);
  new MutationObserver(() => {
    const ended = output.textContent.match(/h = \\d+:/g) ?? [];
    while (lines.length < ended.length) lines.push(performance.now() - began);
  }).observe(output, { childList: true, subtree: true, characterData: true });
  const click = () => document.querySelector("[data-action=theme]").click();
  globalThis.clicking = setInterval(click, every);
}"""


def processor_seconds(browser: Browser) -> float:
    """What the page's processes have had so far, all their threads together."""
    session = browser.new_browser_cdp_session()
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    return float(sum(process["cpuTime"] for process in processes if process["type"] == "renderer"))


def measure(browser: Browser, page: Page, visit: Visit, console: Console) -> None:
    """Train, click, stop; print what was measured."""
    visit.run(BEFORE)
    visit.write(CELL, visit.source(CELL).replace("[4]", str(HEADS)))
    page.evaluate(ATTEND, [CELL, CLICK_EVERY_MS])
    busy, before = os.getloadavg()[0], processor_seconds(browser)
    total = timed(page, RUN, CELL) / 1000
    used = processor_seconds(browser) - before
    page.evaluate("clearInterval(globalThis.clicking)")
    ends = [0.0, *page.evaluate("globalThis.lines")]
    for h, began, ended in zip(HEADS, ends, ends[1:], strict=False):
        console.print(f"h = {h:>2}: {(ended - began) / 1000:5.1f} s")
    console.print(
        f"all five: {total:.1f} s (budget {BUDGET:.0f}); {used:.1f} s of a processor; load {busy:.1f} before"
    )
    clicks = page.evaluate("globalThis.answered")
    console.print(
        f"meanwhile {len(clicks)} clicks, answered after {statistics.median(clicks):.0f} ms, "
        f"the slowest after {max(clicks):.0f} ms (budget 200); "
        f"longest task {page.evaluate('globalThis.longest'):.0f} ms"
    )
    visit.button(CELL, "run").click()
    visit.cell(CELL).locator(".chart-line").first.wait_for()
    page.wait_for_function(
        "document.querySelector('code-cell[name=train-heads]').dataset.state === 'running'"
    )
    visit.write(AFTER, "print(6 * 7)")
    console.print(f"Stop → result of another cell: {timed(page, STOP, [CELL, AFTER]):.0f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.training", description=__doc__)
    parser.add_argument("--site", type=Path, default=ROOT / "dist", help="a built site (default: dist/)")
    site = parser.parse_args().site
    if not (site / LESSON).is_dir():
        raise SystemExit(f"There is no built site in {site}; run `python build.py` first.")
    with sync_playwright() as playwright, serving(site) as server:
        chromium = find_chromium(Path(playwright.chromium.executable_path))
        browser = playwright.chromium.launch(
            executable_path=chromium, args=list(QUIET), chromium_sandbox=not is_root()
        )
        context = browser.new_context()
        context.add_init_script(WATCH)
        context.set_default_timeout(BOOT_MS)
        visit = Visit(context, server, LESSON)
        measure(browser, visit.page, visit, Console(width=110))
        browser.close()


if __name__ == "__main__":
    main()
