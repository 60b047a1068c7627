"""A later visit starts from a snapshot of Python; whatever is wrong with it, Python starts without."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Route, expect

from tests.browser.visit import BOOT_MS, Visit
from tests.site_server import SiteServer

LESSON = "31-multi-head-attention/"
CELL, ANOTHER = "multi-head", "sentence"
DRAW = "import random\nimport numpy as np\nrandom.random(), np.random.rand()"

# The kept snapshot's check sum, or null; with a change, it is made to the record first.
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
  return record?.sums?.snapshot ?? null;
}"""

# As `sum` in static/js/store.js.
VOUCH = """
  const words = new Uint32Array(bytes.buffer, 0, bytes.length >>> 2), lanes = [1, 2, 3, bytes.length];
  const factors = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f];
  const whole = words.length & ~3;
  for (let i = 0; i < whole; i++) lanes[i & 3] = Math.imul(lanes[i & 3] ^ words[i], factors[i & 3]);
  for (const byte of bytes.subarray(whole * 4)) lanes[0] = Math.imul(lanes[0] ^ byte, factors[0]);
  record.sums.snapshot = lanes.map((lane) => (lane >>> 0).toString(16).padStart(8, "0")).join("");
"""


def change(part: str, act: str) -> str:
    """JavaScript that does something to the `bytes` of a part of the record."""
    read = f"let bytes = new Uint8Array(await record.parts.{part}.arrayBuffer());"
    return f"{read} {act} record.parts.{part} = new Blob([bytes]);"


DAMAGES = {
    "truncated": change("snapshot", "bytes = bytes.slice(0, bytes.length / 2);"),
    "one bit flipped": change("snapshot", "bytes[7_000_000] ^= 1;"),
    "one bit of NumPy flipped": change("numpy", "bytes[3_000_001] ^= 128;"),
    "one bit of Python flipped": change("wasm", "bytes[5_000_002] ^= 16;"),
    "a part lost": "delete record.parts.lectern;",
    "of another deploy": "record.key = record.key.replace('/runtime/', '/runtime/0');",
    "not even a record": "return 'nonsense';",
    "all zeros, and vouched for": change("snapshot", "bytes.fill(0, 2_000_000);") + VOUCH,
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
    """Whether the page's Python, the eldest of its workers, began from a snapshot."""
    for worker in visit.page.workers:
        with suppress(Error):  # one that Stop has ended is listed for a moment longer
            count: int = worker.evaluate("performance.getEntriesByName('restored from a snapshot').length")
            return count > 0
    raise AssertionError("the page has no worker")


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
