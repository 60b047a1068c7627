"""The heat map before anything is run: heads, and rows pinned by mouse and by keyboard."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.visit import Visit


@pytest.fixture
def heat_map(lesson: Visit) -> Locator:
    return lesson.page.locator('heat-map[name="heads"]')


def test_it_is_drawn_before_anything_has_run(lesson: Visit, heat_map: Locator) -> None:
    expect(heat_map).to_be_visible()
    expect(lesson.page.locator("html")).to_have_attribute("data-runtime", "idle")
    assert lesson.frame("heads")["h"] == 4


def test_heads_switch_by_mouse_and_by_arrow_keys(lesson: Visit, heat_map: Locator) -> None:
    tabs = heat_map.get_by_role("tab")
    expect(tabs).to_have_count(4)
    tabs.nth(2).click()
    expect(heat_map).to_have_attribute("data-head", "2")
    expect(tabs.nth(2)).to_have_attribute("aria-selected", "true")
    lesson.page.keyboard.press("ArrowRight")
    expect(heat_map).to_have_attribute("data-head", "3")


def test_a_clicked_row_stays_when_the_pointer_leaves_and_the_head_changes(
    lesson: Visit, heat_map: Locator
) -> None:
    matrix = heat_map.locator(".hm-matrix")
    box = matrix.bounding_box()
    assert box
    row_of_are = tokens_of(lesson).index("are")
    matrix.click(position={"x": box["width"] / 2, "y": box["height"] * (row_of_are + 0.5) / 12})
    lesson.page.mouse.move(0, 0)
    expect(heat_map).to_have_attribute("data-pinned", "")
    expect(heat_map).to_have_attribute("data-query", str(row_of_are))
    heat_map.get_by_role("tab").nth(2).click()
    expect(heat_map).to_have_attribute("data-query", str(row_of_are))
    readout = heat_map.locator(".hm-readout")
    expect(readout).to_contain_text("are")
    expect(readout).to_contain_text("keys")  # the verb's subject, past the nearer noun


def test_a_row_is_pinned_and_let_go_by_keyboard(lesson: Visit, heat_map: Locator) -> None:
    keyboard = lesson.page.keyboard
    heat_map.locator('[role="gridcell"][tabindex="0"]').focus()
    keyboard.press("Escape")
    expect(heat_map).not_to_have_attribute("data-pinned", "")
    keyboard.press("ControlOrMeta+Home")
    keyboard.press("ArrowDown")
    expect(heat_map).to_have_attribute("data-query", "1")
    keyboard.press("Enter")
    expect(heat_map).to_have_attribute("data-pinned", "")
    keyboard.press("ArrowDown")
    expect(heat_map).to_have_attribute("data-query", "1")
    keyboard.press("Escape")
    expect(heat_map).not_to_have_attribute("data-pinned", "")


def tokens_of(lesson: Visit) -> list[str]:
    tokens: list[str] = lesson.frame("heads")["queryTokens"]
    return tokens
