"""How long the encoder of lesson 31 takes in the page: `python build.py && python -m tests.bench.encoder`.

Prints, from Chromium on a plain static host on this machine:

- the run that fetches the model and shows 72 heads of a 12-token sentence;
- *a further sentence*: from the click on Run, of a cell that has been edited half a second before, until all
  72 maps are in the page, and until the frame that shows them is painted. Every sentence has 12 tokens. One
  whose words are all at hand counts; a word whose embedding has still to be fetched is told apart;
- where that time goes: in Python, by the worker's own clock, with the reader's `@` and with the plain one;
- the growth of Python's memory, and what einsum saves.

Median and best: on a machine that is busy elsewhere the best is nearer to the truth.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.browsers import launch
from tests.browser.visit import Visit, visiting
from tests.site_server import SiteServer

CELL, SPARE = "read-sentence", "counts"
ANIMALS = ["dog", "cow", "fox", "owl", "bear", "wolf", "lion"]
TIMES = 3  # each sentence; the words of the first time may have to be fetched
FURTHER = """
async (name) => {
  const cell = document.querySelector(`code-cell[name="${name}"]`);
  const start = performance.now();
  const map = cell.querySelector("heat-map");
  const there = new Promise((done) =>
    map.addEventListener("heat-map:frame", () => done(performance.now()), { once: true }));
  cell.querySelector("button[data-action=run]").click();
  const maps = (await there) - start;
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return { maps, painted: performance.now() - start };
}
"""
IDLE = "() => new Promise((done) => setTimeout(done, 500))"
PARTS = """
import time
from statistics import median
from lectern.frame import attention_frame

def parts(sentence="The dog chased the mouse because it was hungry.", times=15):
    def ms(work):
        spent = []
        for _ in range(times):
            start = time.perf_counter()
            work()
            spent.append(1000 * (time.perf_counter() - start))
        return f"{median(spent):.0f} (best {min(spent):.0f})"
    def plain(X, params, h):
        return multi_head_attention(X, {name: W.view(np.ndarray) for name, W in params.items()}, h)
    def forward():
        return [encoder.feed_forward(heads.states[0], layer) for layer in minilm.layers[:5]]
    heads = minilm(sentence)
    return ", ".join([
        f"tokens {ms(lambda: minilm.tokens(sentence))}",
        f"all 6 layers {ms(lambda: minilm(sentence, multi_head_attention))}",
        f"with NumPy's own X @ W {ms(lambda: minilm(sentence, plain))}",
        f"feed-forward of 5 layers {ms(forward)}",
        f"the frame {ms(lambda: attention_frame(list(heads.weights), heads.tokens))}",
    ])
print(parts())
"""
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
    heap = float(value(lesson, HEAP))
    lesson.run(CELL)
    print(f"fetch 12.4 MB from this machine, and 72 heads of 12 tokens: {ms(lesson, CELL):.0f} ms")
    source = lesson.source(CELL)
    quoted = source.split('"')[1]
    at_hand: list[dict[str, float]] = []
    new_word: list[dict[str, float]] = []
    for _ in range(TIMES):
        for animal in ANIMALS:
            sentence = f"The {animal} chased the mouse because it was hungry."
            lesson.write(CELL, source.replace(quoted, sentence))
            lesson.page.evaluate(IDLE)
            before = fetched(lesson)
            times = lesson.page.evaluate(FURTHER, CELL) | {"python": 0.0}
            lesson.ends(CELL, "done")
            times["python"] = ms(lesson, CELL)
            (at_hand if fetched(lesson) == before else new_word).append(times)
    told("a further sentence", at_hand)
    told("one with a word that is fetched", new_word)
    print(f"in Python, ms: {printed(lesson, PARTS)}")
    print(f"Python's memory: {float(value(lesson, HEAP)) - heap:.0f} MB more")
    print(f"(32, 384) by (384, 1536): X @ W.T and einsum take {value(lesson, PRODUCTS)} ms")


def fetched(lesson: Visit) -> int:
    """How many files of rare words the page has asked for."""
    return sum("/rare-" in request.path for request in lesson.server.requests)


def told(what: str, runs: Sequence[Mapping[str, float]]) -> None:
    for key, until in [
        ("maps", "72 maps in the page"),
        ("painted", "painted"),
        ("python", "the cell's own time"),
    ]:
        times = sorted(run[key] for run in runs)
        print(
            f"{what}, {until}: median {statistics.median(times):.0f} ms, best {times[0]:.0f}, "
            f"worst {times[-1]:.0f}, of {len(times)}"
        )


def printed(lesson: Visit, source: str) -> str:
    lesson.write_and_run(SPARE, source)
    return lesson.output(SPARE).inner_text().strip()


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
