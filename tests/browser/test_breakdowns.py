"""Programs that end, fill, bury or silence Python: each leads to a named state, and the next cell runs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.visit import State, Visit, visiting
from tests.site_server import SiteServer

RUN_JS = "from js import eval as run_js\nrun_js"
WAIT = "\nimport asyncio\nwhile True:\n    await asyncio.sleep(1)"
BROKE = "Python broke down and was restarted"

# Each: a program, and what its cell says.
PROGRAMS = [
    pytest.param("def f():\n    return f()\nf()", "RecursionError", id="recursion"),
    pytest.param(
        "import sys\nsys.setrecursionlimit(10**9)\ndef f():\n    return f()\nf()",
        "The recursion limit can be 3,000 at most",
        id="recursion without a limit",
    ),
    pytest.param(
        "nest = []\nfor _ in range(10**6):\n    nest = [nest]\nrepr(nest)",
        BROKE,
        id="deep nesting",
    ),
    pytest.param("eval('-' * 500_000 + '1')", "nested too deeply to be read", id="too deep for the parser"),
    pytest.param(
        "class Row:\n    def __repr__(self):\n        return repr(self)\nRow()",
        "calls itself without end",
        id="recursion through Python's own functions",
    ),
    pytest.param("import numpy as np\nnp.ones(10**11)", "Python has 2 to 4 GB", id="one array too large"),
    pytest.param(
        "hold = []\nwhile True:\n    hold.append(bytes(2**28))", "MemoryError", id="memory exhausted"
    ),
    pytest.param("from js import close\nclose()", "Stop", id="close()"),
    pytest.param(
        f'{RUN_JS}("setTimeout(() => {{ throw new Error(`gone`) }})"){WAIT}',
        BROKE,
        id="an uncaught error in the worker",
    ),
    pytest.param(
        f'{RUN_JS}("setTimeout(() => Promise.reject({{ pyodide_fatal_error: true }}))"){WAIT}',
        BROKE,
        id="Python's own fatal error",
    ),
    pytest.param(
        f'{RUN_JS}("postMessage(42); postMessage(null); postMessage({{}})")\n1 / 0',
        "ZeroDivisionError",
        id="messages of its own",
    ),
    pytest.param(
        f'{RUN_JS}("for (let id = 0; id < 999; id++) postMessage('
        '{ type: `done`, id, ok: false, error: { kind: `No`, hint: 5 }, ms: 0 })")',
        f"{BROKE}: a message could not be read",
        id="an answer of its own in no known form",
    ),
]


@pytest.fixture(scope="module")
def shaken(browser: Browser, server: SiteServer) -> Iterator[Visit]:
    """A lesson whose worker may throw, which Playwright counts among the page's errors."""
    with visiting(browser, server, "31-multi-head-attention/") as visit:
        yield visit
        assert (visit.off_origin, visit.dialogs) == ([], [])


@pytest.mark.parametrize(("source", "says"), PROGRAMS)
def test_a_program_that_breaks_python_leaves_a_python_that_works(
    shaken: Visit, source: str, says: str
) -> None:
    shaken.write_and_run("counts", source, ends="error")
    expect(shaken.output("counts")).to_contain_text(says)
    shaken.write_and_run("sentence", "6 * 7")
    expect(shaken.output("sentence").locator(".value")).to_have_text("42")


# Each: a program whose output is too large for any page, how its cell ends, and the sign that there was more.
LARGE: list[tuple[str, State, str]] = [
    ("print('x' * 50_000_000)", "done", "Output ends here"),
    ("for i in range(10**6):\n    print(i)", "done", "Output ends here"),
    ("import sys\nfor i in range(10**4):\n    print(i)\n    print(i, file=sys.stderr)", "done", "not shown"),
    ("'x' * 50_000_000", "done", "..."),
    ("list(range(5 * 10**6))", "done", "99, ...]"),
    ("raise ValueError('x' * 50_000_000)", "error", "x …"),
]


@pytest.mark.parametrize(("source", "ends", "sign"), LARGE)
def test_a_huge_output_is_cut_and_shows_it(shaken: Visit, source: str, ends: State, sign: str) -> None:
    shaken.write_and_run("counts", source, ends=ends)
    text = shaken.output("counts").inner_text()
    assert len(text) < 300_000
    assert sign in text


def test_a_flood_leaves_the_page_answering_and_its_memory_bounded(shaken: Visit) -> None:
    shaken.write("counts", "while True: print(1)")
    shaken.page.keyboard.press("ControlOrMeta+Enter")
    expect(shaken.output("counts").get_by_text("Output ends here")).to_be_visible()
    memory = shaken.page.context.new_cdp_session(shaken.page)
    used = []
    choices = shaken.page.locator('quiz-card[name="why-split"] input')
    for _ in range(2):
        for n in range(6):
            choices.nth(n % 3).check()
            expect(choices.nth(n % 3)).to_be_checked()
        memory.send("HeapProfiler.collectGarbage")
        used.append(memory.send("Runtime.getHeapUsage")["usedSize"])
    assert used[1] < used[0] + 2_000_000
    expect(shaken.cell("counts")).to_have_attribute("data-state", "running")
    shaken.button("counts", "stop").click()
    shaken.ends("counts", "error")


@pytest.fixture
def two_tabs(browser: Browser, server: SiteServer) -> Iterator[tuple[Visit, Visit]]:
    """Two tabs of one reader, on the same lesson."""
    with visiting(browser, server, "31-multi-head-attention/") as first:
        second = Visit(first.page.context, server, "31-multi-head-attention/")
        yield first, second
        first.assert_untroubled()
        second.assert_untroubled()


def test_several_tabs_run_at_once_and_keep_each_others_edits(two_tabs: tuple[Visit, Visit]) -> None:
    first, second = two_tabs
    first.page.bring_to_front()
    first.write("sentence", "mine = 'of the first tab'\nmine")
    first.page.keyboard.press("ControlOrMeta+Enter")
    second.page.bring_to_front()
    second.write_and_run("counts", "'mine' in globals()")
    expect(second.output("counts").locator(".value")).to_have_text("False")
    first.page.bring_to_front()
    first.ends("sentence", "done")
    expect(first.output("sentence").locator(".value")).to_have_text("'of the first tab'")
    first.page.reload()
    expect(first.cell("sentence")).to_contain_text("of the first tab")
    expect(first.cell("counts")).to_contain_text("'mine' in globals()")


BLOCKED = """for (const name of ["localStorage", "sessionStorage", "indexedDB", "caches"]) {
  Object.defineProperty(window, name, { get() { throw new DOMException("blocked", "SecurityError") } });
}
Object.defineProperty(navigator.serviceWorker, "register", {
  value: () => Promise.reject(new DOMException("blocked", "SecurityError")),
});"""


def test_where_storage_is_blocked_all_runs_and_the_page_says_that_edits_end_with_it(
    browser: Browser, server: SiteServer
) -> None:
    with visiting(browser, server) as visit:
        visit.page.add_init_script(BLOCKED)
        visit.page.goto(server.url + "31-multi-head-attention/")
        visit.run("multi-head")
        visit.write_and_run("counts", "6 * 7")
        expect(visit.output("counts").locator(".value")).to_have_text("42")
        expect(visit.cell("counts")).to_contain_text("does not save the page's edits")
        visit.page.get_by_role("button", name="Auto").click()
        expect(visit.page.locator("html")).to_have_attribute("data-theme", "light")
        visit.assert_untroubled()
