"""Runtime files that are missing, damaged or never arrive: named on the page, with a Retry that works."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.visit import BOOT_MS, Visit
from tests.site_server import Fault


@pytest.mark.parametrize(
    ("file", "fault"),
    [
        ("pyodide.asm.wasm", "missing"),
        ("python_stdlib.zip", "corrupt"),
        ("numpy-*.whl", "corrupt"),
    ],
)
def test_a_file_that_cannot_be_had_is_named_and_retry_works(
    fresh_lesson: Visit, file: str, fault: Fault
) -> None:
    page = fresh_lesson.page
    with fresh_lesson.server.fault(f"runtime/*/{file}", fault):
        fresh_lesson.button("sentence", "run").click()
        expect(page.locator("html")).to_have_attribute("data-runtime", "failed", timeout=BOOT_MS)
        expect(page.get_by_text(re.compile(file.replace("*", ".*"))).first).to_be_visible()
        expect(fresh_lesson.cell("sentence")).not_to_have_attribute("data-state", "running")
    retry(page)
    fresh_lesson.run("sentence")
    expect(fresh_lesson.output("sentence")).to_contain_text("(12, 64)")


def retry(page: Page) -> None:
    page.get_by_role("button", name="Retry").first.click()
    expect(page.locator("html")).to_have_attribute(
        "data-runtime", re.compile("ready|running"), timeout=BOOT_MS
    )
