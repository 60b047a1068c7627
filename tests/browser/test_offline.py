"""The service worker: lessons without a network, the newest deploy with one, courses beside each other."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.visit import BOOT_MS, Visit, visiting
from tests.project import ROOT, run
from tests.site_server import SiteServer

LESSON = "31-multi-head-attention/"
KEPT = """async () => {
  const kept = {};
  for (const name of await caches.keys()) {
    for (const { url } of await (await caches.open(name)).keys()) (kept[name] ??= []).push(url);
  }
  return kept;
}"""
WORKERS = "() => navigator.serviceWorker.getRegistrations().then((all) => all.map(({ scope }) => scope))"


def edited(place: Path, changes: dict[str, tuple[str, str]]) -> Path:
    """Build this checkout with some texts of it replaced; returns the site."""
    for name in ("build.py", "py", "templates", "lessons", "static"):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(
                source, place / name, ignore=shutil.ignore_patterns("node_modules", "__pycache__")
            )
        else:
            shutil.copy(source, place / name)
    (place / "static/node_modules").symlink_to(ROOT / "static/node_modules", target_is_directory=True)
    for name, (old, new) in changes.items():
        text = (place / name).read_text(encoding="utf-8")
        assert old in text, f"{name} does not hold {old!r}"
        (place / name).write_text(text.replace(old, new, 1), encoding="utf-8")
    run(
        [sys.executable, "-P", "-c", BUILD.format(py=str(place / "py")), "--out", str(place / "dist")],
        cwd=place,
    )
    return place / "dist"


BUILD = (
    "import sys; sys.path.insert(0, {py!r}); import runpy; runpy.run_path('build.py', run_name='__main__')"
)


@pytest.fixture(scope="module")
def next_deploy(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same course with another title, and a script that leaves a mark on the page."""
    assert dist.is_dir()
    return edited(
        tmp_path_factory.mktemp("next"),
        {
            "lessons/31-multi-head-attention/lesson.md": ("title: Multi-head", "title: Many-head"),
            "static/js/main.js": (
                "startTheme(document);",
                "startTheme(document); document.body.dataset.deploy = '2';",
            ),
        },
    )


