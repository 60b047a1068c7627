"""Exercises as a student meets them, in a small course: wrong in each promised way, and then right."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.browser.test_accessibility import THEMES, violations
from tests.browser.visit import BOOT_MS, Visit, visiting
from tests.project import ROOT, build
from tests.site_server import SiteServer

COURSE = ROOT / "tests/browser/exercises"
PATH = "01-exercises/"
RIGHT = "def double(x):\n    return x + x"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SiteServer]:
    out = tmp_path_factory.mktemp("exercises") / "dist"
    build(out, "--lessons", str(COURSE))
    site = SiteServer(out)
    yield site
    site.close()


@pytest.fixture(scope="module")
def shared(browser: Browser, server: SiteServer) -> Iterator[Visit]:
    """One browser profile for most of these tests: what it has fetched once, it keeps."""
    with visiting(browser, server, PATH) as visit:
        yield visit
        visit.assert_untroubled()


@pytest.fixture
def lesson(shared: Visit) -> Visit:
    """The page as a newcomer finds it."""
    shared.page.goto(shared.server.url)  # a page that is left may still save an edit
    shared.page.evaluate("localStorage.clear()")
    shared.page.goto(shared.url)
    return shared


@pytest.fixture
def fresh(browser: Browser, server: SiteServer) -> Iterator[Visit]:
    with visiting(browser, server, PATH) as visit:
        yield visit
        visit.assert_untroubled()


def feedback(visit: Visit, name: str) -> Locator:
    return visit.cell(name).locator("[data-feedback]")


def mark(visit: Visit, name: str) -> Locator:
    return visit.cell(name).locator(".exercise-mark")


def check(visit: Visit, name: str, verdict: str) -> Locator:
    """Press Check and see this verdict."""
    visit.button(name, "check").click()
    told = feedback(visit, name)
    expect(told).to_have_attribute("data-verdict", verdict, timeout=BOOT_MS)
    return told


def answer(visit: Visit, name: str, source: str, verdict: str) -> Locator:
    visit.write(name, source)
    return check(visit, name, verdict)


def promised() -> list[tuple[str, str, str]]:
    """Each mistake of the course: the exercise, what a student writes, and what they shall read."""
    text = (COURSE / PATH / "lesson.md").read_text(encoding="utf-8")
    mistakes = re.findall(r"```python mistake (\S+)\n# (.+)\n((?:.+\n)+)```", text)
    return [(name, source.rstrip("\n"), words.replace("`", "")) for name, words, source in mistakes]


def test_every_promised_mistake_gets_its_feedback_and_the_solution_passes(lesson: Visit) -> None:
    mistakes = promised()
    assert len(mistakes) == 5
    for name, source, words in mistakes:
        told = answer(lesson, name, source, "wrong")
        expect(told).to_contain_text(words)
        expect(lesson.cell(name)).to_have_attribute("data-state", "error")
        expect(mark(lesson, name)).to_be_hidden()
    expect(answer(lesson, "double", RIGHT, "right")).to_contain_text("Solved after 2 attempts")
    lesson.ends("double", "done")
    expect(mark(lesson, "double")).to_have_text("Solved")
    assert lesson.page.evaluate("document.activeElement.dataset.action") == "check"


def test_the_verdict_stands_in_a_polite_region_with_how_far_the_answer_came(lesson: Visit) -> None:
    told = feedback(lesson, "double")
    expect(told).to_have_attribute("role", "status")
    expect(check(lesson, "double", "wrong")).to_contain_text("Nothing came back. Is there a return?")
    assert told.get_by_text("expectations met").count() == 0
    answer(lesson, "double", "def double(x):\n    return x + 2", "wrong")
    expect(told).to_contain_text("2 of 3 expectations met")
    expect(told).to_contain_text("the last one came out as 7.0.")
    expect(told).to_contain_text("after numbers")
    expect(lesson.cell("numbers")).to_have_attribute("data-state", "idle")
    expect(lesson.output("double")).to_be_empty()


def test_leftovers_of_an_earlier_run_cannot_make_a_wrong_answer_pass(lesson: Visit) -> None:
    cheat = (
        "import builtins\nnp.array_equal = lambda *a: True\nbuiltins.double = np.double = lambda x: x + x\n"
    )
    answer(lesson, "double", RIGHT, "right")
    lesson.ends("double", "done")
    lesson.write_and_run("numbers", f"X = np.arange(6.0).reshape(2, 3)\n{cheat}")
    lesson.write("numbers", "X = np.arange(6.0).reshape(2, 3)")
    expect(answer(lesson, "double", "pass", "wrong")).to_contain_text("which your code does not define")
    answer(lesson, "double", "def double(x):\n    return x + 2", "wrong")
    answer(lesson, "double", "double = np.double", "wrong")
    expect(mark(lesson, "double")).to_have_text("Solved with another version")


def test_an_error_of_the_students_own_is_shown_as_in_any_cell(lesson: Visit) -> None:
    told = answer(lesson, "double", "def double(x):\n    y = x.doubled\n    return y", "error")
    expect(told).to_contain_text("Python stopped on line 2")
    fault = lesson.output("double").locator(".fault")
    expect(fault).to_contain_text("AttributeError")
    expect(fault).to_contain_text("The check had called double(X)")
    expect(lesson.cell("double").locator(".cell-code")).to_have_attribute("data-fault-line", "2")
    fault.locator("[data-action=go-to-line]").click()
    expect(lesson.cell("double").locator(".cm-content")).to_be_focused()
    answer(lesson, "double", "def double(x)", "error")
    expect(fault).to_contain_text("SyntaxError")


def test_a_check_that_breaks_is_told_apart_from_a_wrong_answer(lesson: Visit) -> None:
    told = answer(lesson, "brittle", "def seven():\n    return 8", "broken")
    expect(told).to_contain_text("The check itself failed")
    expect(told).to_contain_text("NameError: name 'raise_the_alarm' is not defined")
    expect(told).to_contain_text("a fault of the lesson, not yours")
    lesson.button("brittle", "solution").click()
    expect(lesson.cell("brittle").locator(".solution-shown")).to_contain_text("return 7")
    answer(lesson, "brittle", "def seven():\n    return 7", "right")


def test_a_needed_cell_that_fails_is_named_with_the_way_to_it(lesson: Visit) -> None:
    lesson.write("numbers", "X = np.arange(6).reshape(4, 4)")
    lesson.button("double", "check").click()
    fault = lesson.output("double").locator(".fault")
    expect(fault).to_contain_text("Not checked: it needs the cell numbers, which failed", timeout=BOOT_MS)
    expect(feedback(lesson, "double")).to_be_empty()
    fault.locator("[data-action=visit]").click()
    expect(lesson.cell("numbers").locator(".cm-content")).to_be_focused()


def test_stop_ends_a_check_that_never_would(lesson: Visit) -> None:
    lesson.write("double", "def double(x):\n    while True: pass")
    lesson.button("double", "check").click()
    expect(lesson.cell("double")).to_have_attribute("data-state", "running", timeout=BOOT_MS)
    lesson.button("double", "stop").click()
    expect(lesson.output("double").locator(".fault")).to_contain_text("Stopped")
    expect(feedback(lesson, "double")).to_be_empty()
    answer(lesson, "double", RIGHT, "right")


def test_after_a_pass_the_cells_below_use_the_answer(lesson: Visit) -> None:
    lesson.run("later")
    expect(lesson.output("later")).to_have_text("15.0")
    lesson.write("double", RIGHT)
    lesson.run("later")
    expect(lesson.output("later")).to_have_text("15.0")
    check(lesson, "double", "right")
    lesson.ends("double", "done")
    expect(lesson.cell("later")).to_have_attribute("data-state", "stale")
    lesson.run("later")
    expect(lesson.output("later")).to_have_text("30.0")


def test_the_solution_stands_in_for_an_exercise_that_another_builds_on(lesson: Visit) -> None:
    source = "def total(rows):\n    return sum(double(row).sum() for row in rows)"
    told = answer(lesson, "total", source, "right")
    expect(told).to_contain_text("The lesson’s solution of double stood in for yours.")
    expect(lesson.output("total")).to_have_text("")


def test_hints_open_one_by_one(lesson: Visit) -> None:
    first, second = lesson.cell("double").locator("summary").all()
    expect(second).to_be_hidden()
    first.click()
    expect(second).to_be_visible()
    first.click()
    expect(second).to_be_visible()
    second.click()
    expect(lesson.cell("double").locator(".hint-text math")).to_be_visible()


def test_the_solution_takes_a_try_or_a_second_click_and_loses_nothing(lesson: Visit) -> None:
    page, cell = lesson.page, lesson.cell("double")
    shown = cell.locator(".solution-shown")
    lesson.button("double", "solution").click()
    expect(cell.locator(".solution-asked")).to_be_visible()
    expect(shown).to_be_hidden()
    lesson.button("double", "try-first").click()
    expect(cell.locator(".solution-asked")).to_be_hidden()
    lesson.button("double", "solution").click()
    lesson.button("double", "give-up").click()
    expect(shown).to_contain_text("return 2 * x")
    expect(shown.locator(".k").first).to_have_text("def")
    lesson.button("double", "solution").click()
    expect(shown).to_be_hidden()

    mine = "def double(x):\n    return 3 * x  # mine"
    answer(lesson, "double", mine, "wrong")
    lesson.button("double", "solution").click()
    expect(cell.locator(".solution-asked")).to_be_hidden()
    lesson.button("double", "take-over").click()
    expect(lesson.button("double", "bring-back")).to_be_focused()
    assert lesson.source("double") == "def double(x):\n    return 2 * x"
    expect(check(lesson, "double", "right")).to_contain_text("write it from memory")
    page.reload()
    assert lesson.source("double") == "def double(x):\n    return 2 * x"
    lesson.button("double", "solution").click()
    lesson.button("double", "bring-back").click()
    expect(lesson.button("double", "take-over")).to_be_focused()
    assert lesson.source("double") == mine


def test_what_was_solved_is_known_after_a_reload_and_in_the_table_of_contents(lesson: Visit) -> None:
    page = lesson.page
    toc = page.locator(".toc")
    expect(toc).to_contain_text("Warm up○")
    answer(lesson, "double", RIGHT, "right")
    expect(toc).to_contain_text("Warm up✓")
    expect(toc).to_contain_text("1 of 1 exercise solved")
    expect(toc).to_contain_text("Build on it0/2")
    page.reload()
    expect(toc).to_contain_text("Warm up✓")
    lesson.cell("double").scroll_into_view_if_needed()
    expect(mark(lesson, "double")).to_have_text("Solved")
    lesson.write("double", RIGHT + "  # still")
    expect(mark(lesson, "double")).to_have_text("Solved with another version")
    lesson.write("double", RIGHT)
    expect(mark(lesson, "double")).to_have_text("Solved")


def test_a_pass_is_kept_and_not_claimed_again_when_a_cell_above_changes(lesson: Visit) -> None:
    answer(lesson, "double", "k = X.size\n" + RIGHT, "right")
    lesson.ends("double", "done")
    lesson.write("numbers", "X = np.arange(8.0).reshape(2, 4)")
    expect(lesson.cell("double")).to_have_attribute("data-state", "stale")
    expect(mark(lesson, "double")).to_have_text("Solved before a cell above changed")
    check(lesson, "double", "right")
    expect(mark(lesson, "double")).to_have_text("Solved")


def test_check_and_solution_are_in_the_page_only_as_data(fresh: Visit) -> None:
    page = fresh.page
    assert "2 * before" not in page.locator("body").inner_text()
    elsewhere = page.evaluate(
        "() => { const copy = document.documentElement.cloneNode(true);"
        " copy.querySelector('#lesson-data').remove(); return copy.outerHTML; }"
    )
    for secret in ("return 2 * x", "Nothing came back", "raise_the_alarm"):
        assert secret not in elsewhere
    cells = json.loads(page.locator("#lesson-data").text_content() or "")["cells"]
    assert {cell["name"] for cell in cells if "exercise" in cell} == {"double", "total", "brittle"}


def test_the_line_tells_the_size_before_python_is_loaded(fresh: Visit) -> None:
    button = fresh.button("double", "check")
    note = fresh.page.locator(f"#{button.get_attribute('aria-describedby')}")
    expect(note).to_have_text(re.compile(r"first run loads \d+\.\d MB"))


def test_an_exercise_works_by_keyboard_alone(fresh: Visit) -> None:
    page, keyboard = fresh.page, fresh.page.keyboard
    fresh.cell("double").locator("pre").first.focus()
    keyboard.press("Enter")
    expect(fresh.cell("double").locator(".cm-content")).to_be_focused()
    keyboard.press("ControlOrMeta+a")
    keyboard.insert_text("def double(x):\n    return x")
    keyboard.press("ControlOrMeta+Enter")
    expect(feedback(fresh, "double")).to_have_attribute("data-verdict", "wrong", timeout=BOOT_MS)
    keyboard.press("Escape")
    passed = []
    for _ in range(4):
        keyboard.press("Tab")
        passed.append(
            page.evaluate("document.activeElement.dataset.action ?? document.activeElement.textContent")
        )
    assert passed == ["check", "run", "Hint 1 of 2", "solution"]
    keyboard.press("Enter")
    expect(fresh.cell("double").locator(".solution-shown")).to_be_visible()
    expect(fresh.button("double", "solution")).to_be_focused()
    keyboard.press("Shift+Tab")
    keyboard.press("Enter")
    expect(fresh.cell("double").locator(".hint-text").first).to_be_visible()


def test_without_javascript_the_starter_is_readable_and_hints_open(
    browser: Browser, server: SiteServer
) -> None:
    with visiting(browser, server, PATH, java_script_enabled=False) as visit:
        cell = visit.cell("double")
        expect(cell.locator("code").first).to_contain_text("# Return an array of the same shape.")
        expect(cell.get_by_text("Checking an answer needs JavaScript")).to_be_visible()
        for hint in cell.locator("summary").all():
            hint.click()
        expect(cell.locator(".hint-text math")).to_be_visible()
        assert cell.get_by_role("button").count() == 0


def test_axe_finds_nothing_in_any_state(lesson: Visit) -> None:
    lesson.cell("double").locator("summary").first.click()
    answer(lesson, "double", "def double(x):\n    return x.y", "error")
    lesson.button("double", "solution").click()
    lesson.button("double", "take-over").click()
    lesson.button("total", "solution").click()
    answer(lesson, "brittle", "def seven():\n    return 8", "broken")
    for name, source, verdict in [
        ("total", "def total(rows):\n    return 1", "wrong"),
        ("double", RIGHT, "right"),
    ]:
        answer(lesson, name, source, verdict)
        for theme in THEMES:
            lesson.page.emulate_media(color_scheme=theme, reduced_motion="reduce")
            assert violations(lesson.page) == []
    lesson.page.emulate_media(color_scheme="light")


@pytest.mark.parametrize("width", [320, 390])
def test_an_exercise_fits_a_phone(lesson: Visit, width: int) -> None:
    size = lesson.page.viewport_size
    lesson.page.set_viewport_size({"width": width, "height": 800})
    answer(lesson, "double", "def double(x):\n    return x", "wrong")
    lesson.button("double", "solution").click()
    assert lesson.page.evaluate("document.documentElement.scrollWidth") <= width
    targets = lesson.cell("double").locator("button:visible, summary:visible").all()
    assert all((box := target.bounding_box()) and box["height"] >= 24 for target in targets)
    assert size
    lesson.page.set_viewport_size(size)
