"""The heads of a real encoder in the page: fetched when asked for, computed by the reader's own function."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import expect

from tests.browser.visit import BOOT_MS, Visit
from tests.site_server import Fault

CELL = "read-sentence"


def models(lesson: Visit) -> list[str]:
    return [
        request.path
        for request in lesson.server.requests
        if re.search(r"/(core|rare)-\d\d\.bin$", request.path)
    ]


def drawn(lesson: Visit) -> Any:
    """The attention frame below the cell; its weights came as an array, which is its only one."""
    frame = (
        lesson.cell(CELL)
        .locator("heat-map")
        .evaluate("map => ({ ...map.frame, weights: [...map.frame.buffers[map.frame.weights.buffer]] })")
    )
    assert len(frame["weights"]) == frame["h"] * frame["nq"] * frame["nk"]
    return frame


def test_nothing_of_the_model_is_fetched_before_its_cell_runs(lesson: Visit) -> None:
    note = lesson.cell(CELL).locator(".cell-note")
    expect(note).to_contain_text("this cell 12.4 MB more")
    lesson.run("multi-head")
    expect(note).to_have_text("Fetches 12.4 MB when it first runs")
    assert models(lesson) == []


def test_a_sentence_goes_through_72_heads(lesson: Visit) -> None:
    lesson.run(CELL)
    frame = drawn(lesson)
    assert frame["h"] == 72
    assert frame["queryTokens"][:3] == ["[CLS]", "the", "cat"]
    assert len([path for path in models(lesson) if "core" in path]) == 12


def test_it_is_fetched_only_once(lesson: Visit) -> None:
    before = len(models(lesson))
    lesson.run(CELL)
    assert len(models(lesson)) == before


def test_the_readers_own_function_is_what_computes_them(lesson: Visit) -> None:
    whole = drawn(lesson)["weights"][-100:]
    source = lesson.source("multi-head")
    lesson.write_and_run("multi-head", source.replace(" / np.sqrt(d_k)", ""))
    lesson.run(CELL)
    broken = drawn(lesson)["weights"][-100:]
    assert broken != whole
    lesson.write_and_run("multi-head", source.replace("return combine_heads(heads)", "return heads"))
    lesson.run(CELL, ends="error")
    expect(lesson.output(CELL)).to_contain_text("Error")
    lesson.write_and_run("multi-head", source)
    lesson.run(CELL)


def test_a_text_that_is_too_long_or_odd_is_told(lesson: Visit) -> None:
    source = lesson.source(CELL)
    sentence = '"The cat chased the mouse because it was hungry."'
    lesson.write_and_run(CELL, source.replace(sentence, "'word ' * 100"), ends="error")
    expect(lesson.output(CELL)).to_contain_text("This sentence has 102 tokens, and the packed model knows 64")
    lesson.write_and_run(CELL, source.replace(sentence, "'你好 😀 مرحبا'"))
    lesson.assert_untroubled()


FAULTS: list[tuple[Fault, str]] = [
    ("missing", "the server answered 404"),
    ("corrupt", "arrived damaged, twice"),
    ("short", "arrived damaged, twice"),
    ("cut", "the connection broke off"),
    ("gone", "the connection broke off"),
]


def test_a_file_that_cannot_be_had_is_named_and_the_next_run_tries_again(fresh_lesson: Visit) -> None:
    lesson, note = fresh_lesson, fresh_lesson.cell(CELL).locator(".cell-note")
    for fault, says in FAULTS:
        with lesson.server.fault("runtime/*/core-03.bin", fault):
            lesson.run(CELL, ends="error")
        expect(lesson.output(CELL)).to_contain_text("core-03.bin of all-MiniLM-L6-v2")
        expect(lesson.output(CELL)).to_contain_text(says)
        expect(lesson.output(CELL)).to_contain_text("reload the page")
    with lesson.server.fault("runtime/*/core-03.bin", "hang"):
        lesson.button(CELL, "run").click()
        expect(note).to_have_text("Fetching 3.1 of 12.4 MB", timeout=BOOT_MS)
        lesson.button(CELL, "stop").click()
        expect(lesson.output(CELL)).to_contain_text("Stopped.", timeout=BOOT_MS)
    lesson.run(CELL)
    assert drawn(lesson)["h"] == 72
    lesson.write(CELL, lesson.source(CELL).replace("mouse", "xylophone"))
    with lesson.server.fault("runtime/*/rare-*.bin", "hang"):
        lesson.button(CELL, "run").click()
        expect(note).to_have_text(re.compile(r"^Fetching 0 of \d+ kB$"), timeout=BOOT_MS)
        lesson.button(CELL, "stop").click()
        expect(lesson.output(CELL)).to_contain_text("Stopped.", timeout=BOOT_MS)
    lesson.run(CELL)
    assert "xylophone" in "".join(drawn(lesson)["queryTokens"]).replace("##", "")
    lesson.assert_untroubled()


def test_an_attention_that_never_ends_is_stopped_and_can_be_put_right(fresh_lesson: Visit) -> None:
    lesson = fresh_lesson
    source = lesson.source("multi-head")
    lesson.write_and_run("multi-head", source.replace("    d_k = Q", "    while True: pass\n    d_k = Q"))
    lesson.button(CELL, "run").click()
    expect(lesson.cell(CELL)).to_have_attribute("data-state", "running", timeout=BOOT_MS)
    lesson.button(CELL, "stop").click()
    expect(lesson.output(CELL)).to_contain_text("Stopped.", timeout=BOOT_MS)
    lesson.write_and_run("multi-head", source)
    lesson.run(CELL)
    assert drawn(lesson)["h"] == 72
    lesson.assert_untroubled()
