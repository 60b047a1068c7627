"""Runtime files that are missing, damaged or never arrive: named on the page, with a Retry that works."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.visit import BOOT_MS, Visit
from tests.site_server import Fault


@pytest.mark.parametrize(
    ("file", "fault"),
    [
        ("pyodide.asm.wasm", "missing"),
        ("python_stdlib.zip", "corrupt"),
        ("numpy-*.whl", "hang"),
    ],
)
def test_a_file_that_cannot_be_had_is_named_and_retry_works(
    fresh_lesson: Visit, file: str, fault: Fault
) -> None:
    page, runtime = fresh_lesson.page, fresh_lesson.page.locator("html")
    with fresh_lesson.server.fault(f"runtime/*/{file}", fault):
        fresh_lesson.button("multi-head", "run").click()
        expect(runtime).to_have_attribute("data-runtime", "failed", timeout=BOOT_MS)
        expect(page.get_by_text(re.compile(file.replace("*", ".*"))).first).to_be_visible()
        expect(fresh_lesson.cell("multi-head")).to_have_attribute("data-state", "error")
    fresh_lesson.button("multi-head", "retry").click()
    expect(runtime).to_have_attribute("data-runtime", re.compile("ready|running"), timeout=BOOT_MS)
    fresh_lesson.ends("multi-head", "done")
    fresh_lesson.run("sentence")
    expect(fresh_lesson.output("sentence")).to_contain_text("(12, 64)")
