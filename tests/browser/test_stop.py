"""Stop: the page answers, Python is there again, and so are the variables."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.browser.visit import BOOT_MS, Visit, visiting
from tests.site_server import SiteServer

ISOLATING = {"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp"}
ENDLESS = "print('on and on')\nwhile True:\n    pass"


def hang_and_stop(lesson: Visit, name: str = "counts") -> None:
    lesson.write(name, ENDLESS)
    lesson.page.keyboard.press("ControlOrMeta+Enter")
    expect(lesson.output(name)).to_contain_text("on and on")
    choice = lesson.page.locator('quiz-card[name="why-split"] input').nth(1)
    choice.check()
    expect(choice).to_be_checked()
    lesson.button(name, "stop").click()
    lesson.ends(name, "error")


def test_after_stop_the_variables_are_back_unless_the_student_declines(fresh_lesson: Visit) -> None:
    lesson = fresh_lesson
    lesson.write_and_run("multi-head", "import numpy as np\nkept = 6 * 7")
    lesson.write_and_run("sentence", "drawn = np.random.rand()\nprint('seen', kept)")
    hang_and_stop(lesson)
    note = lesson.output("counts").locator(".restored")
    expect(note).to_contain_text("Variables were restored by running 2 cells again.", timeout=BOOT_MS)
    expect(note).to_contain_text("sentence (random numbers without a seed)")
    expect(lesson.cell("sentence")).to_have_attribute("data-state", "done")
    expect(lesson.output("sentence")).to_have_text("seen 42")
    lesson.write_and_run("heads-add", "globals()['kept']")
    expect(lesson.output("heads-add").locator(".value")).to_have_text("42")

    note.get_by_role("button", name="Don’t restore").click()
    expect(note).to_contain_text("Variables are gone.")
    expect(lesson.cell("sentence")).to_have_attribute("data-state", "stale")
    lesson.write_and_run("heads-add", "'kept' in globals()")
    expect(lesson.output("heads-add").locator(".value")).to_have_text("False")

    lesson.page.reload()
    lesson.run("multi-head")
    hang_and_stop(lesson)
    expect(note).to_contain_text("Running 1 cell again would restore them.")
    note.get_by_role("button", name="Restore").click()
    expect(note).to_contain_text("Variables were restored by running 1 cell again.", timeout=BOOT_MS)
    lesson.assert_untroubled()


def test_an_isolated_page_stops_the_cell_and_keeps_python(browser: Browser, dist: Path) -> None:
    server = SiteServer(dist, headers=ISOLATING)
    try:
        with visiting(browser, server, "31-multi-head-attention/") as lesson:
            assert lesson.page.evaluate("crossOriginIsolated")
            lesson.write_and_run("multi-head", "kept = 6 * 7")
            hang_and_stop(lesson)
            expect(lesson.output("counts")).to_contain_text("All variables are kept")
            expect(lesson.cell("multi-head")).to_have_attribute("data-state", "done")
            lesson.write_and_run("heads-add", "kept")
            expect(lesson.output("heads-add").locator(".value")).to_have_text("42")

            lesson.write(
                "counts", "print('deaf')\nwhile True:\n    try:\n        while True: pass\n    except: pass"
            )
            lesson.page.keyboard.press("ControlOrMeta+Enter")
            expect(lesson.output("counts")).to_contain_text("deaf")
            lesson.button("counts", "stop").click()
            expect(lesson.output("counts")).to_contain_text("Python was restarted")
            expect(lesson.output("counts")).to_contain_text("Variables were restored", timeout=BOOT_MS)
            lesson.assert_untroubled()
    finally:
        server.close()