@pytest.fixture(scope="module")
def switched_off(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("off")
    return edited(place, {"lessons/course.toml": ("required =", "offline = false\nrequired =")})


@pytest.fixture
def host(dist: Path) -> Iterator[SiteServer]:
    """A host of its own for each test, which another deploy may be put on."""
    with closing(SiteServer(dist)) as server:
        yield server


@pytest.fixture
def reader(browser: Browser, host: SiteServer) -> Iterator[Visit]:
    """A reader whose browser has run one cell and kept the lesson."""
    with visiting(browser, host, LESSON, closed_off=False) as visit:
        visit.run("multi-head")
        kept(visit.page)
        yield visit


def kept(page: Page) -> None:
    expect(page.locator("html")).to_have_attribute("data-offline", "kept")


def until(page: Page, condition: str, given: Any = None) -> None:
    """Wait until the condition, which may await what it asks, is true of the page."""
    page.evaluate(
        """async ([condition, given, patience]) => {
          const AsyncFunction = (async () => {}).constructor;
          const holds = AsyncFunction("given", `return ${condition}`);
          for (const end = Date.now() + patience; !(await holds(given)); ) {
            if (Date.now() > end) throw new Error(`never came true: ${condition}`);
            await new Promise((again) => setTimeout(again, 50));
          }
        }""",
        [condition, given, BOOT_MS],
    )


def deploy(host: SiteServer, site: Path) -> None:
    host.root = site.resolve()


def shelf(visit: Visit) -> set[str]:
    """What the browser keeps of the course, by path."""
    names: dict[str, list[str]] = visit.page.evaluate(KEPT)
    return {url.removeprefix(visit.server.url) for urls in names.values() for url in urls}


def test_after_its_first_run_a_lesson_works_without_a_server(reader: Visit, host: SiteServer) -> None:
    expect(reader.cell("multi-head").get_by_text("This lesson now works offline")).to_be_visible()
    assert [path for path in host.paths() if host.paths().count(path) > 1 and "/" in path] == []
    with host.fault("*", "gone"):
        reader.page.reload()
        expect(reader.button("multi-head", "run")).to_be_visible()
        expect(reader.cell("multi-head")).to_contain_text("also offline")
        for name in reader.cell_names():
            if name not in ("read-sentence", "silence"):  # their model has not been fetched
                reader.run(name)
        reader.run("read-sentence", ends="error")
        expect(reader.output("read-sentence")).to_contain_text("could not be fetched")
        reader.write_and_run("counts", "'edited ' + 'offline'")
        expect(reader.output("counts").locator(".value")).to_have_text("'edited offline'")
        reader.page.get_by_role("link", name=re.compile("running it")).first.click()
        expect(reader.page.get_by_role("heading", level=1)).to_contain_text("Attention")
        reader.page.goto(host.url + LESSON.rstrip("/"))
        expect(reader.button("multi-head", "run")).to_be_visible()
        assert reader.page.url == reader.url
        reader.page.goto(host.url + "notices/")
        expect(reader.page.get_by_role("heading", name="You are offline")).to_be_visible()
        reader.page.get_by_role("link", name=re.compile("31 ·")).click()
        expect(reader.button("multi-head", "run")).to_be_visible()
    reader.assert_untroubled()


def test_a_model_on_its_way_while_the_lesson_is_kept_is_there_without_a_server_too(
    browser: Browser, dist: Path
) -> None:
    """The cell above runs first, and after it the lesson is kept, while the model's own cell is fetching."""
    with (
        closing(SiteServer(dist, headers={"Cache-Control": "max-age=0"})) as host,
        visiting(browser, host, LESSON, closed_off=False) as visit,
    ):
        visit.run("read-sentence")
        kept(visit.page)
        model = {host.url + path for path in host.paths() if re.search(r"/(core|rare)-\d\d\.bin", path)}
        assert len(model) > 12
        with host.fault("*", "gone"):
            visit.page.reload()
            kept(visit.page)
            on_shelf = f"Object.values(await ({KEPT})()).flat().filter((url) => given.includes(url))"
            until(visit.page, f"({on_shelf}).length === given.length", sorted(model))
            visit.run("read-sentence")
        visit.assert_untroubled()


def test_the_worker_leaves_redirects_and_missing_pages_to_the_host(reader: Visit, host: SiteServer) -> None:
    reader.page.goto(host.url + LESSON.rstrip("/") + "?from=elsewhere#cost")
    assert reader.page.url.startswith(reader.url)
    expect(reader.button("multi-head", "run")).to_be_visible()
    reader.page.goto(host.url + "no-such-page/")
    expect(reader.page.get_by_role("heading", name="There is no page here")).to_be_visible()


def test_a_kept_page_waits_for_no_host_that_says_nothing(reader: Visit, host: SiteServer) -> None:
    with host.fault(LESSON, "hang"):
        reader.page.goto(reader.url + "?again")
        reader.run("multi-head")


def test_nothing_large_is_fetched_to_be_kept(reader: Visit, host: SiteServer) -> None:
    sent = {request.path: request.sent for request in host.requests}
    page: list[str] = reader.page.evaluate(
        "() => performance.getEntriesByType('resource').map(({ name }) => name)"
    )
    extra = {
        path: size for path, size in sent.items() if host.url + path not in page and "runtime/" not in path
    }
    assert sum(extra.values()) < 250_000, extra


def test_a_reload_shows_the_newest_deploy_in_both_directions(
    reader: Visit, host: SiteServer, dist: Path, next_deploy: Path
) -> None:
    for site, title, mark in (
        (next_deploy, "Many-head attention", "2"),
        (dist, "Multi-head attention", None),
    ):
        deploy(host, site)
        reader.page.reload()
        all_of = [host.url + path for path in files_of(site)]
        for _ in range(2):
            expect(reader.page.get_by_role("heading", level=1)).to_have_text(title)
            assert reader.page.evaluate("document.body.dataset.deploy ?? null") == mark
            kept(reader.page)
            with host.fault("*", "gone"):
                reader.page.reload()
                expect(reader.page.get_by_role("heading", level=1)).to_have_text(title)
                assert reader.page.evaluate("document.body.dataset.deploy ?? null") == mark
                reader.run("multi-head")
        until(
            reader.page, f"Object.values(await ({KEPT})()).flat().every((url) => given.includes(url))", all_of
        )
    reader.assert_untroubled()


def files_of(site: Path) -> list[str]:
    paths = (path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file())
    return [re.sub(r"(^|/)index\.html$", r"\1", path) for path in paths]


def test_an_open_page_goes_on_with_its_own_files(reader: Visit, host: SiteServer, next_deploy: Path) -> None:
    deploy(host, next_deploy)
    newer = reader.page.context.new_page()
    newer.goto(reader.url)
    expect(newer.get_by_role("heading", level=1)).to_have_text("Many-head attention")
    kept(newer)
    reader.page.bring_to_front()
    reader.write("counts", "print('on and on')\nwhile True:\n    pass")
    reader.page.keyboard.press("ControlOrMeta+Enter")
    expect(reader.output("counts")).to_contain_text("on and on")
    reader.button("counts", "stop").click()
    reader.ends("counts", "error")
    reader.write_and_run("counts", "6 * 7")
    expect(reader.output("counts").locator(".value")).to_have_text("42")
    reader.assert_untroubled()


def test_a_deploy_that_is_half_there_breaks_nothing(
    reader: Visit, host: SiteServer, next_deploy: Path
) -> None:
    deploy(host, next_deploy)
    with host.fault("assets/*.js", "missing"):
        reader.page.reload()
        expect(reader.page.get_by_role("heading", level=1)).to_have_text("Many-head attention")
    with host.fault("*", "gone"):
        reader.page.reload()
        expect(reader.page.get_by_role("heading", level=1)).to_have_text("Multi-head attention")
        reader.run("multi-head")
    reader.page.reload()
    expect(reader.page.get_by_role("heading", level=1)).to_have_text("Many-head attention")
    kept(reader.page)
    reader.run("multi-head")
    with host.fault("*", "gone"):
        reader.page.reload()
        expect(reader.page.get_by_role("heading", level=1)).to_have_text("Many-head attention")
    reader.assert_untroubled()


def test_a_course_that_switches_it_off_leaves_nothing_behind(
    reader: Visit, host: SiteServer, switched_off: Path
) -> None:
    assert shelf(reader)
    deploy(host, switched_off)
    reader.page.reload()
    until(reader.page, f"(await ({WORKERS})()).length + (await caches.keys()).length === 0")
    reader.page.reload()
    reader.run("multi-head")
    assert reader.page.evaluate(WORKERS) == []
    assert shelf(reader) == set()
    reader.assert_untroubled()


def test_courses_on_one_origin_leave_each_other_alone(
    browser: Browser, dist: Path, switched_off: Path, tmp_path: Path
) -> None:
    outer, inner = tmp_path / "course", tmp_path / "course/inner"
    shutil.copytree(dist, outer)
    shutil.copytree(dist, inner)
    with (
        closing(SiteServer(tmp_path, "/")) as host,
        visiting(browser, host, f"course/{LESSON}", closed_off=False) as visit,
    ):
        visit.run("multi-head")
        kept(visit.page)
        mine = visit.page.evaluate(KEPT)
        visit.page.goto(f"{host.url}course/inner/{LESSON}")
        visit.run("multi-head")
        kept(visit.page)
        both: dict[str, Any] = visit.page.evaluate(KEPT)
        assert {name: both[name] for name in mine} == mine
        assert len(both) == 2 * len(mine)
        assert sorted(visit.page.evaluate(WORKERS)) == [f"{host.url}course/", f"{host.url}course/inner/"]

        shutil.rmtree(inner)
        shutil.copytree(switched_off, inner)
        visit.page.reload()
        until(visit.page, f"(await ({WORKERS})()).length === 1")
        until(visit.page, "(await caches.keys()).length === given", len(mine))
        assert visit.page.evaluate(KEPT) == mine
        with host.fault("*", "gone"):
            visit.page.goto(f"{host.url}course/{LESSON}")
            visit.run("multi-head")


def test_a_reader_who_saves_data_fetches_nothing_for_later(
    reader: Visit, host: SiteServer, next_deploy: Path
) -> None:
    reader.page.add_init_script(
        "Object.defineProperty(navigator, 'connection', { value: { saveData: true } })"
    )
    deploy(host, next_deploy)
    before = len(host.requests)
    reader.page.reload()
    expect(reader.button("multi-head", "run")).to_be_visible()
    reader.page.wait_for_load_state("networkidle")
    assert [path for path in host.paths()[before:] if "offline" in path or "editor" in path] == []
    reader.run("multi-head")
    kept(reader.page)


def test_a_served_page_keeps_nothing(browser: Browser, host: SiteServer) -> None:
    with visiting(browser, host, LESSON, closed_off=False) as visit:
        visit.page.evaluate("document.documentElement.dataset.served = ''")  # as `serve`'s own script does
        visit.run("multi-head")
        visit.run("sentence")
        assert visit.page.evaluate(WORKERS) == []
        assert json.dumps(visit.page.evaluate(KEPT)) == "{}"
