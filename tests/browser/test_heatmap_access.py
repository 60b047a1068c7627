"""The heat map by keyboard alone, and what a screen reader hears; narrow, enlarged, without motion."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.visit import Visit

SENTENCE = ["The", "animal", "did", "n't", "cross", "the", "street", "because", "it", "was", "too", "tired"]
IT, ANIMAL = SENTENCE.index("it"), SENTENCE.index("animal")

FEED = """(map, [tokens, query, key]) => {
    const n = tokens.length;
    const head = (at) => tokens.flatMap((_, q) =>
        tokens.map((_, k) => (q === query ? (k === at ? 0.56 : 0.04) : 1 / n)));
    map.frame = {
        version: 2, h: 4, nq: n, nk: n, queryTokens: tokens, keyTokens: tokens, headLabels: null, mask: null,
        weights: [head(0), head(1), head(key), head(3)], scores: null, checks: [],
    };
}"""


@pytest.fixture
def heat_map(lesson: Visit) -> Locator:
    heat_map = lesson.page.locator('heat-map[name="heads"]')
    heat_map.evaluate(FEED, [SENTENCE, IT, ANIMAL])
    return heat_map


def focused(lesson: Visit) -> tuple[str, str, dict[str, Any]]:
    """Role, name and properties of the element that has the focus, from the browser's accessibility tree."""
    session = lesson.page.context.new_cdp_session(lesson.page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    for node in nodes:
        properties = {p["name"]: p["value"].get("value") for p in node.get("properties", [])}
        if properties.get("focused") and node["role"]["value"] != "RootWebArea":
            return node["role"]["value"], node["name"]["value"], properties
    return "", "", {}


def test_head_three_the_query_it_and_its_top_key_are_found_and_heard_by_keyboard(
    lesson: Visit, heat_map: Locator
) -> None:
    keyboard, spoken = lesson.page.keyboard, heat_map.locator("[aria-live]")
    transcript: list[str] = []

    def hear() -> None:
        role, name, properties = focused(lesson)
        chosen = ", selected" if properties.get("selected") else ""
        transcript.append(f"{role} {name}{chosen}")

    heat_map.get_by_role("tab").first.focus()
    hear()
    keyboard.press("ArrowRight")
    keyboard.press("ArrowRight")
    hear()
    keyboard.press("Tab")  # the matrix is one stop
    keyboard.press("ControlOrMeta+Home")
    for word in SENTENCE[1 : IT + 1]:
        keyboard.press("ArrowDown")
        expect(heat_map.get_by_role("row")).to_have_attribute("aria-label", word)
    expect(spoken).to_have_text(
        "Head 3 of 4, query it, 9 of 12: animal 56 per cent, The 4 per cent, did 4 per cent"
    )
    keyboard.press("ArrowRight")
    expect(spoken).to_have_text("it to animal: 0.560")
    hear()
    keyboard.press("Enter")
    expect(heat_map).to_have_attribute("data-pinned", "")
    expect(spoken).to_contain_text("Pinned.")
    assert transcript == ["tab Head 1, selected", "tab Head 3, selected", "gridcell animal, 56 per cent"]
    expect(heat_map.get_by_role("grid")).to_have_attribute("aria-rowcount", "12")
    expect(heat_map.get_by_role("row")).to_have_attribute("aria-rowindex", "9")
    keyboard.press("Escape")


def test_a_column_is_read_by_keyboard_too(lesson: Visit, heat_map: Locator) -> None:
    heat_map.get_by_role("tab").nth(2).click()
    heat_map.locator('[role="gridcell"][tabindex="0"]').focus()
    keyboard = lesson.page.keyboard
    keyboard.press("ControlOrMeta+Home")
    keyboard.press("ArrowRight")
    keyboard.press("c")
    expect(heat_map.locator("[aria-live]")).to_contain_text("key animal, 2 of 12: attended to by it 56")
    expect(heat_map).to_have_attribute("data-key", "1")
    keyboard.press("c")
    expect(heat_map).to_have_attribute("data-query", "0")


@pytest.mark.parametrize("width", [320, 390])
def test_it_fits_a_narrow_screen_and_400_per_cent_zoom(lesson: Visit, heat_map: Locator, width: int) -> None:
    # 1280 px at 400 % are 320 px
    before = lesson.page.viewport_size
    assert before
    lesson.page.set_viewport_size({"width": width, "height": 700})
    heat_map.evaluate("map => map.setAttribute('data-query', '8')")
    root = lesson.page.locator("html")
    assert root.evaluate("root => root.scrollWidth - root.clientWidth") == 0
    for control in heat_map.get_by_role("tab").all():
        box = control.bounding_box()
        assert box
        assert min(box["width"], box["height"]) >= 24
    heat_map.evaluate("map => map.removeAttribute('data-query')")
    lesson.page.set_viewport_size(before)


def test_what_is_pressed_after_a_walk_by_keyboard_stays_below_the_pointer(
    lesson: Visit, heat_map: Locator
) -> None:
    before = lesson.page.viewport_size
    assert before
    lesson.page.set_viewport_size({"width": 390, "height": 700})
    tools = heat_map.get_by_role("button", name="Compare, rescale, take along")
    heat_map.locator('[role="gridcell"][tabindex="0"]').focus()
    expect(heat_map.locator(".hm-title")).to_be_visible()
    tools.click()
    expect(tools).to_have_attribute("aria-expanded", "true")
    expect(heat_map.locator(".hm-title")).not_to_be_visible()
    tools.click()
    lesson.page.set_viewport_size(before)


def test_without_motion_nothing_fades(lesson: Visit, heat_map: Locator) -> None:
    lesson.page.emulate_media(reduced_motion="reduce")
    duration = heat_map.locator(".hm-band").first.evaluate(
        "band => getComputedStyle(band).transitionDuration"
    )
    lesson.page.emulate_media(reduced_motion="no-preference")
    assert duration == "0s"
