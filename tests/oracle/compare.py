"""Where two recordings differ: text exactly, numbers (also those within text) within a tolerance."""

from __future__ import annotations

import math
import re
from typing import Any

_NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?")


def difference(old: Any, new: Any, tolerance: float, where: str = "") -> str | None:
    """A sentence on the first difference between two JSON values, or None."""
    if isinstance(old, dict) and isinstance(new, dict):
        if old.keys() != new.keys():
            return f"{where or 'top level'}: has {sorted(new)}, recorded {sorted(old)}"
        return _first(difference(old[key], new[key], tolerance, f"{where}/{key}") for key in old)
    if isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            return f"{where}: has {len(new)} entries, recorded {len(old)}"
        pairs = enumerate(zip(old, new, strict=True))
        return _first(difference(a, b, tolerance, f"{where}/{index}") for index, (a, b) in pairs)
    if isinstance(old, float) and isinstance(new, float | int):
        return None if close(old, new, tolerance) else f"{where}: is {new!r}, recorded {old!r}"
    if isinstance(old, str) and isinstance(new, str):
        same = _NUMBER.sub("#", old) == _NUMBER.sub("#", new) and all(
            close(float(a), float(b), tolerance)
            for a, b in zip(_NUMBER.findall(old), _NUMBER.findall(new), strict=True)
        )
        return None if same else f"{where}: is {new!r}, recorded {old!r}"
    return None if type(old) is type(new) and old == new else f"{where}: is {new!r}, recorded {old!r}"


def close(a: float, b: float, tolerance: float) -> bool:
    return math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance)


def _first(sentences: Any) -> str | None:
    return next((sentence for sentence in sentences if sentence), None)
