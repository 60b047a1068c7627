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

from lectern.attention import softmax
from lectern.frame import attention_frame
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


def wrong_weights() -> dict[str, tuple[Any, Any]]:
    """Weights (h, n, n) with a mistake each, and the mask if there is one."""
    n = 6
    scores = np.random.default_rng(5).normal(size=(3, n, n))  # (h, n, n)
    good = softmax(scores)
    causal = np.triu(np.ones((n, n), dtype=bool), 1)
    masked = np.where(causal, -np.inf, scores)
    closed = causal.copy()
    closed[2] = True
    with np.errstate(invalid="ignore"):
        broken = softmax(np.where(closed, -np.inf, scores))
    hole = good.copy()
    hole[1, 2, 3] = np.nan
    return {
        "good": (good, None),
        "back": (
            np.stack([softmax(np.where(causal, scores - 12, scores))[0], good[1]]),
            None,
        ),  # learned, not masked
        "queries": (softmax(scores, axis=-2), None),
        "heads": (softmax(scores, axis=0), None),
        "scores": (scores, None),
        "closed": (broken, closed),
        "hole": (hole, None),
        "late": (good, causal),
        "inverted": (softmax(np.where(causal, scores, -1e9))[:, :-1], causal[:-1]),
        "some": (np.stack([softmax(masked)[0], good[1], softmax(masked)[2]]), None),
        "twins": (good[[0, 1, 0]], None),
        "uniform": (np.full((2, n, n), 1 / n), None),
        "saturated": (softmax(40 * scores), None),
        "scaled": (1.4 * good, None),
    }


def test_what_is_wrong_with_an_npz_is_said_as_python_says_it(
    browser: Browser, dist: Path, tmp_path: Path
) -> None:
    told = {}
    for name, (weights, mask) in wrong_weights().items():
        w = weights.astype(np.float32)
        extra = {} if mask is None else {"mask": mask}
        tokens = [f"word {i}" for i in range(6)]
        np.savez(tmp_path / f"{name}.npz", weights=w, tokens=tokens[: w.shape[1]], key_tokens=tokens, **extra)
        frame = attention_frame(w, tokens[: w.shape[1]], tokens, mask=mask)
        told[name] = [check["text"] for check in frame["checks"]]
    tags = "".join(f'<heat-map name="{name}" src="{name}.npz"></heat-map>' for name in told)
    page = f'<!doctype html><title>Notes</title><script src="heat-map.js" defer></script>{tags}'
    script = (dist / "embed/heat-map.js").read_bytes()
    with showing(browser, tmp_path, page, **{"heat-map_js": script}) as shown:
        for name in told:
            expect(shown.locator(f'[name="{name}"] .hm-caption')).to_be_visible()
        said = {name: shown.locator(f'[name="{name}"] .hm-note').all_inner_texts() for name in told}
    assert said == told
    assert (told.pop("good"), told.pop("back")) == ([], [])
    assert all(told.values())


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
