"""How fast a lesson starts, beside a bare page of stock Pyodide and NumPy: `python -m tests.bench.start`.

Both pages run the code of the lesson's first cell. Each round starts each of them in a browser profile of
its own, one after the other, so that whatever else the machine does falls on both. Read the ratios. Run is
pressed once a page has stood for half a second, and the page of the first visit is closed before that of
the second is opened.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Page, Playwright, sync_playwright
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from sitebuilder.cache import cache_folder
from tests.bench.bare import write_bare_page
from tests.browser.browsers import QUIET, find_chromium, is_root
from tests.browser.visit import BOOT_MS, Visit
from tests.project import ROOT
from tests.site_server import Link, SiteServer

LESSON, CELL, OTHER, LOOP = "31-multi-head-attention/", "multi-head", "sentence", "counts"
"""The first cell, another one whose result shows that variables are back, and the one that hangs."""

REST = 4_000
"""Milliseconds after the bare page's first result: it keeps the compiled code then; ours rests as long."""

SLOW = (20e6 / 8, 0.030)
"""20 Mbit/s, and 30 ms before each answer."""

# Times a click on Run until the cell has ended, by the page's own clock.
RUN = """(name) => new Promise((resolve) => {
  const cell = document.querySelector(`code-cell[name="${name}"]`);
  const began = performance.now();
  new MutationObserver((_, observer) => {
    if (!/^(done|error)$/.test(cell.dataset.state)) return;
    observer.disconnect();
    resolve([cell.dataset.state, performance.now() - began]);
  }).observe(cell, { attributeFilter: ["data-state"] });
  cell.querySelector('button[data-action="run"]').click();
})"""

RUN_BARE = """async (source) => {
  const began = performance.now();
  await globalThis.run(source);
  return ["done", performance.now() - began];
}"""

# Stop, and at once the wish to run another cell: what the student waits for.
STOP = f"""([hanging, name]) => {{
  const run = {RUN};
  document.querySelector(`code-cell[name="${{hanging}}"] button[data-action="stop"]`).click();
  return run(name);
}}"""

WATCH = """
globalThis.longest = 0;
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) globalThis.longest = Math.max(globalThis.longest, duration);
}).observe({ type: "longtask", buffered: true });
globalThis.answered = [];
addEventListener("click", ({ timeStamp }) => {
  requestAnimationFrame(() => setTimeout(() => globalThis.answered.push(performance.now() - timeStamp)));
}, true);
"""


@dataclass
class Figures:
    """What was measured, by name; `bare` and `ours` hold one value for each round."""

    bare: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    ours: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))


@dataclass(frozen=True)
class Bench:
    playwright: Playwright
    chromium: Path
    site: Path
    bare: Path
    figures: Figures

    def round(self, slow: bool) -> None:
        """One measurement of everything."""
        with serving(self.site) as site, serving(self.bare) as bare:
            source = self._ours(site)
            self._bare(bare, source)
        if slow:
            with serving(self.site, Link(*SLOW)) as site, serving(self.bare, Link(*SLOW)) as bare:
                with self._profile() as profile:
                    visit = self._visit(profile, site)
                    self.figures.ours["slow"].append(timed(visit.page, RUN, CELL))
                with self._profile() as profile:
                    self.figures.bare["slow"].append(timed(self._open(profile, bare), RUN_BARE, source))

    def _ours(self, site: SiteServer) -> str:
        """Everything on a fast line; returns the source of the cell."""
        ours = self.figures.ours
        with self._profile() as profile:
            first = self._visit(profile, site)
            source = first.source(CELL)
            first.page.evaluate("globalThis.longest = 0")
            ours["cold"].append(timed(first.page, RUN, CELL))
            ours["bytes"].append(float(sum(request.sent for request in site.requests)))
            first.page.locator("html[data-snapshot=kept]").wait_for()
            ours["task"].append(first.page.evaluate("globalThis.longest"))
            first.page.close()
            second = self._visit(profile, site)
            ours["second"].append(timed(second.page, RUN, CELL))
            second.write_and_run(CELL, "kept = 6 * 7")
            second.write(OTHER, "assert kept == 42")
            second.write(LOOP, "print('on')\nwhile True: pass")
            self._hang(second)
            ours["stop"].append(timed(second.page, STOP, [LOOP, OTHER]))
            second.write(LOOP, "while True: print(1)")
            self._hang(second)
            self._click(second.page)
        return source

    def _click(self, page: Page) -> None:
        """Ten clicks while a cell prints without end: how long each waits for the next frame."""
        page.evaluate("globalThis.answered = []; globalThis.longest = 0")
        for _ in range(10):
            page.locator("[data-action=theme]").click()
        page.wait_for_function("globalThis.answered.length >= 10")
        for name, script in {
            "click": "Math.max(...globalThis.answered)",
            "heap": "performance.memory.usedJSHeapSize",
            "flooded": "globalThis.longest",
        }.items():
            self.figures.ours[name].append(page.evaluate(script))

    def _bare(self, bare: SiteServer, source: str) -> None:
        with self._profile() as profile:
            page = self._open(profile, bare)
            self.figures.bare["cold"].append(timed(page, RUN_BARE, source))
            self.figures.bare["bytes"].append(float(sum(request.sent for request in bare.requests)))
            page.wait_for_timeout(REST)
            page.close()
            again = self._open(profile, bare)
            self.figures.bare["second"].append(timed(again, RUN_BARE, source))

    @contextlib.contextmanager
    def _profile(self) -> Iterator[BrowserContext]:
        """A browser of its own with a new profile on disk: a private window keeps less."""
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            context = self.playwright.chromium.launch_persistent_context(
                folder, executable_path=self.chromium, args=list(QUIET), chromium_sandbox=not is_root()
            )
            try:
                context.add_init_script(WATCH)
                yield context
            finally:
                context.close()

    def _visit(self, profile: BrowserContext, site: SiteServer) -> Visit:
        profile.set_default_timeout(BOOT_MS)
        visit = Visit(profile, site, LESSON, closed_off=False)
        visit.page.wait_for_load_state("networkidle")
        return visit

    def _open(self, profile: BrowserContext, bare: SiteServer) -> Page:
        page = profile.new_page()
        page.goto(bare.url)
        page.wait_for_load_state("networkidle")
        return page

    def _hang(self, visit: Visit) -> None:
        visit.button(LOOP, "run").click()
        visit.output(LOOP).get_by_text("1" if "print(1)" in visit.source(LOOP) else "on").first.wait_for()


