"""Train the cards task with fresh seeds in Pyodide, and count what falls into the recorded band.

`python -m tests.labs.repeat_cards H…` writes tests/labs/repeated.json: for each number of heads (all five,
unless some are named) the accuracy of 60 runs in Pyodide under Node, with seeds that record_cards.py has not
used. The band is the mean ± 2 standard deviations in cards.json. Twenty runs would not tell nine in ten from
eight in ten: one head ends elsewhere about once in forty times. Some twenty minutes in all.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from rich.console import Console

from sitebuilder.cache import cache_folder
from tests.bench.bare import write_bare_page
from tests.project import ROOT

LESSON = ROOT / "lessons/31-multi-head-attention"
FILE = Path(__file__).with_name("repeated.json")
HEADS = (1, 2, 4, 8, 16)
SEEDS = range(1000, 1060)
STEPS = 640

# Prints one line for each run: the number of heads, and the mean accuracy.
SCRIPT = """
import { readFileSync } from "node:fs";
const { loadPyodide, source, heads, seeds, steps } = JSON.parse(readFileSync(0, "utf8"));
const python = await (await import(loadPyodide)).loadPyodide({ stdout: () => {} });
await python.loadPackage("numpy", { messageCallback: () => {} });
python.FS.writeFile("cards.py", source);
python.runPython("import cards");
for (const h of heads)
  for (const seed of seeds) {
    const model = `cards.train(${h}, ${steps}, seed=${seed})`;
    console.log(h, python.runPython(`cards.accuracy(${model}).mean().item()`));
  }
"""


def train(heads: list[int]) -> dict[str, list[float]]:
    """The mean accuracy of every run, by number of heads."""
    with tempfile.TemporaryDirectory() as folder:
        write_bare_page(
            Path(folder),
            npm=ROOT / "static/node_modules/pyodide",
            cache=cache_folder(),
            console=Console(stderr=True),
        )
        request = {
            "loadPyodide": (Path(folder) / "pyodide/pyodide.mjs").as_uri(),
            "source": (LESSON / "cards.py").read_text(encoding="utf-8"),
            "heads": heads,
            "seeds": list(SEEDS),
            "steps": STEPS,
        }
        done = subprocess.run(
            ["node", "--input-type=module", "-e", SCRIPT],
            input=json.dumps(request),
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise SystemExit(done.stderr)
    runs: dict[str, list[float]] = {str(h): [] for h in heads}
    for line in done.stdout.splitlines():
        h, share = line.split()
        runs[h].append(round(float(share), 4))
    return runs


def within(runs: list[float], found: dict[str, Any]) -> int:
    """How many runs lie in the recorded mean ± 2 standard deviations; the record has three decimals."""
    return sum(abs(run - found["mean"]) <= 2 * found["sd"] + 0.0005 for run in runs)


def main() -> None:
    recorded = json.loads((LESSON / "cards.json").read_text(encoding="utf-8"))["short"]["heads"]
    for h in map(int, sys.argv[1:] or HEADS):
        known = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
        for key, runs in train([h]).items():
            known[key] = {"within": within(runs, recorded[key]), "runs": runs}
            print(f"h = {key}: {known[key]['within']} of {len(runs)} runs within the recorded mean ± 2 sd")
        text = ",\n".join(f' "{key}": {json.dumps(known[key])}' for key in sorted(known, key=int))
        FILE.write_text(f"{{\n{text}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
