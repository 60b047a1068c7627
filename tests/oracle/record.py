"""Record what PyTorch computes, for tests and lessons that must not need it: python tests/oracle/record.py

Needs the extra [oracle]. Writes two files in tests/oracle, which the ordinary tests read, and the
recorded.json of every lesson with `read` cells, which the build puts into the page. With --check it computes
everything anew, writes nothing, and exits with 1 and one sentence per file that differs.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np

# Run as a script, it sees neither `tests` nor the modules of lesson 31.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "lessons/31-multi-head-attention"))

from tests.oracle.compare import difference
from tests.oracle.read_cells import recording
from tests.oracle.torch_cards import gradient_cases
from tests.oracle.torch_cases import attention_cases

ROOT = Path(__file__).resolve().parents[2]
TOLERANCE = {
    "attention.json": 1e-6,  # single precision
    "gradients.json": 1e-9,  # double precision
    "recorded.json": 1e-4,  # numbers as printed
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Record what PyTorch computes.")
    parser.add_argument(
        "--check", action="store_true", help="compare with the recorded files and write nothing"
    )
    check = parser.parse_args().check
    wanted: dict[Path, Any] = {
        ROOT / "tests/oracle/attention.json": attention_cases(),
        ROOT / "tests/oracle/gradients.json": gradient_cases(),
    }
    for lesson in sorted((ROOT / "lessons").glob("*/lesson.md")):
        if content := recording(lesson.parent, lesson.relative_to(ROOT)):
            wanted[lesson.parent / "recorded.json"] = content
    faults = [fault for path, content in wanted.items() if (fault := _settle(path, content, check=check))]
    if faults:
        raise SystemExit("\n".join(faults))


def _settle(path: Path, content: Any, *, check: bool) -> str | None:
    """Write `content` to `path`, or say how the file there differs."""
    name, plain = path.relative_to(ROOT), _plain(content)
    if not check:
        path.write_text(_text(plain), encoding="utf-8")
        print(f"{name} written")
        return None
    if not path.exists():
        return f"{name}: not recorded yet; run python tests/oracle/record.py"
    found = difference(json.loads(path.read_text(encoding="utf-8")), plain, TOLERANCE[path.name])
    if not found:
        print(f"{name} agrees")
    return found and f"{name}: {found}; run python tests/oracle/record.py and look at the difference"


def _plain(value: Any) -> Any:
    """The same as JSON can say it: arrays as lists, NaN as null, float32 with no more digits than it has."""
    if isinstance(value, np.ndarray):
        return [_plain(item) for item in value]
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, np.floating):
        return float(str(value)) if np.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _text(value: Any) -> str:
    """JSON with one line per row of numbers, so that a changed number is a changed line in a diff."""
    text = json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False)
    flat = re.compile(r"\[(\n[^\[\]{}\"]*)\]")  # not what a string says: that has no line break of its own
    return flat.sub(lambda match: "[" + " ".join(match[1].split()) + "]", text) + "\n"


if __name__ == "__main__":
    main()
