"""input(): a field in the cell's output, where the browser can suspend Python; Stop works while it waits."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.visit import BOOT_MS, Visit


def test_a_cell_asks_and_goes_on_with_the_answer(lesson: Visit) -> None:
    lesson.write("sentence", "for i in range(2):\n    name = input(f'Name {i}? ')\nprint('Hello', name)")
    lesson.page.keyboard.press("ControlOrMeta+Enter")
    for i, name in enumerate(("Ada", "Grace")):
        field = lesson.output("sentence").get_by_label(f"Name {i}?")
        expect(field).to_be_focused(timeout=BOOT_MS)
        expect(lesson.cell("sentence")).to_have_attribute("data-state", "running")
        field.fill(name)
        field.press("Enter")
    lesson.ends("sentence", "done")
    expect(lesson.output("sentence")).to_have_text("Name 0? Ada\nName 1? Grace\nHello Grace\n")
    expect(lesson.output("sentence").locator("form")).to_have_count(0)


def test_tasks_that_ask_at_once_are_answered_one_after_the_other(lesson: Visit) -> None:
    ask = "async def ask(what):\n    return what + input(what + '? ')"
    lesson.write("counts", f"import asyncio\n{ask}\nawait asyncio.gather(ask('one'), ask('two'))")
    lesson.page.keyboard.press("ControlOrMeta+Enter")
    for what in ("one", "two"):
        field = lesson.output("counts").get_by_label(f"{what}?")
        expect(lesson.output("counts").locator("form")).to_have_count(1, timeout=BOOT_MS)
        field.fill(f" {what}")
        field.press("Enter")
    lesson.ends("counts", "done")
    expect(lesson.output("counts").locator(".value")).to_have_text("['one one', 'two two']")


def test_stop_works_while_a_cell_waits_and_answers_are_remembered(lesson: Visit) -> None:
    lesson.write("counts", "age = input('Age?')")
    lesson.page.keyboard.press("ControlOrMeta+Enter")
    expect(lesson.output("counts").get_by_label("Age?")).to_be_visible()
    lesson.button("counts", "stop").click()
    lesson.ends("counts", "error")
    expect(lesson.output("counts").locator("form")).to_have_count(0)
    expect(lesson.output("counts").locator(".restored")).to_contain_text(
        "what you had typed", timeout=BOOT_MS
    )
    lesson.write_and_run("counts", "name")
    expect(lesson.output("counts").locator(".value")).to_have_text("'Grace'")
