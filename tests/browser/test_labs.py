"""The labs of lesson 31 in a browser: guess, train and watch, stop, and look into what was trained."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, expect

from tests.browser.visit import BOOT_MS, Visit, visiting
from tests.site_server import SiteServer

LESSON = "31-multi-head-attention/"
SHARE = r"(0\.9\d\d|1\.000)"
"""Of right answers with four heads: the last digits depend on how a processor rounds."""


def test_the_curves_are_hidden_until_the_reader_has_guessed(fresh_lesson: Visit) -> None:
    chart = fresh_lesson.cell("peak").locator("line-chart")
    chart.scroll_into_view_if_needed()
    expect(chart.locator(".chart-lines")).to_be_hidden()
    chart.get_by_role("button", name="heads h 8").click()
    expect(chart.locator(".chart-answer")).to_have_text("You guessed 8.")
    expect(chart.locator(".chart-answer")).to_be_focused()
    expect(chart.locator(".chart-lines")).to_be_visible()
    assert chart.locator(".chart-guessed").count() == 1


def test_without_scripts_the_chart_is_simply_there(browser: Browser, server: SiteServer) -> None:
    with visiting(browser, server, LESSON, java_script_enabled=False) as visit:
        chart = visit.cell("peak").locator("line-chart")
        expect(chart.locator(".chart-band")).to_be_visible()
        expect(chart.get_by_role("img")).to_have_accessible_name(
            re.compile(
                re.escape(
                    "Questions, d_model = 16, 640 steps. Chart of answers that are right against heads h. "
                    "120 recorded runs, mean ± sd: 0.544 ± 0.022 at 1, 0.773 ± 0.013 at 2, "
                    "0.987 ± 0.039 at 4, 0.889 ± 0.068 at 8, 0.752 ± 0.013 at 16. your runs: "
                )
                + rf"{SHARE} at 4\."
            )
        )


def test_a_curve_grows_while_a_model_trains_and_stop_ends_it(fresh_lesson: Visit) -> None:
    lesson = fresh_lesson
    line = lesson.cell("train-heads").locator(".chart-line")
    lesson.button("train-heads", "run").click()
    expect(lesson.cell("train-heads")).to_have_attribute("data-state", "running", timeout=BOOT_MS)
    states: set[str | None] = set()
    while len(states) < 4:
        states.add(line.get_attribute("d"))
        assert lesson.cell("train-heads").get_attribute("data-state") == "running", "it grew too rarely"
    lesson.button("train-heads", "stop").click()
    expect(lesson.output("train-heads")).to_contain_text("Stopped.", timeout=BOOT_MS)

    lesson.run("train-heads")
    expect(lesson.output("train-heads")).to_have_text(
        re.compile(f"^h = 4: {SHARE} of answers are right\\s*$")
    )
    lesson.run("switch-off")
    expect(lesson.output("switch-off")).to_contain_text("without head 4")
    lesson.run("look")
    frame = lesson.frame("look")
    assert (frame["h"], len(frame["queryTokens"])) == (4, 16)
    expect(lesson.cell("look").locator("heat-map")).to_have_count(1)

    # The chart says so when the code is no longer the one that drew it, until it is drawn again.
    chart = lesson.cell("train-heads").locator("line-chart")
    source = lesson.source("train-heads")
    lesson.write("train-heads", source.replace("seed=0", "seed=1"))
    expect(chart.locator(".chart-stale")).to_have_text("The code has changed. Run it again.")
    lesson.write("train-heads", source)
    expect(chart.locator(".chart-stale")).to_have_count(0)
    lesson.assert_untroubled()
