"""A student who runs lesson 31 from top to bottom gets what the page already said, from this site alone."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.visit import Visit, visiting
from tests.site_server import SiteServer

OUTPUT_OF = """cells => cells.map((cell) => [
  cell.getAttribute("name"),
  [...cell.querySelectorAll("[data-output] > pre")].map((pre) => [pre.className, pre.textContent]),
])"""
FRAME_OF = """maps => maps.filter((map) => map.querySelector("script[data-frame]")).map((map) => [
  map.getAttribute("name"), JSON.parse(map.querySelector("script[data-frame]").textContent),
])"""


@pytest.fixture(scope="module")
def recorded(browser: Browser, server: SiteServer) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the build wrote into the page: outputs by cell, attention frames by heat map."""
    with visiting(browser, server, "31-multi-head-attention/", java_script_enabled=False) as visit:
        outputs = visit.page.locator('code-cell[kind="run"]').evaluate_all(OUTPUT_OF)
        frames = visit.page.locator("heat-map").evaluate_all(FRAME_OF)
    return dict(outputs), dict(frames)


def test_every_cell_prints_what_the_build_wrote(
    lesson: Visit, recorded: tuple[dict[str, Any], dict[str, Any]]
) -> None:
    outputs, frames = recorded
    assert len(outputs) >= 6
    for name in outputs:
        lesson.run(name)
    assert dict(lesson.page.locator('code-cell[kind="run"]').evaluate_all(OUTPUT_OF)) == outputs
    assert frames.keys() >= {"heads", "one-head"}
    for name, frame in frames.items():
        live = lesson.frame(name)
        assert live["queryTokens"] == frame["queryTokens"]
        for ours, theirs in zip(live["weights"], frame["weights"], strict=True):
            assert ours == pytest.approx(theirs, abs=6e-6)  # the page has five decimals
    expect(lesson.page.locator("html")).to_have_attribute("data-runtime", "ready")


def test_an_edited_cell_changes_the_heat_map(lesson: Visit) -> None:
    lesson.write_and_run("heads", "show_attention(np.eye(12), tokens)")
    frame = lesson.frame("heads")
    assert (frame["h"], frame["weights"][0][:2]) == (1, [1, 0])


def test_running_asked_no_other_origin_for_anything(lesson: Visit) -> None:
    assert lesson.off_origin == []
    assert any(".wasm" in path for path in lesson.server.paths()), "the runtime came from this site"


def test_shift_enter_runs_and_goes_to_the_next_cell(lesson: Visit) -> None:
    lesson.editor("counts")
    lesson.page.keyboard.press("Shift+Enter")
    expect(lesson.cell("heads-add").locator(":focus")).to_have_count(1)
    lesson.ends("counts", "done")


def test_a_package_is_installed_from_the_site(lesson: Visit) -> None:
    wheel = re.compile(r"runtime/\w+/packaging-[\w.-]+\.whl")
    assert not any(map(wheel.fullmatch, lesson.server.paths()))
    lesson.write_and_run("counts", "%pip install packaging\nimport packaging\npackaging.__name__")
    expect(lesson.output("counts").locator(".value")).to_have_text("'packaging'")
    assert any(map(wheel.fullmatch, lesson.server.paths()))
    assert lesson.off_origin == []
