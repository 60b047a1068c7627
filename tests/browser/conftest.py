"""One Chromium for these tests, one static host per module, and visits that record what must not happen."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.browsers import NoBrowser, launch
from tests.browser.visit import Visit, visiting
from tests.site_server import SiteServer

collect_ignore = [] if sys.platform == "linux" else ["test_webkit.py"]  # WebKitGTK is Linux's


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Closed with this folder's last test: Playwright occupies the thread's event loop while it is open."""
    with sync_playwright() as playwright:
        try:
            chromium = launch(playwright)
        except NoBrowser as missing:
            pytest.fail(str(missing), pytrace=False)
        with chromium:
            yield chromium


@pytest.fixture(scope="module")
def server(dist: Path) -> Iterator[SiteServer]:
    site = SiteServer(dist)
    yield site
    site.close()


@pytest.fixture(scope="module")
def lesson(browser: Browser, server: SiteServer) -> Iterator[Visit]:
    """Lesson 31, shared by the tests of one module, so that Python starts once for all of them."""
    with visiting(browser, server, "31-multi-head-attention/") as visit:
        yield visit
        visit.assert_untroubled()


@pytest.fixture
def fresh_lesson(browser: Browser, server: SiteServer) -> Iterator[Visit]:
    """Lesson 31 in a new browser profile, for tests that need an untouched page."""
    with visiting(browser, server, "31-multi-head-attention/") as visit:
        yield visit
