"""A reader who runs nothing: what is there without JavaScript, what is fetched, and what a phone shows."""

from __future__ import annotations

import json
import re
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.visit import Visit, visiting
from tests.project import ROOT, build
from tests.site_server import SiteServer

LESSON = "31-multi-head-attention/"
PAGES = [LESSON, "30-scaled-dot-product-attention/", "90-reference/", ""]
PAGE_WEIGHT = 150_000
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 3,
    "is_mobile": True,
    "has_touch": True,
}


def scroll_to_the_end(visit: Visit) -> None:
    """Scroll one screen at a time, as a reader does, letting each screen be painted."""
    visit.page.evaluate(
        """async () => {
          const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
          for (let y = 0; y < document.documentElement.scrollHeight; y += innerHeight) {
            scrollTo({ top: y, behavior: "instant" });
            await painted();
          }
        }"""
    )
    visit.page.wait_for_load_state("networkidle")


def test_without_javascript_the_lesson_is_complete(browser: Browser, server: SiteServer) -> None:
    with visiting(browser, server, LESSON, java_script_enabled=False) as visit:
        page = visit.page
        expect(page.get_by_role("heading", level=1)).to_have_text("Multi-head attention")
        expect(page.get_by_text("A single head has one softmax for each query")).to_be_visible()
        expect(page.locator("math").first).to_be_visible()
        expect(visit.cell("multi-head").get_by_text("def multi_head_attention")).to_be_visible()
        expect(visit.output("heads")).to_contain_text("(4, 12, 12)")
        expect(page.locator('heat-map[name="heads"] svg:visible').first).to_be_visible()
        question = page.locator('quiz-card[name="why-split"]')
        expect(question.get_by_text("Why split attention into multiple heads")).to_be_visible()
        for answer in question.locator("label").all():
            expect(answer).to_be_visible()
        question.locator("summary").click()
        expect(question.locator('[data-feedback-for="1"]')).to_be_visible()
        visit.assert_untroubled()


def test_reading_to_the_end_fetches_no_runtime(browser: Browser, server: SiteServer) -> None:
    before = len(server.requests)
    with visiting(browser, server, LESSON) as visit:
        scroll_to_the_end(visit)
        expect(visit.page.locator("html")).to_have_attribute("data-runtime", "idle")
        visit.assert_untroubled()
    fetched = server.requests[before:]
    assert [request.path for request in fetched if request.path.startswith("runtime/")] == []
    assert [request.path for request in fetched if request.status != 200] == []
    assert sum(request.sent for request in fetched) <= PAGE_WEIGHT


def test_only_a_pointer_that_comes_to_rest_on_run_starts_python(browser: Browser, server: SiteServer) -> None:
    with visiting(browser, server, LESSON) as visit:
        run = visit.page.locator("button[data-action=run]")
        box = run.first.bounding_box()
        assert box
        visit.page.mouse.move(box["x"] + box["width"] / 2, 400)
        for _ in range(40):  # buttons pass beneath the pointer, which does not move
            visit.page.mouse.wheel(0, 150)
            visit.page.evaluate("() => new Promise(requestAnimationFrame)")
        visit.page.wait_for_function("() => scrollY > 4000")
        expect(visit.page.locator("html")).to_have_attribute("data-runtime", "idle")
        run.nth(2).hover()
        expect(visit.page.locator("html")).not_to_have_attribute("data-runtime", "idle")


@pytest.mark.parametrize("path", PAGES)
def test_a_phone_never_scrolls_sideways(browser: Browser, server: SiteServer, path: str) -> None:
    with visiting(browser, server, path, **PHONE) as visit:
        scroll_to_the_end(visit)
        wide = visit.page.evaluate(
            """() => [document.documentElement, document.body]
                 .map((element) => element.scrollWidth).filter((width) => width > innerWidth)"""
        )
        assert wide == []


@pytest.mark.parametrize("path", [*PAGES, "notices/"])
def test_every_link_inside_the_site_leads_somewhere(browser: Browser, server: SiteServer, path: str) -> None:
    with visiting(browser, server, path) as visit:
        links = visit.page.locator("a[href]").evaluate_all("links => links.map((link) => link.href)")
        for url in {link.split("#")[0] for link in links if link.startswith(server.origin)}:
            assert visit.page.request.get(url).status == 200, url
        fragments = [link.split("#")[1] for link in links if link.startswith(visit.url + "#")]
        for fragment in fragments:
            expect(visit.page.locator(f'[id="{fragment}"]')).to_be_attached()


def test_the_not_found_page_works_at_any_depth_when_the_base_is_known(
    browser: Browser, tmp_path: Path
) -> None:
    build(tmp_path / "dist", "--base", "/course/site/")
    with (
        closing(SiteServer(tmp_path / "dist")) as server,
        visiting(browser, server, "no/such/page/") as visit,
    ):
        visit.page.get_by_role("main").get_by_role("link").first.click()
        visit.page.wait_for_url(server.url)
        assert [request.path for request in server.requests if request.status != 200] == ["no/such/page/"]


def test_the_readme_states_the_sizes_that_are_measured(browser: Browser, server: SiteServer) -> None:
    before = len(server.requests)
    with visiting(browser, server, LESSON) as visit:
        scroll_to_the_end(visit)
        page = sum(request.sent for request in server.requests[before:])
        before = len(server.requests)
        visit.editor("counts")
        editor = sum(request.sent for request in server.requests[before:])
        data = json.loads(visit.page.locator("#lesson-data").text_content() or "")
    first_run = sum(file["bytes"] for file in data["runtime"]["files"])
    table = (ROOT / "README.md").read_text(encoding="utf-8").split("<!-- sizes")[1].split("\n\n")[0]
    units = {"kB": 1e3, "MB": 1e6}
    stated = [float(size) * units[unit] for size, unit in re.findall(r"\| ([\d.]+) (kB|MB) \|", table)]
    assert stated == [pytest.approx(size, rel=0.1) for size in (page, first_run, editor)]


PLACES = (
    "() => [...document.querySelectorAll('h2, h3, h4')].map((h) => h.getBoundingClientRect().top + scrollY)"
)
SEEN = "document.querySelector('code-cell[name=counts] pre').checkVisibility({ contentVisibilityAuto: true })"


@pytest.mark.parametrize("options", [{}, PHONE], ids=["desk", "phone"])
def test_cells_far_from_the_view_are_passed_over_while_python_works_and_nothing_moves(
    browser: Browser, server: SiteServer, options: dict[str, Any]
) -> None:
    with visiting(browser, server, LESSON, **options) as visit:
        page = visit.page
        page.locator("code-cell:not([data-sized])").first.wait_for(state="detached")
        page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
        page.wait_for_function(SEEN)  # a picture of the whole page has all of it
        page.evaluate("document.documentElement.dataset.runtime = 'running'")
        page.wait_for_function(f"!{SEEN}")
        passed_over = page.evaluate(PLACES)
        page.add_style_tag(content="code-cell { content-visibility: visible !important }")
        assert len(passed_over) > 10
        assert page.evaluate(PLACES) == pytest.approx(passed_over, abs=1)

        page.emulate_media(media="print")
        page.evaluate("document.head.lastElementChild.remove()")
        page.wait_for_function(SEEN)
        visit.assert_untroubled()
