"""The front page knows what its reader has done, and a page that is not there knows a way to one that is."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.browser.visit import visiting
from tests.site_server import SiteServer
from tests.workbench import COURSE, Bench, lesson

HEADS = "31-multi-head-attention"


def test_the_front_page_says_where_the_reader_was(browser: Browser, server: SiteServer) -> None:
    with visiting(browser, server) as visit:
        card = visit.page.locator(f'[data-slug="{HEADS}"]')
        facts = card.locator(".lesson-facts")
        before = facts.inner_text()
        assert "exercise" in before
        assert "question" in before
        visit.page.goto(f"{server.url}{HEADS}/")
        expect(visit.page.locator("quiz-card").first).to_be_visible()
        visit.page.goto(server.url)
        expect(facts).to_contain_text("You were here last. 0 of ")
        expect(facts).to_contain_text("read today")
        expect(visit.page.locator(".lesson-facts strong")).to_have_count(1)
        visit.assert_untroubled()


def test_a_mistyped_address_below_a_lesson_leads_back_to_it(tmp_path: Path, browser: Browser) -> None:
    bench = Bench(tmp_path)
    elsewhere = COURSE.replace("https://github.com/Owner/repo", "https://example.org/course")
    bench.write({"01-first/lesson.md": lesson(1)} | {"course.toml": elsewhere})
    bench.build()
    site = SiteServer(bench.out)
    try:
        with visiting(browser, site, "01-first/nothing/here.html") as visit:
            link = visit.page.get_by_role("link", name="A title")
            assert link.evaluate("a => a.href") == f"{site.url}01-first/"
            assert visit.page.get_by_role("link", name="all lessons").evaluate("a => a.href") == site.url
        with visiting(browser, site, "nothing") as visit:
            expect(visit.page.get_by_text("Shorten the address")).to_be_visible()
    finally:
        site.close()
