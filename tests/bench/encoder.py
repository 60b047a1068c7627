"""How long the encoder of lesson 31 takes in the page: `python build.py && python -m tests.bench.encoder`.

Prints, from Chromium on a plain static host on this machine: the run that fetches the model and shows 72
heads of a 12-token sentence, the runs of further sentences, the growth of Python's memory, and what einsum
saves.
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.browsers import launch
from tests.browser.visit import Visit, visiting
from tests.site_server import SiteServer

CELL, SPARE = "read-sentence", "counts"
SENTENCES = [
    f"The {animal} chased the mouse because it was hungry."
    for animal in ["dog", "cow", "fox", "owl", "bear", "wolf", "lion"]
]
HEAP = "import pyodide_js\npyodide_js._module.HEAPU8.length / 1e6"
PRODUCTS = """
import time
X = np.ones((32, 384), np.float32)
W = np.ones((1536, 384), np.float32)
def ms(product):
    product()
    start = time.perf_counter()
    for _ in range(20):
        product()
    return (time.perf_counter() - start) * 50
[round(ms(lambda: X @ W.T), 2), round(ms(lambda: np.einsum("ni,oi->no", X, W)), 2)]
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--site", type=Path, default=Path("dist"), help="a built site")
    site = SiteServer(parser.parse_args().site)
    with (
        sync_playwright() as playwright,
        launch(playwright) as browser,
        visiting(browser, site, "31-multi-head-attention/") as lesson,
    ):
        measure(lesson)
    site.close()


def measure(lesson: Visit) -> None:
    lesson.run("multi-head")
    before = float(value(lesson, HEAP))
    lesson.run(CELL)
    print(f"fetch 12.4 MB from this machine, and 72 heads of 12 tokens: {ms(lesson, CELL):.0f} ms")
    source = lesson.source(CELL)
    quoted = source.split('"')[1]
    times = []
    for sentence in SENTENCES:
        lesson.write_and_run(CELL, source.replace(quoted, sentence))
        times.append(ms(lesson, CELL))
    print(
        f"a further sentence: median {statistics.median(times):.0f} ms of {sorted(round(t) for t in times)}"
    )
    print(f"Python's memory: {float(value(lesson, HEAP)) - before:.0f} MB more")
    print(f"(32, 384) by (384, 1536): X @ W.T and einsum take {value(lesson, PRODUCTS)} ms")


def value(lesson: Visit, source: str) -> str:
    lesson.write_and_run(SPARE, source)
    return lesson.output(SPARE).locator(".value").inner_text()


def ms(lesson: Visit, name: str) -> float:
    """What the cell's line says of its latest run."""
    text = lesson.cell(name).locator(".note-text").inner_text()
    number, unit = text.removeprefix("Done in ").split(" ")[:2]
    return float(number) * {"ms": 1, "s": 1000}[unit.rstrip(",")]


if __name__ == "__main__":
    main()
