"""A later visit starts from a snapshot of Python; whatever is wrong with it, Python starts without."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Route, expect

from tests.browser.visit import BOOT_MS, Visit
from tests.site_server import SiteServer

LESSON = "31-multi-head-attention/"
CELL, ANOTHER = "multi-head", "sentence"
DRAW = "import random\nimport numpy as np\nrandom.random(), np.random.rand()"

# The kept snapshot's digest, or null; with a change, it is made to the record first.
RECORD = """async (change) => {
  const request = (asked) => new Promise((resolve, reject) => {
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });
  if (!(await indexedDB.databases()).some(({ name }) => name === "lectern-python")) return null;
  const database = await request(indexedDB.open("lectern-python"));
  const store = database.transaction("snapshots", "readwrite").objectStore("snapshots");
  const [key] = await request(store.getAllKeys());
  const record = key && (await request(store.get(key)));
  if (record && change) {
    const damage = new Function("record", `return (async () => { ${change} })()`);
    const changed = (await damage(record)) ?? record;
    await request(database.transaction("snapshots", "readwrite").objectStore("snapshots").put(changed, key));
  }
  database.close();
  return record?.sha256 ?? null;
}"""

VOUCH = """
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", record.bytes));
  record.sha256 = Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
"""

DAMAGES = {
    "truncated": "record.bytes = record.bytes.slice(0, record.bytes.byteLength / 2);",
    "one bit flipped": "new Uint8Array(record.bytes)[7_000_000] ^= 1;",
    "of another deploy": "record.key = record.key.replace('/runtime/', '/runtime/0');",
    "not even a record": "return 'nonsense';",
    "all zeros, and vouched for": f"new Uint8Array(record.bytes).fill(0, 2_000_000); {VOUCH}",
}


@pytest.fixture(scope="module")
def profile(browser: Browser, server: SiteServer) -> Iterator[BrowserContext]:
    """A browser profile in which a snapshot has been kept."""
    with browser.new_context() as profile:
        profile.add_init_script("localStorage.clear()")  # every visit finds the lesson's own code
        visit = visit_and_run(profile, server)
        assert not restored(visit)
        assert record(visit)
        visit.page.close()
        yield profile


def visit_and_run(profile: BrowserContext, server: SiteServer, source: str = "") -> Visit:
    """Run a cell, and wait until the snapshot has been taken, if one is to be."""
    profile.set_default_timeout(10_000)
    visit = Visit(profile, server, LESSON)
    if source:
        visit.write_and_run(CELL, source)
    else:
        visit.run(CELL)
    expect(visit.page.locator("html")).to_have_attribute("data-snapshot", "kept", timeout=BOOT_MS)
    return visit


def record(visit: Visit, change: str = "") -> str | None:
    digest: str | None = visit.page.evaluate(RECORD, change)
    return digest


def restored(visit: Visit) -> bool:
    """Whether the page's Python began from a snapshot."""
    count: int = visit.page.workers[-1].evaluate(
        "performance.getEntriesByName('restored from a snapshot').length"
    )
    return count > 0


def test_the_next_visit_starts_from_the_snapshot_and_chance_begins_anew(
    profile: BrowserContext, server: SiteServer
) -> None:
    drawn = set()
    for _ in range(2):
        visit = visit_and_run(profile, server, DRAW)
        assert restored(visit)
        drawn.add(visit.output(CELL).text_content())
        visit.write_and_run(ANOTHER, "import ftplib, numpy.ma\nnumpy.ma.__name__")
        visit.assert_untroubled()
        visit.page.close()
    assert len(drawn) == 2


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_a_bad_snapshot_is_thrown_away_and_nobody_notices(
    profile: BrowserContext, server: SiteServer, damage: str
) -> None:
    visit = Visit(profile, server, LESSON)
    before = record(visit, damage)
    assert before
    bad = record(visit)
    visit.page.close()
    visit = visit_and_run(profile, server)
    assert not restored(visit)
    visit.run(ANOTHER)
    visit.assert_untroubled()
    assert record(visit) not in (bad, before, None), "a new one has been taken"
    visit.page.close()


def test_after_stop_python_comes_back_from_the_snapshot(profile: BrowserContext, server: SiteServer) -> None:
    visit = visit_and_run(profile, server, "kept = 6 * 7")
    visit.write(ANOTHER, "print('on')\nwhile True: pass")
    visit.button(ANOTHER, "run").click()
    expect(visit.output(ANOTHER)).to_contain_text("on")
    visit.button(ANOTHER, "stop").click()
    visit.ends(ANOTHER, "error")
    visit.write_and_run("counts", "kept")
    expect(visit.output("counts").locator(".value")).to_have_text("42")
    assert restored(visit)
    visit.page.close()


def test_without_room_for_a_snapshot_everything_works(browser: Browser, server: SiteServer) -> None:
    with browser.new_context() as profile:
        visit = Visit(profile, server, LESSON)
        full = {"origin": server.origin, "quotaSize": 1_000_000}
        profile.new_cdp_session(visit.page).send("Storage.overrideQuotaForOrigin", full)
        visit.run(CELL)
        expect(visit.page.locator("html")).to_have_attribute("data-snapshot", "kept", timeout=BOOT_MS)
        assert record(visit) is None
        visit.run(ANOTHER)
        visit.assert_untroubled()


@pytest.mark.parametrize(
    "block",
    [
        "Object.defineProperty(self, 'indexedDB', { get() { throw new DOMException('no') } });",
        "IDBFactory.prototype.open = () => ({});",
    ],
    ids=["forbidden", "never answers"],
)
def test_without_storage_everything_works(browser: Browser, server: SiteServer, block: str) -> None:
    def prepend(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=block + answer.text())

    with browser.new_context() as profile:
        profile.route("**/worker-*.js", prepend)
        visit = Visit(profile, server, LESSON)
        visit.run(CELL)
        visit.run(ANOTHER)
        assert not restored(visit)
        visit.assert_untroubled()
