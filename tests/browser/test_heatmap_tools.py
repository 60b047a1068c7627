"""The tools below a heat map: other scales, comparing, all heads at a glance, and taking it along."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Position, expect

from tests.browser.visit import Visit, visiting
from tests.site_server import SiteServer


@pytest.fixture(scope="module")
def heat_map(lesson: Visit) -> Locator:
    heat_map = lesson.page.locator('heat-map[name="heads"]')
    heat_map.get_by_role("button", name="Compare, rescale, take along").click()
    return heat_map


def shown(heat_map: Locator) -> np.ndarray[tuple[int, int, int], np.dtype[np.float64]]:
    """The weights of the frame that is drawn, (h, nq, nk)."""
    frame = heat_map.evaluate("map => map.frame")
    return np.array(frame["weights"]).reshape(frame["h"], frame["nq"], frame["nk"])


def saved(heat_map: Locator, name: str) -> bytes:
    with heat_map.page.expect_download() as download:
        heat_map.get_by_role("button", name=name, exact=True).click()
    return Path(download.value.path()).read_bytes()


def test_every_scale_is_named_beside_the_legend(heat_map: Locator) -> None:
    scale, legend = heat_map.get_by_label("Scale"), heat_map.locator(".hm-plot > .hm-legend")
    names = set()
    for value in ("root", "row", "head", "lift", "linear"):
        scale.select_option(value)
        names.add(legend.inner_text().split("\n")[0])
    assert len(names) == 5
    expect(legend).to_contain_text("weight")


def test_each_head_is_put_into_words_with_its_measured_kind(heat_map: Locator) -> None:
    heat_map.locator("summary").click()
    lines = heat_map.locator(".hm-words > li")
    expect(lines).to_have_count(5)
    w = shown(heat_map)
    for head in range(4):
        start = rf"^Head {head + 1}, .*strongest .* → .*, {w[head].max():.2f}; entropy .*"
        expect(lines.nth(head)).to_contain_text(re.compile(start + r"; (\w+ )+\d+\u202f%\.$"))
    expect(lines.nth(4)).to_contain_text("the most pointed")
    heat_map.locator("summary").click()


def test_two_heads_are_compared_and_the_mean_says_that_it_is_one(heat_map: Locator) -> None:
    show = heat_map.get_by_label("Show")
    show.select_option("mean")
    expect(heat_map.get_by_role("grid")).to_have_attribute(
        "aria-label", "Mean of all 4 heads: weights of queries (rows) over keys (columns)"
    )
    show.select_option("1")
    expect(heat_map.get_by_role("grid")).to_have_attribute(
        "aria-label", "Head 1 − head 2: weights of queries (rows) over keys (columns)"
    )
    expect(heat_map.locator(".hm-plot > .hm-legend .hm-diverging")).to_be_visible()
    rows = list(csv.reader(io.StringIO(saved(heat_map, "CSV").decode())))
    w = shown(heat_map)
    assert np.abs(np.array(rows[1:])[:, 1:].astype(float) - (w[0] - w[1])).max() < 1e-6
    show.select_option("none")


def test_all_heads_are_shown_with_their_measured_kind_and_chosen_from(heat_map: Locator) -> None:
    cards = heat_map.get_by_role("radiogroup", name="All heads").get_by_role("radio")
    expect(cards).to_have_count(4)
    for index in range(4):
        expect(cards.nth(index)).to_contain_text("bits")
    cards.nth(2).click()
    expect(heat_map).to_have_attribute("data-head", "2")
    heat_map.page.keyboard.press("ArrowLeft")
    expect(heat_map).to_have_attribute("data-head", "1")
    expect(cards.nth(1)).to_be_focused()
    heat_map.get_by_role("tab").first.click()


def test_hiding_the_first_key_says_how_much_it_holds(heat_map: Locator) -> None:
    box = heat_map.get_by_label("Hide the first key")
    box.check()
    share = round(100 * shown(heat_map)[0, :, 0].mean())
    expect(heat_map.locator(".hm-hidden")).to_contain_text(f"holds {share}\u202f% of head 1")
    box.uncheck()
    expect(heat_map.locator(".hm-hidden")).to_be_empty()


def test_the_numbers_that_are_taken_along_and_read_are_those_of_the_array(heat_map: Locator) -> None:
    w = shown(heat_map)
    for head in (0, 3):
        heat_map.get_by_role("tab").nth(head).click()
        rows = list(csv.reader(io.StringIO(saved(heat_map, "CSV").decode())))
        assert np.array_equal(np.array(rows[1:])[:, 1:].astype(float).round(6), w[head])
        heat_map.evaluate("map => map.setAttribute('data-query', '4')")
        shares = heat_map.locator(".hm-bars > :not([data-none]) .hm-share").all_inner_texts()
        largest = np.sort(w[head, 4])[::-1][: len(shares)]
        assert [share.split("\u202f")[0] for share in shares] == [f"{100 * x:.0f}" for x in largest]
        heat_map.evaluate("map => map.removeAttribute('data-query')")
    heat_map.locator("summary").click()
    for head in range(4):
        cells = heat_map.locator(".hm-table").nth(head).locator("td").all_inner_texts()
        assert cells == [f"{x:.2f}" for x in w[head].ravel()]
    heat_map.locator("summary").click()
    heat_map.get_by_role("tab").first.click()


def test_it_is_taken_along_as_picture_and_as_frame(heat_map: Locator) -> None:
    assert saved(heat_map, "PNG").startswith(b"\x89PNG")
    svg = saved(heat_map, "SVG").decode()
    assert svg.startswith("<svg")
    assert svg.count("<rect") > 12
    assert json.loads(saved(heat_map, "JSON")) == heat_map.evaluate("map => map.frame")


def test_the_code_for_numpy_makes_the_same_array(lesson: Visit, heat_map: Locator) -> None:
    lesson.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    heat_map.get_by_role("button", name="NumPy code").click()
    expect(heat_map.get_by_role("status").last).to_have_text("The code is in the clipboard.")
    made: dict[str, np.ndarray[tuple[int, int], np.dtype[np.float64]]] = {}
    exec(lesson.page.evaluate("navigator.clipboard.readText()"), made)
    assert np.array_equal(made["weights"].round(6), shown(heat_map)[0])


def test_a_link_opens_the_same_head_and_row(
    lesson: Visit, heat_map: Locator, browser: Browser, server: SiteServer
) -> None:
    lesson.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    heat_map.get_by_role("tab").nth(2).click()
    heat_map.evaluate("map => map.setAttribute('data-query', '8')")
    heat_map.get_by_role("button", name="Link").click()
    expect(heat_map.get_by_role("status").last).to_have_text("The link is in the clipboard.")
    link = lesson.page.evaluate("navigator.clipboard.readText()")
    with visiting(browser, server, link.removeprefix(server.url)) as visit:
        opened = visit.page.locator('heat-map[name="heads"]')
        expect(opened).to_have_attribute("data-head", "2")
        expect(opened).to_have_attribute("data-query", "8")
        expect(opened.locator(".hm-title")).to_be_in_viewport()


def test_chosen_heads_stand_side_by_side_with_one_cursor(heat_map: Locator) -> None:
    heat_map.evaluate("map => map.removeAttribute('data-query')")
    add = heat_map.get_by_label("Side by side")
    for head in ("1", "3"):
        add.select_option(head)
    panels = heat_map.locator(".hm-multiples > figure")
    expect(panels.locator("b")).to_have_text([re.compile("^Head 2"), re.compile("^Head 4")])
    w, tokens = shown(heat_map), heat_map.evaluate("map => map.frame.keyTokens")
    matrix = panels.last.locator(".hm-matrix")
    box = matrix.bounding_box()
    assert box
    place: Position = {"x": box["width"] * 2.5 / 12, "y": box["height"] * 9.5 / 12}
    matrix.hover(position=place)  # the query at 9, the key at 2
    expect(heat_map).to_have_attribute("data-query", "9")
    for panel, index in zip(panels.all(), (1, 3), strict=True):
        row = list(w[index, 9])
        largest = row.index(max(row))
        expect(panel.locator("p")).to_contain_text(tokens[largest])
        expect(panel.locator("p")).to_contain_text(f"{100 * row[largest]:.0f}\u202f%")
        line, cell = (cross.bounding_box() for cross in panel.locator(".hm-cross").all())
        around = panel.locator(".hm-matrix").bounding_box()
        assert line
        assert cell
        assert around
        assert abs(line["y"] - around["y"] - around["height"] * 9 / 12) < 1
        assert abs(cell["x"] - around["x"] - around["width"] * 2 / 12) < 1
    matrix.click(position=place)
    expect(heat_map).to_have_attribute("data-pinned", "")
    matrix.click(position=place)
    heat_map.get_by_role("button", name="Remove head 2").click()
    heat_map.get_by_role("button", name="Remove head 4").click()
    expect(panels).to_have_count(0)
