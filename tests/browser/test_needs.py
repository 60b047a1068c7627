"""Run runs first what a cell needs, an edit makes stale what depends on it, a failure says where it is."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.visit import Visit

NEEDED = ["multi-head", "sentence", "projections", "heads"]

# All that the cell's line says: some of it stands there for a few milliseconds only.
NOTES = """cell => {
  globalThis.notes = [];
  const note = () => globalThis.notes.push(cell.querySelector(".note-text")?.textContent ?? "");
  new MutationObserver(note).observe(cell, { childList: true, characterData: true, subtree: true });
}"""


def states(lesson: Visit) -> dict[str, str | None]:
    return {name: lesson.cell(name).get_attribute("data-state") for name in lesson.cell_names()}


def test_a_cell_of_an_untouched_page_runs_what_it_needs_first(fresh_lesson: Visit) -> None:
    cell = "heads-add"
    fresh_lesson.cell(cell).evaluate(NOTES)
    fresh_lesson.run(cell)
    first = re.compile(r"First: (multi-head, )?(sentence, )?(projections, )?heads")
    notes = fresh_lesson.page.evaluate("globalThis.notes")
    assert any(map(first.fullmatch, notes)), notes
    expect(fresh_lesson.output(cell)).to_contain_text("sum of the parts equals the output: True")
    done = [name for name, state in states(fresh_lesson).items() if state == "done"]
    assert done == [*NEEDED, cell]
    expect(fresh_lesson.output("sentence")).to_contain_text("(12, 64)")

    # An edit above: all that depend on it say so, and their pictures too.
    stale = {"sentence", "projections", "heads", "heads-add"}
    fresh_lesson.write(
        "sentence", fresh_lesson.source("sentence").replace("default_rng(31)", "default_rng(32)")
    )
    for name in stale:
        expect(fresh_lesson.cell(name)).to_have_attribute("data-state", "stale")
    expect(fresh_lesson.cell("multi-head")).to_have_attribute("data-state", "done")
    expect(fresh_lesson.cell("counts")).to_have_attribute("data-state", "idle")
    expect(fresh_lesson.page.locator('heat-map[name="heads"]')).to_have_attribute("stale", "")
    expect(fresh_lesson.cell("heads-add").locator(".note-text")).to_contain_text("above")

    fresh_lesson.run("heads")
    expect(fresh_lesson.page.locator('heat-map[name="heads"]:not([stale])')).to_have_count(1)
    assert states(fresh_lesson)["sentence"] == states(fresh_lesson)["projections"] == "done"
    expect(fresh_lesson.cell("heads-add")).to_have_attribute("data-state", "stale")

    # A needed cell that fails: the asked-for one does not run, and leads to it.
    fresh_lesson.write("projections", "W_Q = params = 1 / 0")
    fresh_lesson.run("heads", ends="error")
    expect(fresh_lesson.output("heads")).to_contain_text(
        "Not run: it needs the cell projections, which failed."
    )
    expect(fresh_lesson.output("projections")).to_contain_text("ZeroDivisionError")
    fresh_lesson.output("heads").get_by_role("button", name="Go to projections").click()
    expect(fresh_lesson.cell("projections").locator(":focus")).to_have_count(1)

    # A name that only a cell further down defines is called by that cell's name.
    fresh_lesson.write_and_run("sentence", "tokens = ['a']\nprint(weights_1)", ends="error")
    expect(fresh_lesson.output("sentence")).to_contain_text("further down, by the cell one-head")
    fresh_lesson.assert_untroubled()
