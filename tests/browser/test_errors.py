"""Programs that fail, shout or never end: the student reads their own line, and the page stays in charge."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.visit import Visit

IMG = "<img src=x onerror=alert(1)>"

WATCH_FRAMES = """() => {
  window.longest = 0;  // ms between two frames: how long the page kept a reader waiting at worst
  let last = performance.now();
  requestAnimationFrame(function frame(now) {
    window.longest = Math.max(window.longest, now - last);
    last = now;
    requestAnimationFrame(frame);
  });
}"""


def test_an_error_in_line_3_says_line_3_marks_it_and_shows_no_internal_frame(lesson: Visit) -> None:
    lesson.write_and_run("sentence", "a = 1\nb = 2\na / (b - 2)\nprint(a)", ends="error")
    output = lesson.output("sentence")
    expect(output).to_contain_text("ZeroDivisionError")
    expect(output.get_by_role("button", name="Line 3")).to_be_visible()
    for internal in ("lectern", "pyodide", "site-packages", "exec("):
        assert internal not in (output.text_content() or "")
    expect(lesson.cell("sentence").locator(".cell-code")).to_have_attribute("data-fault-line", "3")


def test_a_syntax_error_says_its_line(lesson: Visit) -> None:
    lesson.write_and_run("sentence", "a = 1\n\ndef f(:\n", ends="error")
    expect(lesson.output("sentence")).to_contain_text("SyntaxError")
    expect(lesson.output("sentence").get_by_role("button", name="Line 3")).to_be_visible()


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(f"print('{IMG}')", id="printed"),
        pytest.param(f"'{IMG}'", id="a value"),
        pytest.param(f"raise ValueError('{IMG}')", id="a message"),
        pytest.param(f"show_attention([[1.0]], ['{IMG}'])\nprint('{IMG}')", id="a token"),
    ],
)
def test_html_is_shown_as_its_characters(lesson: Visit, source: str) -> None:
    lesson.write_and_run("heads", source, ends="error" if source.startswith("raise") else "done")
    expect(lesson.output("heads")).to_contain_text(IMG)
    expect(lesson.page.locator("img[src='x']")).to_have_count(0)
    assert lesson.dialogs == []


def test_a_flood_of_output_is_capped_and_the_page_stays_responsive(lesson: Visit) -> None:
    lesson.page.evaluate(WATCH_FRAMES)
    lesson.write_and_run("counts", "for i in range(300_000):\n    print('line', i)")
    output = lesson.output("counts")
    expect(output.get_by_text("Output ends here")).to_be_visible()
    shown = output.locator("[data-stream=stdout]").text_content()  # inner_text() is of what is in sight
    assert shown == "".join(f"line {n}\n" for n in range(4_000))
    expect(output.get_by_text("at most 4,000 lines")).to_be_visible()
    expect(output.get_by_text("not shown")).to_be_hidden()
    assert lesson.page.evaluate("window.longest") < 1_000


def test_streams_that_take_turns_do_not_fill_the_page_with_elements(lesson: Visit) -> None:
    turns = "import sys\nfor i in range(1_500):\n    print(i)\n    print('odd', i, file=sys.stderr)"
    lesson.write_and_run("counts", turns)
    output = lesson.output("counts")
    expect(output.get_by_text("earlier outputs not shown")).to_be_visible()
    expect(output.locator("pre").last).to_have_text("odd 1499\n")
    assert output.locator("*").count() < 1_100


def test_an_endless_loop_is_stopped_while_the_page_answers(lesson: Visit) -> None:
    lesson.write("counts", "print('on and on')\nwhile True:\n    pass")
    lesson.page.keyboard.press("ControlOrMeta+Enter")
    expect(lesson.output("counts")).to_contain_text("on and on")
    expect(lesson.cell("counts")).to_have_attribute("data-state", "running")

    choice = lesson.page.locator('quiz-card[name="why-split"] input').nth(1)
    choice.check()
    expect(choice).to_be_checked()

    lesson.button("counts", "stop").click()
    lesson.ends("counts", "error")
    expect(lesson.output("counts")).to_contain_text("topped")

    lesson.write_and_run("counts", "6 * 7")
    expect(lesson.output("counts").locator(".value")).to_have_text("42")
