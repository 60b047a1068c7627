"""Runtime files that are missing, damaged or never arrive: named on the page, with a Retry that works."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.visit import BOOT_MS, Visit
from tests.site_server import Fault

FAULTS: list[tuple[str, Fault, str]] = [
    ("pyodide.asm.wasm.zst", "missing", "404"),
    ("python.pack.zst", "corrupt", "arrived damaged"),
    ("pyodide.asm.mjs", "hang", "no data for 20 seconds"),
]
"""One after the other on one page: each is met by a Retry, and the last Retry meets a sound host again."""


def test_a_file_that_cannot_be_had_is_named_and_retry_works(fresh_lesson: Visit) -> None:
    runtime = fresh_lesson.page.locator("html")
    action = "run"
    for file, fault, says in FAULTS:
        with fresh_lesson.server.fault(f"runtime/*/{file}", fault):
            fresh_lesson.button("multi-head", action).click()
            expect(runtime).to_have_attribute("data-runtime", "loading")
            expect(runtime).to_have_attribute("data-runtime", "failed", timeout=BOOT_MS)
        expect(fresh_lesson.cell("multi-head")).to_have_attribute("data-state", "error")
        expect(fresh_lesson.output("multi-head")).to_contain_text(re.compile(file.replace("*", ".*")))
        expect(fresh_lesson.output("multi-head")).to_contain_text(says)
        action = "retry"

    fresh_lesson.button("multi-head", action).click()
    fresh_lesson.ends("multi-head", "done")
    fresh_lesson.run("sentence")
    expect(fresh_lesson.output("sentence")).to_contain_text("(12, 64)")
    fresh_lesson.assert_untroubled()


def test_a_host_that_gives_every_file_the_wrong_type_still_serves_lessons(fresh_lesson: Visit) -> None:
    with fresh_lesson.server.fault("runtime/*", "mistyped"):
        fresh_lesson.run("multi-head")
    fresh_lesson.assert_untroubled()
