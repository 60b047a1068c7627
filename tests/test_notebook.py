"""The heat map in a notebook: complete, whatever the tokens say, and the same frame as in a lesson."""

from __future__ import annotations

import base64
import html
import json
import re
from pathlib import Path

import numpy as np
import pytest

from lectern.frame import attention_frame
from lectern.notebook import AttentionMap

EYE = np.eye(2)


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "heat-map.js"
    path.write_text('"</script>"', encoding="utf-8")
    return path


def test_it_shows_itself_with_all_that_it_needs(script: Path) -> None:
    shown = AttentionMap(EYE, ["it", "</script><b>"], script=script)._repr_html_()
    page = html.unescape(re.search('srcdoc="([^"]*)"', shown)[1])  # type: ignore[index]
    assert page.count("</script>") == 2  # the frame's and the program's own ends
    frame = json.loads(re.search("data-frame>(.*?)</script>", page)[1])  # type: ignore[index]
    assert frame == attention_frame(EYE, ["it", "</script><b>"])
    assert 'sandbox="allow-scripts' in shown


def test_large_arrays_are_in_the_json_as_bytes(script: Path) -> None:
    weights = np.full((3, 100, 100), 0.01, dtype=np.float32)
    frame = json.loads(AttentionMap(weights, range(100), script=script).to_json())
    (stored,) = frame["buffers"]
    assert stored.startswith("f4:")
    assert np.array_equal(np.frombuffer(base64.b64decode(stored[3:]), np.float32), weights.ravel())


def test_without_the_script_it_says_where_that_comes_from(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"python build\.py"):
        AttentionMap(EYE, ["a", "b"], script=tmp_path / "none.js")


def test_what_does_not_fit_is_named_as_in_a_lesson(script: Path) -> None:
    with pytest.raises(ValueError, match="tokens has 1"):
        AttentionMap(EYE, ["a"], script=script)
