"""What a lesson needs offline: a list that names every file by its content, and a switch for all of it."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.workbench import COURSE, Bench, lesson, two_lessons


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def list_of(bench: Bench, slug: str) -> dict[str, dict[str, str]]:
    html = bench.page(f"{slug}/index.html")
    data: dict[str, Any] = json.loads(html.split('id="lesson-data">')[1].split("</script>")[0])
    named = bench.page(data["offline"])
    assert hashlib.sha256(named.encode()).hexdigest()[:12] in data["offline"]
    files: dict[str, dict[str, str]] = json.loads(named)
    return files


def test_a_list_has_the_hash_of_every_file_that_a_lesson_may_load(bench: Bench) -> None:
    body = "Let $x$ be.\n\n![A plot](plot.png)\n\n```python run hello\nprint(1)\n```\n"
    bench.write({**two_lessons(), "01-first/lesson.md": lesson(1, body), "01-first/plot.png": "PNG"})
    bench.write({"01-first/data/points.csv": "1,2\n"})
    bench.build()
    site, files = bench.site(), list_of(bench, "01-first")
    both = files["needed"] | files["imported"] | files["further"]
    assert both == {path: hashlib.sha256(site[path]).hexdigest() for path in both}
    assert sorted(files["needed"]) == [
        "01-first/plot.png",
        "assets/chunk-0123abcd.js",
        "assets/main-0123abcd.css",
        "assets/main-0123abcd.js",
        "assets/worker-0123abcd.js",
    ]
    unlisted = {path for path in site.keys() - both.keys() if not path.endswith(".html")}
    own = {path for path in unlisted if not re.search(r"/offline-|^embed/", path)}
    assert own == {".nojekyll", "service-worker.js", "sitemap.xml"}


def test_lessons_without_files_of_their_own_share_a_list(bench: Bench) -> None:
    bench.write(two_lessons())
    bench.build()
    assert list_of(bench, "01-first") == list_of(bench, "02-second")
    assert len([path for path in bench.site() if "/offline-" in path]) == 1


def test_a_course_can_switch_it_off(bench: Bench) -> None:
    bench.write({**two_lessons(), "course.toml": COURSE + "offline = false\n"})
    bench.build()
    assert [path for path in bench.site() if "/offline-" in path] == []
    assert '"offline": null' in bench.page("01-first/index.html").replace('":null', '": null')
    assert "registration.unregister()" in bench.page("service-worker.js")
