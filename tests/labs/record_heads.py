"""Measure the heads of lesson 31's encoder: `python -m tests.labs.record_heads` writes its heads.json."""

from __future__ import annotations

import json

from tests.labs.real_encoder import FOLDER, load

FILE = FOLDER / "heads.json"


def main() -> None:
    from tests.labs.measured_heads import measure

    found = measure(load(), FOLDER / "sentences.txt")
    FILE.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
