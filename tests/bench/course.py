"""How fast a large course is built and followed; `python -m tests.bench.course [LESSONS]` prints the figures.

Cells are run once, by a first course of one lesson. All lessons of the large one have the same cells, so
their recordings come from the cache, and what is timed is everything else.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.bench.generated import lesson_text, write_course
from tests.browser.browsers import launch
from tests.project import ROOT
from tests.serving import serving

EDITS = 5


def main() -> None:
    """Build, check and serve a generated course; print seconds."""
    lessons = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with tempfile.TemporaryDirectory() as folder:
        one, many, out = (Path(folder, name) for name in ("one", "many", "dist"))
        write_course(one, 1)
        write_course(many, lessons)
        _build("check", one)
        print(f"{lessons} lessons, {len(lesson_text(1, lessons).split()):,} words each")
        print(f"build in a new process, cells from the cache  {_build('build', many, '--out', out):6.1f} s")
        print(f"check in a new process, cells from the cache  {_build('check', many):6.1f} s")
        with sync_playwright() as playwright, launch(playwright) as browser, serving(many, out) as url:
            slug = "002-generated-lesson"
            page = browser.new_page()
            page.goto(f"{url}{slug}/")
            times = [_edit(many / slug / "lesson.md", page, n) for n in range(EDITS)]
            print(f"saved prose to the reloaded page, median of {EDITS}    {statistics.median(times):6.2f} s")
            print(f"                                  slowest         {max(times):6.2f} s")


def _build(command: str, lessons: Path, *out: str | Path) -> float:
    """Seconds that `python build.py COMMAND` takes in a process of its own."""
    started = time.monotonic()
    line = [sys.executable, "build.py", command, "--lessons", str(lessons), *map(str, out)]
    subprocess.run(line, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - started


def _edit(source: Path, page: Page, number: int) -> float:
    """Seconds from a save to the page that shows it."""
    text = source.read_text(encoding="utf-8")
    started = time.monotonic()
    source.write_text(f"{text}\nSaved {number}.\n", encoding="utf-8")
    page.get_by_text(f"Saved {number}.").wait_for(state="attached")
    return time.monotonic() - started


if __name__ == "__main__":
    main()
