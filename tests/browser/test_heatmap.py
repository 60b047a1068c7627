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
