"""The heat map before anything is run: heads, and rows pinned by mouse and by keyboard."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Position, expect

from tests.browser.visit import Visit


@pytest.fixture
def heat_map(lesson: Visit) -> Locator:
    return lesson.page.locator('heat-map[name="heads"]')


def test_it_is_drawn_before_anything_has_run(lesson: Visit, heat_map: Locator) -> None:
    expect(heat_map).to_be_visible()
    expect(lesson.page.locator("html")).to_have_attribute("data-runtime", "idle")
    assert lesson.frame("heads")["h"] == 4


@pytest.mark.parametrize("length", ["--hm-w", "--hm-h"])
def test_the_size_of_a_cell_is_worked_out_once_and_not_for_every_label(
    heat_map: Locator, length: str
) -> None:
    value = heat_map.locator(".hm-keys > span").first.evaluate(
        "(it, length) => getComputedStyle(it).getPropertyValue(length)", length
    )
    assert re.fullmatch(r"[\d.]+px", value)  # and not the formula


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


FEED = """(map, [h, nq, nk, label]) => {
    const tokens = (count) => Array.from({length: count}, (_, i) => `token ${i}`);
    map.frame = {
        version: 2, h, nq, nk, queryTokens: tokens(nq), keyTokens: tokens(nk), mask: null, scores: null,
        weights: Array(h).fill(Array(nq * nk).fill(1 / nk)), headLabels: label ? Array(h).fill(label) : null,
        checks: [],
    };
}"""


@pytest.mark.parametrize("shape", [(20, 4, 4), (1, 64, 64), (4, 4, 4)])
def test_the_picture_on_paper_has_its_cells_whatever_the_number(
    lesson: Visit, heat_map: Locator, shape: tuple[int, int, int]
) -> None:
    heat_map.evaluate(FEED, [*shape, None])
    lesson.page.emulate_media(media="print")
    drawn = heat_map.locator(".hm-still").evaluate("""svg => {
        const use = svg.querySelector("use");
        const cells = use ? document.getElementById(use.href.baseVal.slice(1)) : svg;
        return cells.querySelectorAll("path").length;
    }""")
    lesson.page.emulate_media(media="screen")
    assert drawn


@pytest.mark.parametrize("width", [320, 1280])
@pytest.mark.parametrize(
    ("shape", "label"),
    [((1, 3, 80), None), ((1, 5, 256), None), ((3, 4, 4), "x" * 200), ((20, 4, 4), "y" * 200)],
)
def test_a_wide_map_scrolls_in_its_own_box_and_not_the_page(
    lesson: Visit, heat_map: Locator, width: int, shape: tuple[int, int, int], label: str | None
) -> None:
    before = lesson.page.viewport_size
    assert before
    lesson.page.set_viewport_size({"width": width, "height": 800})
    heat_map.evaluate(FEED, [*shape, label])
    root = lesson.page.locator("html")
    assert root.evaluate("root => root.scrollWidth - root.clientWidth") == 0
    lesson.page.set_viewport_size(before)


def test_only_the_long_axis_thins_out_its_labels(lesson: Visit, heat_map: Locator) -> None:
    before = lesson.page.viewport_size
    assert before
    lesson.page.set_viewport_size({"width": 320, "height": 800})
    heat_map.evaluate(FEED, [1, 3, 60, None])
    for axis, count in (("queries", 3), ("keys", 15)):
        expect(heat_map.locator(f".hm-{axis} > span:visible")).to_have_count(count)
    lesson.page.set_viewport_size(before)


STAGES = """map => {
    const [n, tokens] = [3, ["a", "b", "c"]];
    map.frame = {
        version: 2, h: 2, nq: n, nk: n, queryTokens: tokens, keyTokens: tokens, headLabels: null,
        scores: [[1, 9, 9, -2, 1.5, 9, 0, 3, 4], [0, 0, 0, 0, 0, 0, 0, 0, 0]],
        weights: [[1, 0, 0, 0.03, 0.97, 0, 0.013, 0.265, 0.721], [1, 0, 0, 0.5, 0.5, 0, 0.33, 0.33, 0.33]],
        mask: [0, 1, 1, 0, 0, 1, 0, 0, 0], checks: [],
    };
}"""


def test_scores_and_mask_stand_beside_the_weights_and_are_read_together(heat_map: Locator) -> None:
    heat_map.evaluate(STAGES)
    expect(heat_map.locator(".hm-stage-name b")).to_have_text(["scores", "masked", "weights"])
    scores = heat_map.locator('[data-stage="scores"] .hm-matrix')
    box = scores.bounding_box()
    assert box
    scores.hover(position={"x": box["width"] / 6, "y": box["height"] / 2})
    expect(heat_map).to_have_attribute("data-query", "1")
    expect(heat_map.locator(".hm-value")).to_have_text("b → ascore −2.00 → weight0.030")
    expect(heat_map.locator(".hm-spot:visible")).to_have_count(2)
    heat_map.get_by_role("tab").nth(1).click()
    expect(scores.locator("path")).to_have_count(0)  # the second head's scores are all zero, the page


def test_a_column_is_read_by_the_word_above_it(lesson: Visit, heat_map: Locator) -> None:
    heat_map.evaluate(STAGES)
    heat_map.get_by_role("tab").first.click()
    keys = heat_map.locator(".hm-plot > .hm-keys")
    box = keys.bounding_box()
    assert box
    foot_of_the_word = Position(x=box["width"] / 2, y=box["height"] - 3)
    keys.click(position=foot_of_the_word)
    expect(heat_map).to_have_attribute("data-key", "1")
    lesson.page.mouse.move(0, 0)
    expect(heat_map.locator(".hm-title")).to_contain_text("Key b (2 of 3) is attended to by")
    expect(heat_map.locator(".hm-sum")).to_have_text("Sums to 1.24 over 3 rows: only rows have to sum to 1.")
    keys.click(position=foot_of_the_word)
    expect(heat_map).not_to_have_attribute("data-pinned", "")


@pytest.mark.parametrize(("heads", "chooser"), [(4, "[role=tab]"), (20, "select")])
def test_the_focus_on_a_head_outlasts_a_new_picture(heat_map: Locator, heads: int, chooser: str) -> None:
    heat_map.evaluate(FEED, [heads, 4, 4, None])
    heat_map.locator(chooser).first.focus()
    heat_map.evaluate(FEED, [heads, 4, 4, None])
    expect(heat_map.locator(f"{chooser}:focus")).to_have_count(1)


def tokens_of(lesson: Visit) -> list[str]:
    tokens: list[str] = lesson.frame("heads")["queryTokens"]
    return tokens


def test_pointing_at_a_number_of_the_shape_marks_what_it_counts(lesson: Visit) -> None:
    heat_map = lesson.page.locator('heat-map[name="heads"]')
    numbers = heat_map.locator("[data-axis]")
    sizes = heat_map.evaluate("({frame: {h, nq, nk}}) => [h, nq, nk]")
    assert numbers.all_text_contents() == [str(size) for size in sizes]
    counted = (".hm-heads", ".hm-queries", ".hm-plot > .hm-keys")
    for number, part in zip(numbers.all(), counted, strict=True):
        number.hover()
        outlines = [
            heat_map.locator(other).first.evaluate("e => getComputedStyle(e).outlineStyle")
            for other in counted
        ]
        assert outlines == ["solid" if other == part else "none" for other in counted]


CORNER = """(canvas) => {  // the last key of the first query: no weight, so the page's own colour
    const [r, g, b] = canvas.getContext("2d").getImageData(canvas.width - 8, 8, 1, 1).data;
    return [r, g, b].join();
}"""


def test_a_picture_follows_the_theme_also_out_of_sight(lesson: Visit, heat_map: Locator) -> None:
    canvas = heat_map.locator(".hm-matrix canvas")
    heat_map.scroll_into_view_if_needed()
    lesson.page.wait_for_function(f"(canvas) => ({CORNER})(canvas) !== '0,0,0'", arg=canvas.element_handle())
    light = canvas.evaluate(CORNER)
    lesson.page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
    lesson.page.wait_for_function("scrollY === 0")
    theme = lesson.page.locator("[data-action=theme]")
    theme.click()
    theme.click()
    expect(lesson.page.locator("html")).to_have_attribute("data-theme", "dark")
    heat_map.scroll_into_view_if_needed()
    lesson.page.wait_for_function(
        f"(canvas) => ({CORNER})(canvas).split(',').every((channel) => channel < 100)",
        arg=canvas.element_handle(),
    )
    theme.click()
    lesson.page.wait_for_function(
        f"(canvas) => ({CORNER})(canvas) === '{light}'", arg=canvas.element_handle()
    )
