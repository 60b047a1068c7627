"""One person's visit to a lesson: what they do to cells, what they see, and what must never happen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from playwright.sync_api import Browser, BrowserContext, Dialog, Locator, Page, Request, Route, expect

from tests.site_server import SiteServer

BOOT_MS = 120_000
"""Time for Python to start and a cell to finish on a busy two-core machine; an upper bound, never a wait."""

State = Literal["idle", "queued", "running", "done", "error", "stale"]


class Visit:
    """A page of the site in a browser profile of its own, with every other origin closed off."""

    def __init__(
        self, context: BrowserContext, server: SiteServer, path: str, *, closed_off: bool = True
    ) -> None:
        self.server = server
        self.url = server.url + path
        self.off_origin: list[str] = []
        self.dialogs: list[str] = []
        self.errors: list[str] = []
        context.on("request", self._note_request)
        if closed_off:
            context.route(lambda url: not url.startswith(server.origin), _refuse)
        self.page: Page = context.new_page()
        self.page.on("dialog", self._note_dialog)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto(self.url)

    def _note_request(self, request: Request) -> None:
        if request.url.startswith(("http:", "https:", "ws:")) and not request.url.startswith(
            self.server.origin
        ):
            self.off_origin.append(request.url)

    def _note_dialog(self, dialog: Dialog) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def assert_untroubled(self) -> None:
        """No request left the site's origin, no dialog opened, no script of the page threw."""
        assert (self.off_origin, self.dialogs, self.errors) == ([], [], [])

    # cells

    def cell(self, name: str) -> Locator:
        return self.page.locator(f'code-cell[name="{name}"]')

    def cell_names(self, kind: str = "run") -> list[str]:
        found: list[str] = self.page.locator(f'code-cell[kind="{kind}"]').evaluate_all(
            "cells => cells.map((cell) => cell.getAttribute('name'))"
        )
        return found

    def output(self, name: str) -> Locator:
        return self.cell(name).locator("[data-output]")

    def source(self, name: str) -> str:
        """The code of the cell as it stands now."""
        source: str = self.cell(name).evaluate("cell => cell.source")
        return source

    def button(self, name: str, action: str) -> Locator:
        return self.cell(name).locator(f'button[data-action="{action}"]')

    def run(self, name: str, ends: State = "done") -> None:
        """Press Run and see the cell end in this state."""
        self.button(name, "run").click()
        self.ends(name, ends)

    def ends(self, name: str, state: State) -> None:
        expect(self.cell(name)).to_have_attribute("data-state", re.compile("^(done|error)$"), timeout=BOOT_MS)
        expect(self.cell(name)).to_have_attribute("data-state", state)

    def editor(self, name: str) -> Locator:
        """The cell's editor, opened as a student opens it: by a click on the code."""
        content = self.cell(name).locator(".cm-content")
        # Their common frame: saved edits turn the code into an editor while it comes into view.
        self.cell(name).locator(".cell-code").click()
        expect(content).to_be_focused()
        return content

    def write(self, name: str, source: str) -> None:
        """Replace the cell's code, as one paste."""
        self.editor(name)
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.insert_text(source)

    def write_and_run(self, name: str, source: str, ends: State = "done") -> None:
        self.write(name, source)
        self.page.keyboard.press("ControlOrMeta+Enter")
        self.ends(name, ends)

    def frame(self, name: str) -> Any:
        """The attention frame that the heat map of this name draws now."""
        return self.page.locator(f'heat-map[name="{name}"]').evaluate("map => map.frame")


def _refuse(route: Route) -> None:
    route.abort("blockedbyclient")


@contextmanager
def visiting(
    browser: Browser, server: SiteServer, path: str = "", *, closed_off: bool = True, **context: Any
) -> Iterator[Visit]:
    """A visit in a new browser profile; `context` is what Playwright's `new_context` takes.

    Closing off other origins, Playwright switches the HTTP cache off as well; not with `closed_off=False`.
    """
    with browser.new_context(**context) as profile:
        profile.set_default_timeout(10_000)
        yield Visit(profile, server, path, closed_off=closed_off)
