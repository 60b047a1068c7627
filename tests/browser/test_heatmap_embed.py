"""The heat map away from its lessons, as README shows it: one script and one tag, and in a notebook."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from lectern.notebook import AttentionMap
from tests.project import ROOT
from tests.site_server import SiteServer

README = (ROOT / "README.md").read_text(encoding="utf-8")
TOKENS = ["the", "cat", "sat"]
WEIGHTS = np.array([[[1, 0, 0], [0.7, 0.3, 0], [0.1, 0.6, 0.3]], np.full((3, 3), 1 / 3)])


def example(language: str, containing: str) -> str:
    """The block of README in this language that has these words."""
    blocks: list[str] = re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)
    (block,) = [block for block in blocks if containing in block]
    return block


@contextmanager
def showing(browser: Browser, folder: Path, page: str, **files: bytes) -> Iterator[Page]:
    """A page on a host that has nothing else than these files."""
    (folder / "index.html").write_text(page, encoding="utf-8")
    for name, content in files.items():
        (folder / name.replace("_", ".")).write_bytes(content)
    server = SiteServer(folder)
    context = browser.new_context()
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    try:
        shown = context.new_page()
        shown.goto(server.url)
        yield shown
        assert [url for url in asked if not url.startswith((server.origin, "about:", "blob:"))] == []
    finally:
        context.close()
        server.close()


def reads_the_third_row(page: Any) -> None:
    page.locator('[role="gridcell"][tabindex="0"]').focus()
    for _ in range(2):
        page.locator("[role=gridcell]:focus").press("ArrowDown")
    expect(page.locator(".hm-bars li").first).to_contain_text("60")
    expect(page.locator(".hm-bars li").first).to_contain_text("cat")


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_one_script_and_one_tag_show_an_npz_file(
    browser: Browser, dist: Path, tmp_path: Path, save: Callable[..., None], dtype: Any
) -> None:
    save(tmp_path / "attention.npz", weights=WEIGHTS.astype(dtype), tokens=np.array(TOKENS))
    tag = example("html", "heat-map.js")
    with showing(
        browser, tmp_path, tag, **{"heat-map_js": (dist / "embed/heat-map.js").read_bytes()}
    ) as page:
        reads_the_third_row(page)


def test_a_file_that_is_no_frame_is_said(browser: Browser, dist: Path, tmp_path: Path) -> None:
    (tmp_path / "attention.npz").write_bytes(b"no zip")
    tag = example("html", "heat-map.js")
    with showing(
        browser, tmp_path, tag, **{"heat-map_js": (dist / "embed/heat-map.js").read_bytes()}
    ) as page:
        expect(page.locator("heat-map")).to_contain_text("cannot be shown: The file is no .npz")


def test_a_notebook_shows_the_map_without_a_network(browser: Browser, dist: Path, tmp_path: Path) -> None:
    code = example("python", "AttentionMap")
    names: dict[str, Any] = {"weights": WEIGHTS, "tokens": TOKENS, "script": dist / "embed/heat-map.js"}
    lines = code.strip().splitlines()
    exec("\n".join(lines[:-1]), names)
    shown: AttentionMap = eval(lines[-1].replace("tokens)", "tokens, script=script)"), names)
    with showing(browser, tmp_path, f"<!doctype html><body>{shown._repr_html_()}") as page:
        reads_the_third_row(page.frame_locator("iframe"))
