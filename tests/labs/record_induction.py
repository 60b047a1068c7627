"""Train the two-layer models of the small language and record what their heads do.

`python tests/labs/record_induction.py SEED…` writes tests/labs/induction.json, with one entry for each seed
(0 to 4, unless some are named: the others stay). The weights of seed 0, the first and not the best, become
induction.npz in the lesson's folder. With `--heads 4` there are four heads in each layer; their record is
induction-4.json, and no weights are kept; with `--layers 1` there is one layer, and induction-1-layer.json.
A minute or two for each seed on one core.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "lessons/31-multi-head-attention"))

import induction

WEIGHTS = Path(induction.__file__).with_suffix(".npz")
FILE = Path(__file__).with_name("induction.json")
SEEDS = range(5)
SHIPPED = 2, 0
"""The heads and the seed of the model in the lesson's folder."""


def record(model: induction.Model) -> dict[str, Any]:
    """What the model does on held-out lines, whole and with each head removed."""
    lines = induction.held_out()
    whole = induction.measure(model, lines)
    heads = []
    for layer in range(len(model.params["layers"])):
        for head in range(model.h):
            left = induction.measure(model, lines, without=[(layer, head)])
            heads.append(
                {
                    "layer": layer + 1,
                    "head": head + 1,
                    "previous": _rounded(whole["previous"][layer, head]),
                    "induction": _rounded(whole["induction"][layer, head]),
                    "cost": _rounded(left["loss"] - whole["loss"]),
                    "right_without": _rounded(left["right"]),
                    "induction_left": _rounded(left["induction"][-1].max()),
                }
            )
    return {"loss": _rounded(whole["loss"]), "right": _rounded(whole["right"]), "heads": heads}


def _rounded(value: Any) -> float:
    return round(float(value), 3)


def file_of(h: int = SHIPPED[0], layers: int = induction.LAYERS) -> Path:
    """Where the record of models with so many layers and h heads in each is."""
    heads = "" if h == SHIPPED[0] else f"-{h}"
    return FILE.with_stem(FILE.stem + heads + ("" if layers == induction.LAYERS else f"-{layers}-layer"))


def main() -> None:
    parser = argparse.ArgumentParser(description="Train the two-layer models and record what their heads do.")
    parser.add_argument("--heads", type=int, default=SHIPPED[0], help="in each layer (default: %(default)s)")
    parser.add_argument("--layers", type=int, default=induction.LAYERS, help="(default: %(default)s)")
    parser.add_argument("seeds", nargs="*", type=int, default=list(SEEDS))
    wanted = parser.parse_args()
    file = file_of(wanted.heads, wanted.layers)
    for seed in wanted.seeds:
        model = induction.train(wanted.heads, seed=seed, layers=wanted.layers)
        if (wanted.heads, seed) == SHIPPED and wanted.layers == induction.LAYERS:
            flat = model.params.flat.astype(np.float16)
            np.savez_compressed(WEIGHTS, flat=flat, h=model.h)
            model = induction.load(str(WEIGHTS))  # what is shipped is what is measured
        known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        known[str(seed)] = record(model)
        text = ",\n".join(f' "{key}": {json.dumps(known[key])}' for key in sorted(known, key=int))
        file.write_text(f"{{\n{text}\n}}\n", encoding="utf-8")
        print(seed, known[str(seed)])


if __name__ == "__main__":
    main()