@contextlib.contextmanager
def serving(root: Path, link: Link | None = None) -> Iterator[SiteServer]:
    server = SiteServer(root, link=link)
    try:
        yield server
    finally:
        server.close()


def timed(page: Page, script: str, argument: Any) -> float:
    """Milliseconds until what the script starts has ended well."""
    state, ms = page.evaluate(script, argument)
    if state != "done":
        raise SystemExit(f"the cell ended as {state}: there is nothing to measure")
    return float(ms)


ROWS = (
    # what, figure of ours, figure of the bare page that it is compared with, greatest ratio
    ("fresh profile, Run → output", "cold", "cold", 0.38),
    ("second visit, Run → output", "second", "second", 0.22),
    ("Stop → next result, variables back", "stop", "second", 0.15),
    ("fresh profile, 20 Mbit/s, Run → output", "slow", "slow", 0.50),
)


def report(figures: Figures, console: Console) -> None:
    """Print medians, smallest and largest values, and ratios beside what we allow ourselves."""
    table = Table("median ms (least to most)", "Lectern", "bare page", "ratio", "budget", box=SIMPLE)
    for what, ours, bare, budget in ROWS:
        mine, theirs = figures.ours[ours], figures.bare[bare]
        if mine and theirs:
            ratio = statistics.median(mine) / statistics.median(theirs)
            table.add_row(what, spread(mine), spread(theirs), f"{ratio:.2f}", f"{budget:.2f}")
    console.print(table)
    sent = [f"{statistics.median(side['bytes']) / 1e6:.2f} MB" for side in (figures.ours, figures.bare)]
    console.print(f"transferred until the first output: {sent[0]}, bare page {sent[1]} (budget 6.0)")
    most = {name: max(figures.ours[name]) for name in ("task", "click", "flooded", "heap")}
    console.print(f"longest task of the interface from Run to output: {most['task']:.0f} ms (budget 50)")
    console.print(
        f"during `while True: print(1)`: slowest click {most['click']:.0f} ms (budget 200), "
        f"longest task {most['flooded']:.0f} ms, the page's heap {most['heap'] / 1e6:.0f} MB"
    )


def spread(values: Sequence[float]) -> str:
    return f"{statistics.median(values):.0f} ({min(values):.0f} to {max(values):.0f})"


def options(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.start", description=__doc__)
    parser.add_argument("--site", type=Path, default=ROOT / "dist", help="a built site (default: dist/)")
    parser.add_argument("--rounds", type=int, default=7, help="measurements of each figure (default: 7)")
    parser.add_argument("--no-slow", action="store_true", help="leave the 20 Mbit/s line out")
    return parser.parse_args(words)


def main() -> None:
    chosen = options()
    if not (chosen.site / LESSON).is_dir():
        raise SystemExit(f"There is no built site in {chosen.site}; run `python build.py` first.")
    console, figures = Console(width=110), Figures()
    npm = ROOT / "static/node_modules/pyodide"
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        bare = Path(folder)
        write_bare_page(bare, npm=npm, cache=cache_folder(), console=console)
        chromium = find_chromium(Path(playwright.chromium.executable_path))
        bench = Bench(playwright, chromium, chosen.site, bare, figures)
        for number in range(chosen.rounds):
            console.print(f"round {number + 1} of {chosen.rounds}")
            bench.round(slow=not chosen.no_slow)
    report(figures, console)


if __name__ == "__main__":
    main()
