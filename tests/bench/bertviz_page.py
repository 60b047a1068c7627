"""BertViz's head view as a page, from the arrays that our own map shows: what its users get.

Its script asks a CDN for d3, jQuery and RequireJS; here they come from a folder that npm has filled.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from playwright.sync_api import Page, Route

# What its script asks for, by the end of the address, and where npm has it.
LIBRARIES = {
    "require.min.js": "requirejs/require.js",
    "d3.min.js": "d3/dist/d3.min.js",
    "jquery.min.js": "jquery/dist/jquery.min.js",
}

# A double click on a head's square shows that head alone; a pointer on a word shows where the word looks.
WATCH = """() => {
  const heads = document.querySelectorAll("#vis > svg > g:last-child > rect");
  const words = document.querySelectorAll("#left > g:last-child > g");
  const send = (target, type) => target.dispatchEvent(new MouseEvent(type, {bubbles: true}));
  globalThis.chooseHead = (head) => painted(() => send(heads[head], "dblclick"));
  globalThis.hoverRow = (share) => painted(() => send(words[Math.floor(share * words.length)], "mouseover"));
}"""


def show(page: Page, weights: npt.NDArray[np.float32], tokens: list[str], libraries: Path) -> None:
    """Open `head_view` of weights (h, n, n) in `page`; returns once all lines are drawn.

    Raises ImportError without BertViz, and Playwright's Error if the page does not get that far.
    """
    torch: Any = importlib.import_module("torch")  # typed Any: mypy runs without these packages
    bertviz: Any = importlib.import_module("bertviz")
    layers = [torch.tensor(weights.tolist())[None]]  # one layer, (1, h, n, n), as its users pass
    html = bertviz.head_view(layers, tokens, html_action="return").data

    def serve(route: Route) -> None:
        name = route.request.url.rsplit("/", 1)[-1]
        route.fulfill(path=libraries / LIBRARIES[name], content_type="text/javascript")

    page.route("**/*", serve)
    page.set_content(f"<!doctype html><body>{html}")
    page.wait_for_selector("#vis line", state="attached")
