"""Files that are missing, damaged or never arrive: named on a page that can be read, with a way on."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.visit import BOOT_MS, Visit, visiting
from tests.site_server import Fault, SiteServer

LESSON = "31-multi-head-attention/"
FAULTS: list[tuple[str, Fault, str]] = [
    ("pyodide.asm.wasm.zst", "missing", "404"),
    ("python.pack.zst", "corrupt", "arrived damaged"),
    ("lectern.pack.zst", "short", "arrived damaged"),
    ("pyodide.mjs.zst", "cut", "could not be fetched"),
    ("pyodide.mjs.zst", "gone", "could not be fetched"),
    ("pyodide.asm.mjs.zst", "hang", "no data for 20 seconds"),
    ("pyodide.asm.wasm.zst", "stall", "no data for 20 seconds"),
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


@pytest.mark.parametrize("fault", ["missing", "mistyped", "gone"])
def test_without_the_workers_script_the_cell_says_so_and_tries_again(
    fresh_lesson: Visit, fault: Fault
) -> None:
    with fresh_lesson.server.fault("assets/worker-*.js", fault):
        fresh_lesson.run("multi-head", ends="error")
        expect(fresh_lesson.output("multi-head")).to_contain_text("Python did not start. Reload the page")
    fresh_lesson.button("multi-head", "retry").click()
    fresh_lesson.ends("multi-head", "done")
    fresh_lesson.assert_untroubled()


@pytest.mark.parametrize("file", ["main-*.js", "chunk-*.js"])
@pytest.mark.parametrize("fault", ["missing", "mistyped", "cut"])
def test_without_its_script_a_page_can_be_read_and_says_what_to_do(
    browser: Browser, server: SiteServer, file: str, fault: Fault
) -> None:
    with visiting(browser, server) as visit:
        page = visit.page
        with server.fault(f"assets/{file}", fault):
            page.goto(server.url + LESSON)
            expect(page.get_by_role("alert")).to_contain_text("script did not arrive")
            expect(page.locator("html")).to_have_attribute("data-runtime", "failed")
            expect(visit.output("heads")).to_contain_text("(4, 12, 12)")
        page.get_by_role("button", name="Reload the page").click()
        expect(visit.button("multi-head", "run")).to_be_visible()
        expect(page.get_by_role("alert")).to_be_hidden()
        visit.assert_untroubled()


def test_in_a_sandboxed_frame_the_page_lives_and_a_run_says_why_it_cannot(
    browser: Browser, dist: Path
) -> None:
    # As GitHub Pages: without it, no script arrives in such a frame.
    headers = {"Access-Control-Allow-Origin": "*"}
    with closing(SiteServer(dist, headers=headers)) as host, visiting(browser, host) as visit:
        visit.page.set_content(f'<iframe sandbox="allow-scripts" src="{host.url}{LESSON}"></iframe>')
        cell = visit.page.frame_locator("iframe").locator('code-cell[name="multi-head"]')
        cell.locator('button[data-action="run"]').click()
        expect(cell.locator("[data-output]")).to_contain_text("Open the page in a tab of its own")
        expect(cell).to_have_attribute("data-state", "error")
        visit.assert_untroubled()


def test_the_remembered_theme_waits_for_no_script(browser: Browser, server: SiteServer) -> None:
    with visiting(browser, server) as visit:
        visit.page.evaluate("localStorage.setItem('lectern:theme', 'dark')")
        with server.fault("assets/*.js", "hang"):
            visit.page.goto(server.url + LESSON, wait_until="commit")
            expect(visit.page.locator("html")).to_have_attribute("data-theme", "dark")
            expect(visit.page.get_by_role("heading", level=1)).to_be_visible()
            assert not visit.page.evaluate("customElements.get('code-cell')")
