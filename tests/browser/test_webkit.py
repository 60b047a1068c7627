"""Another engine, Safari's: one visit in WebKitGTK on a screen of its own; only Linux has it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.common.exceptions import ElementNotInteractableException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait
from selenium.webdriver.webkitgtk.options import Options
from selenium.webdriver.webkitgtk.service import Service

from tests.browser.browsers import is_root
from tests.project import ROOT
from tests.site_server import SiteServer

NEEDED = {"WebKitWebDriver": "webkit2gtk-driver", "Xvfb": "xvfb"}
BOOT = 120
"""Seconds for Python to start and a cell to finish on a busy machine; an upper bound, never a wait."""


def have_programs() -> None:
    missing = [package for program, package in NEEDED.items() if not shutil.which(program)]
    if missing and is_root() and shutil.which("apt-get"):
        subprocess.run(["apt-get", "-qq", "update"], check=False)
        install = ["apt-get", "-qq", "install", "-y", "--no-install-recommends", *missing]
        subprocess.run(install, capture_output=True, check=False)
        missing = [package for program, package in NEEDED.items() if not shutil.which(program)]
    if missing:
        wanted = " ".join(missing)
        pytest.fail(f"This test needs {wanted} (Debian: `apt-get install {wanted}`).", pytrace=False)


@pytest.fixture(scope="module")
def screen() -> Iterator[dict[str, str]]:
    """An X server without a monitor; yields an environment that names it."""
    have_programs()
    read, write = os.pipe()
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x1000x24", "-nolisten", "tcp"]
    with subprocess.Popen(command, pass_fds=(write,), stderr=subprocess.DEVNULL) as server:
        os.close(write)
        with os.fdopen(read) as number:
            yield {**os.environ, "DISPLAY": f":{number.readline().strip()}"}
        server.terminate()


@pytest.fixture(scope="module")
def driver(screen: dict[str, str]) -> Iterator[WebDriver]:
    options = Options()
    options.binary_location = str(next(Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser")))
    options.add_argument("--automation")
    service = Service(shutil.which("WebKitWebDriver") or "", env=screen)
    with webdriver.WebKitGTK(options=options, service=service) as window:
        window.set_window_size(1280, 950)
        window.implicitly_wait(10)
        yield window


@pytest.fixture(scope="module")
def page(driver: WebDriver, dist: Path) -> Iterator[WebDriver]:
    site = SiteServer(dist)
    driver.get(site.url + "31-multi-head-attention/")
    yield driver
    site.close()


def cell(page: WebDriver, name: str, inside: str = "") -> WebElement:
    return page.find_element(By.CSS_SELECTOR, f'code-cell[name="{name}"] {inside}')


def state(page: WebDriver, name: str) -> str:
    return cell(page, name).get_dom_attribute("data-state") or ""


def click(page: WebDriver, name: str, inside: str) -> None:
    """Click what stands still: the page scrolls smoothly, and a click on the way lands beside it."""
    element = cell(page, name, inside)

    def clicked(page: WebDriver) -> bool:
        page.execute_script("arguments[0].scrollIntoView({ block: 'center', behavior: 'instant' })", element)
        element.click()
        return True

    WebDriverWait(page, BOOT, ignored_exceptions=[ElementNotInteractableException]).until(clicked)


def press(page: WebDriver, name: str, action: str) -> None:
    click(page, name, f'button[data-action="{action}"]')


def ends(page: WebDriver, name: str) -> str:
    """The text of the cell's output, once it has ended well."""
    WebDriverWait(page, BOOT).until(lambda page: state(page, name) in {"done", "error"})
    text = cell(page, name, "[data-output]").text
    assert state(page, name) == "done", text
    return text


def write_and_run(page: WebDriver, name: str, source: str) -> None:
    click(page, name, ".cell-code")
    WebDriverWait(page, BOOT).until(
        lambda page: cell(page, name).find_elements(By.CSS_SELECTOR, ".cm-focused")
    )
    keys = ActionChains(page).key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL)
    keys.send_keys(source).perform()
    press(page, name, "run")


def test_a_cell_runs_after_those_it_needs(page: WebDriver) -> None:
    press(page, "heads", "run")
    assert ends(page, "heads") == "output (12, 64)  weights (4, 12, 12)"
    assert state(page, "projections") == "done"


def test_the_keyboard_goes_from_head_to_head(page: WebDriver) -> None:
    heatmap = page.find_element(By.CSS_SELECTOR, "heat-map")
    assert heatmap.get_dom_attribute("data-head") == "0"
    page.execute_script("arguments[0].querySelector('[role=grid] [tabindex=\"0\"]').focus()", heatmap)
    ActionChains(page).send_keys("]").perform()
    assert heatmap.get_dom_attribute("data-head") == "1"


def test_an_edited_cell_runs_as_edited(page: WebDriver) -> None:
    write_and_run(page, "counts", "sum(x**2 for x in range(4))")
    assert ends(page, "counts") == "14"


def test_stop_ends_an_endless_loop_and_brings_variables_back(page: WebDriver) -> None:
    write_and_run(page, "counts", "while True: pass")
    WebDriverWait(page, BOOT).until(lambda page: state(page, "counts") == "running")
    press(page, "counts", "stop")
    # Cells above change their height until all is restored, and would move the next cell from under a click.
    WebDriverWait(page, BOOT).until(lambda page: "Variables were restored" in cell(page, "counts").text)
    write_and_run(page, "heads-add", "weights.shape")
    assert ends(page, "heads-add") == "(4, 12, 12)"


def test_a_second_visit_starts_and_has_the_edits(page: WebDriver) -> None:
    page.refresh()
    press(page, "multi-head", "run")
    ends(page, "multi-head")
    assert page.execute_script("return arguments[0].source", cell(page, "heads-add")) == "weights.shape"


def test_a_sentence_goes_through_72_heads_of_a_fetched_model(page: WebDriver) -> None:
    press(page, "read-sentence", "run")
    ends(page, "read-sentence")
    assert page.execute_script("return arguments[0].frame.h", cell(page, "read-sentence", "heat-map")) == 72


def test_all_rows_but_the_cursors_come_from_a_worker(page: WebDriver) -> None:
    lazy = (ROOT / "tests/firefox/lazy-map.js").read_text(encoding="utf-8").strip().rstrip(";")
    page.set_script_timeout(BOOT)
    seen = page.execute_async_script(f"({lazy})().then(arguments[0])")
    assert seen == {"answered": 199 * 200, "shares": ["50\u202f%", "50\u202f%"]}
