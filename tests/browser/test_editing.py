"""Code that becomes an editor on intent, keeps what was typed, and lets the keyboard out again."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.visit import Visit

EDIT = "print('my own edit')"


def test_the_editor_is_fetched_only_when_somebody_means_to_edit(lesson: Visit) -> None:
    page = lesson.page
    expect(page.locator(".cm-editor")).to_have_count(0)
    assert not [path for path in lesson.server.paths() if "editor" in path]
    lesson.editor("counts")
    expect(page.locator(".cm-editor")).to_have_count(1)
    assert [path for path in lesson.server.paths() if "editor" in path]


def test_the_editor_shows_the_same_code(lesson: Visit) -> None:
    page = lesson.page
    static = lesson.cell("heads-add").locator(".cell-code code").text_content()
    lesson.editor("heads-add")
    page.keyboard.press("ControlOrMeta+a")
    lines = lesson.cell("heads-add").locator(".cm-line").all_text_contents()
    assert "\n".join(lines) == static


def test_tab_indents_and_escape_then_tab_leaves(lesson: Visit) -> None:
    editor = lesson.editor("counts")
    lesson.page.keyboard.press("Tab")
    expect(editor).to_be_focused()
    lesson.page.keyboard.press("ControlOrMeta+z")
    lesson.page.keyboard.press("Escape")
    lesson.page.keyboard.press("Tab")
    expect(editor).not_to_be_focused()


def test_enter_on_focused_code_opens_the_editor(lesson: Visit) -> None:
    lesson.cell("sentence").locator(".cell-code pre").focus()
    lesson.page.keyboard.press("Enter")
    expect(lesson.cell("sentence").locator(".cm-content")).to_be_focused()


def test_an_edit_survives_a_reload_and_reset_brings_the_lesson_back(lesson: Visit) -> None:
    lesson.write("counts", EDIT)
    lesson.page.reload()
    expect(lesson.cell("counts").locator(".cell-code")).to_contain_text(EDIT)
    expect(lesson.cell("counts").locator(".cell-code")).not_to_contain_text("def costs")

    lesson.button("counts", "reset").click()
    expect(lesson.cell("counts").locator(".cell-code")).to_contain_text("def costs")
    lesson.page.reload()
    expect(lesson.cell("counts").locator(".cell-code")).to_contain_text("def costs")
