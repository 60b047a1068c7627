"""The comparison of recordings: text exactly, numbers within a tolerance, and a sentence that says where."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.compare import difference


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ({"a": [1.0, None]}, {"a": [1.0 + 1e-9, None]}, None),
        ({"a": [1.0]}, {"a": [1.1]}, "/a/0: is 1.1, recorded 1.0"),
        ({"a": 1}, {"b": 1}, "top level: has ['b'], recorded ['a']"),
        ([1, 2], [1], ": has 1 entries, recorded 2"),
        ([1.0], [None], "/0: is None, recorded 1.0"),
        ([True], [1], "/0: is 1, recorded True"),
        ("loss 0.5000001 of 3", "loss 0.5 of 3", None),
        ("loss 0.5 of 3", "loss 0.6 of 3", ": is 'loss 0.6 of 3', recorded 'loss 0.5 of 3'"),
        ("same: True", "same: False", ": is 'same: False', recorded 'same: True'"),
    ],
)
def test_the_first_difference_is_named(old: Any, new: Any, found: str | None) -> None:
    assert difference(old, new, 1e-6) == found
