"""The course's switch for snapshots of Python; tests/browser/test_snapshot.py has what they do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.workbench import COURSE, Bench, two_lessons


@pytest.mark.parametrize(("setting", "kept"), [("", True), ("snapshot = false\n", False)])
def test_a_course_can_forbid_snapshots_of_python(tmp_path: Path, setting: str, kept: bool) -> None:
    bench = Bench(tmp_path)
    bench.write({**two_lessons(), "course.toml": COURSE + setting})
    bench.build()
    html = bench.page("01-first/index.html")
    data = json.loads(html.split('id="lesson-data">')[1].split("</script>")[0])
    assert data["runtime"]["snapshot"] is kept
