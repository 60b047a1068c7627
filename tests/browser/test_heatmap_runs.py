"""Heat maps that a cell has drawn in the browser: large ones, and whatever is passed to `show_attention`."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.visit import Visit

LARGE = """
import numpy as np
draw = np.random.default_rng(0)
Q, K = draw.normal(size=(2, 20, 300, 16)).astype("float32")
Q[:, 1:] = 9 * K[:, :-1]  # each query looks for the key before it
show_attention(tokens=[f"token {i}" for i in range(300)], queries=Q, keys=K, mask="causal")
show_attention(np.full((2, 120, 100), 0.01), range(120), range(100))
"""

HOSTILE = """
import numpy as np
eye, nan, inf = np.eye(3), float("nan"), float("inf")
abc = ["a", "b", "c"]
tried = [
    (np.ones(3), abc), (1.0, abc), (np.ones((2, 1, 3, 3)), abc), (np.ones((0, 3)), abc), ([[1, 2], [3]], abc),
    (eye * 1j, abc), ([["a"]], ["x"]), (None, abc), (eye, ["a"]), (eye, "abc"), (eye, 3), (eye, None),
    (object(), abc), (np.array([[1, [2]]], dtype=object), abc), ({"a": 1}, abc), (np.ones((3, 3, 2)), abc),
    (np.broadcast_to(0.5, (96, 1024, 1024)), range(1024)), (eye, b"abc"),
    ([np.ones((2, 3, 3)), np.ones((2, 4, 4))], abc), (np.ones((1, 1, 1, 3, 3)), abc), (np.ones((3, 0)), abc),
    (np.array("2026-01-01", dtype="datetime64[D]"), abc), ([np.ones((2, 3, 3, 3))], abc), (eye[:1], abc),
    (eye[:, :2], abc), ([], abc), ("abc", abc), (np.ones((2, 3, 4)), list("abcd")), (eye, ["a", "b"]),
]
drawn = [
    np.full((3, 3), nan), np.full((3, 3), inf), -eye, 1e300 * eye, 5e-324 * eye, eye.astype("float16"),
    eye.astype(bool), eye.astype("int8"), eye[::-1, ::-1], np.asfortranarray(eye),
    np.ma.masked_array(eye, eye == 0),
]
sentences = 0
for weights, tokens in tried:
    try:
        show_attention(weights, tokens)
    except (TypeError, ValueError) as error:
        sentences += len(str(error)) > 20
for weights in drawn:
    show_attention(weights, ["", "</script><b>", "\\ud83d"])
(sentences, len(tried))
"""


def test_a_long_text_is_drawn_in_part_from_queries_and_keys(lesson: Visit) -> None:
    lesson.write_and_run("heads", LARGE)
    long, wide = (lesson.page.locator(f'heat-map[name="{name}"]') for name in ("heads", "heads-2"))
    grid = long.get_by_role("grid")
    expect(grid).to_have_attribute("aria-rowcount", "300")
    expect(long.get_by_role("gridcell")).to_have_count(48)
    expect(long.locator(".hm-overview")).to_contain_text("Queries 1–48 of 300")
    long.locator('[role="gridcell"][tabindex="0"]').focus()
    lesson.page.keyboard.press("ControlOrMeta+End")
    expect(long.locator(".hm-overview")).to_contain_text("Queries 253–300 of 300")
    expect(long.locator(".hm-title")).to_contain_text("Query token 299 (300 of 300)")
    expect(long.locator(".hm-bars li").first).to_contain_text("token 298")
    long.locator("select").select_option("19")
    expect(long.locator(".hm-bars li").first).to_contain_text("token 298")
    expect(wide.locator(".hm-note")).to_have_attribute("data-kind", "uniform")
    lesson.page.keyboard.press("Escape")


def test_earlier_runs_can_be_looked_at_again(lesson: Visit) -> None:
    heat_map = lesson.page.locator('heat-map[name="heads"]')
    slider = heat_map.get_by_role("slider")
    expect(slider).to_have_attribute("aria-valuetext", "heads, run 1 of 1")
    slider.press("Home")
    expect(slider).to_have_attribute("aria-valuetext", "heads, before the first run")
    assert lesson.frame("heads")["h"] == 4
    slider.press("End")
    assert lesson.frame("heads")["h"] == 20


def test_forty_hostile_inputs_get_a_sentence_or_a_picture_and_the_page_stands(lesson: Visit) -> None:
    lesson.write_and_run("heads", HOSTILE)
    expect(lesson.output("heads")).to_contain_text("(29, 29)")
    maps = lesson.page.locator("code-cell[name=heads] heat-map:not([stale])")
    expect(maps).to_have_count(11)
    for index in range(11):
        expect(maps.nth(index).locator("canvas")).to_be_visible()
    expect(maps.nth(0).locator(".hm-note")).to_contain_text("9 weights are not a number")
    expect(maps.nth(2).locator(".hm-note").first).to_contain_text("below 0")
