"""axe-core finds nothing to object to (WCAG 2.2 A and AA) in any state of the pages, light or dark."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.visit import Visit, visiting
from tests.project import ROOT
from tests.site_server import SiteServer

AXE = ROOT / "static/node_modules/axe-core/axe.min.js"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
DEEP_ERROR = """def inner(scores):
    return scores @ np.ones((3, 5)) + "a long line, wider than any output box: it makes the traceback scroll"

def outer():
    print(np.arange(400).reshape(2, 200).tolist())
    return inner(np.ones((4, 4)))

outer()
"""
"""Wide output and frames of the student's own: what has to scroll sideways."""
THEMES: list[Literal["light", "dark"]] = ["light", "dark"]


def violations(page: Page) -> list[str]:
    """Each violation as one line: rule, what it is, and the first element concerned."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    result: dict[str, Any] = page.evaluate(
        "tags => axe.run({ runOnly: tags, resultTypes: ['violations'] })", TAGS
    )
    return [
        f"{v['id']}: {v['help']}: {v['nodes'][0]['failureSummary']} {v['nodes'][0]['html']}"
        for v in result["violations"]
    ]


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("path", ["", "31-multi-head-attention/", "notices/", "404.html"])
def test_pages_as_they_load(
    browser: Browser, server: SiteServer, path: str, theme: Literal["light", "dark"]
) -> None:
    with visiting(browser, server, path, color_scheme=theme) as visit:
        assert violations(visit.page) == []


def test_a_lesson_in_use(lesson: Visit) -> None:
    lesson.run("multi-head")
    lesson.run("sentence")
    lesson.write_and_run("projections", DEEP_ERROR, ends="error")
    quiz = lesson.page.locator('quiz-card[name="why-split"]')
    quiz.get_by_role("radio").first.check()
    quiz.locator("button[data-action=check]").click()
    for theme in THEMES:
        lesson.page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        assert violations(lesson.page) == []
