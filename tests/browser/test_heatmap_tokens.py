"""Tokens of every script in the heat map: each in its own direction, with room, special ones faint."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from lectern.notebook import AttentionMap

# Arabic and Hebrew with a mark at the end, Chinese, an emoji of five code points, and what BERT adds.
MIXED = ["[CLS]", "مرحبا!", "שלום?", "注意力", "👩‍👩‍👧", "hungry", "[SEP]"]
ARABIC = ["القطة", "جلست", "على", "السجادة"]

# The left edge of a character of an element's text, in pixels.
LEFT_OF = """(element, at) => {
  const text = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode();
  const range = document.createRange();
  range.setStart(text, at);
  range.setEnd(text, at + 1);
  return range.getBoundingClientRect().left;
}"""
TEXT_EDGE = """(label) => {
  const range = document.createRange();
  range.selectNodeContents(label);
  return Math.round(range.getBoundingClientRect().right);
}"""


@contextmanager
def showing(browser: Browser, dist: Path, tokens: list[str], width: int = 1280) -> Iterator[Page]:
    """A page with one head in which every token looks at the second one most."""
    n = len(tokens)
    weights = np.full((1, n, n), 0.4 / (n - 1))
    weights[..., 1] = 0.6
    page = browser.new_page(viewport={"width": width, "height": 900})
    try:
        page.set_content(AttentionMap(weights, tokens, script=dist / "embed/heat-map.js").to_html())
        expect(page.get_by_role("gridcell").first).to_be_attached()
        yield page
    finally:
        page.close()


@pytest.mark.parametrize(
    "place",
    [
        lambda page, i: page.locator(".hm-queries > span").nth(i),
        lambda page, i: page.locator(".hm-strip > span").nth(i),
        lambda page, i: page.locator(".hm-bars bdi", has_text=MIXED[i]),
    ],
    ids=["label", "sentence", "read-out"],
)
def test_a_mark_after_arabic_and_hebrew_stands_at_the_left(
    browser: Browser, dist: Path, place: Callable[[Page, int], object]
) -> None:
    with showing(browser, dist, MIXED) as page:
        page.locator("heat-map").evaluate("map => map.setAttribute('data-query', '0')")
        for index in (1, 2):
            element = place(page, index)
            mark, letter = (element.evaluate(LEFT_OF, at) for at in (len(MIXED[index]) - 1, 0))  # type: ignore[attr-defined]
            assert mark < letter


def test_labels_end_at_their_rows_and_mixed_tokens_keep_their_order(browser: Browser, dist: Path) -> None:
    with showing(browser, dist, MIXED) as page:
        ends = [label.evaluate(TEXT_EDGE) for label in page.locator(".hm-queries > span").all()]
        assert max(ends) - min(ends) <= 1
        boxes = [span.bounding_box() for span in page.locator(".hm-strip > span").all()]
        lefts = [box["x"] for box in boxes if box]
        assert lefts == sorted(lefts)


def test_an_arabic_sentence_runs_from_the_right(browser: Browser, dist: Path) -> None:
    with showing(browser, dist, ARABIC) as page:
        boxes = [span.bounding_box() for span in page.locator(".hm-strip > span").all()]
        lefts = [box["x"] for box in boxes if box]
        assert lefts == sorted(lefts, reverse=True)


def test_speech_names_tokens_as_they_are(browser: Browser, dist: Path) -> None:
    with showing(browser, dist, MIXED) as page:
        page.locator('[role="gridcell"][tabindex="0"]').focus()
        for _ in range(4):
            page.keyboard.press("ArrowDown")
        expect(page.locator("[aria-live]")).to_contain_text("query 👩‍👩‍👧, 5 of 7: مرحبا! 60 per cent")
        expect(page.get_by_role("row")).to_have_attribute("aria-label", "👩‍👩‍👧")


@pytest.mark.parametrize("width", [1280, 900, 390])
def test_ordinary_words_have_room_also_in_bold(browser: Browser, dist: Path, width: int) -> None:
    words = ["hungry", "mammoth", "www", "because", "注意力机制", "👩‍👩‍👧👍🏽"]
    with showing(browser, dist, words, width) as page:
        page.add_style_tag(content=".hm-queries > span, .hm-keys > span { font-weight: 600 !important }")
        cut = "labels => labels.filter((l) => l.scrollWidth > l.clientWidth).map((l) => l.textContent)"
        assert page.locator(".hm-queries > span, .hm-keys > span").evaluate_all(cut) == []


def test_special_tokens_step_back_when_asked_and_their_numbers_stay(browser: Browser, dist: Path) -> None:
    with showing(browser, dist, MIXED) as page:
        page.get_by_role("button", name="Compare, rescale, take along").click()
        shades = "canvas => canvas.toDataURL()"
        canvas = page.locator(".hm-matrix > canvas")
        before = canvas.evaluate(shades)
        page.get_by_label("Dim special tokens").check()
        expect(page.locator(".hm-keys > span[data-faint]")).to_have_text(["[CLS]", "[SEP]"])
        expect(page.get_by_role("grid")).to_have_attribute(
            "aria-label", "Head 1, special tokens dimmed: weights of queries (rows) over keys (columns)"
        )
        assert canvas.evaluate(shades) != before
        small = page.get_by_role("radiogroup", name="All heads").locator("canvas").first
        expect(page.locator(".hm-gallery .hm-kind").first).to_contain_text("bits")
        dimmed = small.evaluate(shades)
        page.get_by_label("Dim special tokens").uncheck()
        assert canvas.evaluate(shades) == before
        expect(page.locator(".hm-gallery .hm-kind").first).to_contain_text("bits")
        small = page.get_by_role("radiogroup", name="All heads").locator("canvas").first
        assert small.evaluate(shades) != dimmed


def test_a_vector_picture_gives_each_word_its_direction(browser: Browser, dist: Path) -> None:
    with showing(browser, dist, MIXED) as page:
        page.get_by_role("button", name="Compare, rescale, take along").click()
        with page.expect_download() as download:
            page.get_by_role("button", name="SVG").click()
        svg = ElementTree.fromstring(download.value.path().read_text("utf-8"))
    words = [text for text in svg.iter("{http://www.w3.org/2000/svg}text") if text.get("direction")]
    ends = {"rtl": ("start", "end"), "ltr": ("end", "start")}
    for place, text in enumerate(words):
        rtl = unicodedata.bidirectional((text.text or "")[0]) in ("R", "AL")
        assert text.get("direction") == ("rtl" if rtl else "ltr"), text.text
        assert text.get("text-anchor") == ends[text.get("direction", "")][place >= len(MIXED)]
    assert {text.get("direction") for text in words} == {"ltr", "rtl"}
    assert len(words) == 2 * len(MIXED)


def test_without_special_tokens_there_is_no_switch_for_them(browser: Browser, dist: Path) -> None:
    with showing(browser, dist, ARABIC) as page:
        page.get_by_role("button", name="Compare, rescale, take along").click()
        expect(page.get_by_label("Hide the first key")).to_be_visible()
        expect(page.get_by_label("Dim special tokens")).to_be_hidden()
