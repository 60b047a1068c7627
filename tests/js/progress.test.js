/** What survives a reload, against stores that behave like browsers' at their worst. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Edits } from "../../static/js/edits.js";
import { Progress, readSetting, writeSetting } from "../../static/js/progress.js";

class MemoryStore {
  /** @type {Map<string, string>} */
  entries = new Map();

  /** @param {string} key */
  getItem(key) {
    return this.entries.get(key) ?? null;
  }

  /** @param {string} key @param {string} value */
  setItem(key, value) {
    this.entries.set(key, value);
  }

  /** @param {string} key */
  removeItem(key) {
    this.entries.delete(key);
  }

  get length() {
    return this.entries.size;
  }

  /** @param {number} place */
  key(place) {
    return [...this.entries.keys()][place] ?? null;
  }
}

class FullStore extends MemoryStore {
  /** @override @returns {never} */
  setItem() {
    throw new DOMException("full", "QuotaExceededError");
  }
}

class BlockedStore extends FullStore {
  /** @override @returns {never} */
  getItem() {
    throw new DOMException("blocked", "SecurityError");
  }

  /** @override @returns {never} */
  removeItem() {
    throw new DOMException("blocked", "SecurityError");
  }
}

const PLACE = { base: "/course/", slug: "31-heads" };
const CELL = { name: "heads", hash: "11111111", starter: "x = 1" };

test("an edit comes back; keys carry site, lesson and cell", () => {
  const store = new MemoryStore();
  const edits = new Edits(new Progress(PLACE, store), CELL);
  assert.equal(edits.source, "x = 1");
  edits.changed("x = 2");
  edits.flush();
  assert.deepEqual([...store.entries.keys()], ["lectern:/course/:31-heads:heads"]);
  assert.equal(new Edits(new Progress(PLACE, store), CELL).source, "x = 2");
  const elsewhere = new Progress({ ...PLACE, base: "/other/" }, store);
  assert.equal(new Edits(elsewhere, CELL).source, "x = 1");
});

test("typing is written once it pauses", async () => {
  const store = new MemoryStore();
  const edits = new Edits(new Progress(PLACE, store), CELL);
  for (const source of ["x = 2", "x = 23", "x = 234"]) edits.changed(source);
  assert.equal(store.entries.size, 0);
  await new Promise((resolve) => setTimeout(resolve, 400));
  assert.match([...store.entries.values()][0] ?? "", /x = 234/);
});

test("back to the lesson's code leaves nothing behind", () => {
  const store = new MemoryStore();
  const edits = new Edits(new Progress(PLACE, store), CELL);
  edits.changed("x = 2");
  edits.flush();
  edits.changed("x = 1");
  edits.flush();
  assert.equal(store.entries.size, 0);
});

test("a page that changed nothing writes nothing over another tab's edit", () => {
  const store = new MemoryStore();
  const here = new Edits(new Progress(PLACE, store), CELL);
  const there = new Edits(new Progress(PLACE, store), CELL);
  there.changed("x = 2");
  there.flush();
  here.flush();
  assert.equal(new Edits(new Progress(PLACE, store), CELL).source, "x = 2");
});

/** A student's edit of a lesson whose code has changed since. */
function changedLesson() {
  const store = new MemoryStore();
  const before = new Edits(new Progress(PLACE, store), CELL);
  before.changed("x = 2  # mine");
  before.flush();
  const open = () => new Edits(new Progress(PLACE, store), { ...CELL, hash: "22222222", starter: "x = 100" });
  return { store, open };
}

test("when the lesson's code has changed, the new code shows and the edit waits", () => {
  const { open } = changedLesson();
  const edits = open();
  assert.equal(edits.source, "x = 100");
  assert.equal(edits.older?.source, "x = 2  # mine");
  assert.equal(open().older?.source, "x = 2  # mine", "an undecided visit keeps it");
});

test("typing before deciding keeps both versions", () => {
  const { open } = changedLesson();
  const edits = open();
  edits.changed("x = 101");
  edits.flush();
  const later = open();
  assert.equal(later.source, "x = 101");
  assert.equal(later.older?.source, "x = 2  # mine");
  later.changed("x = 100");
  later.flush();
  assert.equal(open().older?.source, "x = 2  # mine", "a reset does not throw the older one away");
});

for (const { choice, shown } of /** @type {const} */ ([
  { choice: "mine", shown: "x = 2  # mine" },
  { choice: "lesson", shown: "x = 100" },
])) {
  test(`deciding for "${choice}" settles it`, () => {
    const { open } = changedLesson();
    assert.equal(open().decide(choice), shown);
    const later = open();
    assert.equal(later.source, shown);
    assert.equal(later.older, null);
  });
}

test("an edit that the lesson has adopted word for word raises no question", () => {
  const { store } = changedLesson();
  const edits = new Edits(new Progress(PLACE, store), { ...CELL, hash: "33333333", starter: "x = 2  # mine" });
  assert.equal(edits.older, null);
});

for (const { name, store } of [
  { name: "full", store: () => new FullStore() },
  { name: "blocked", store: () => new BlockedStore() },
  { name: "absent", store: () => null },
]) {
  test(`with ${name} storage everything works, and the loss is told once for the page`, () => {
    const progress = new Progress(PLACE, store());
    let told = 0;
    const onLost = () => (told += 1);
    const edits = new Edits(progress, { ...CELL, onLost });
    const other = new Edits(progress, { ...CELL, name: "other", onLost });
    assert.equal(edits.source, "x = 1");
    for (const one of [edits, other, edits]) {
      one.changed("x = 2");
      one.flush();
    }
    edits.changed("x = 1");
    edits.flush();
    assert.equal(told, 1);
    assert.equal(readSetting("theme", store()), null);
    assert.equal(writeSetting("theme", "dark", store()), false);
  });
}

for (const value of ["", "{", "null", "[]", "7", '"x"', '{"source": 1, "starter": "11111111"}', '{"source": "x"}']) {
  test(`an entry that is not ours is as good as none: ${value}`, () => {
    const store = new MemoryStore();
    store.setItem("lectern:/course/:31-heads:heads", value);
    assert.equal(new Edits(new Progress(PLACE, store), CELL).source, "x = 1");
  });
}

test("a lesson tells what was solved and answered in it, and when it was last open", () => {
  const store = new MemoryStore();
  const progress = new Progress(PLACE, store);
  assert.deepEqual(progress.summary(), { solved: [], answered: [], visited: null });
  progress.visit(1_700_000_000_000);
  progress.keep("split", { attempts: 2, passed: { source: "x = 3", task: "22222222" }, mine: null });
  progress.keep("merge", { attempts: 1, passed: null, mine: "x" });
  progress.answer("why");
  progress.save("split", { source: "x = 4", starter: "11111111" });
  new Progress({ ...PLACE, slug: "30-attention" }, store).answer("other");
  assert.deepEqual(progress.summary(), { solved: ["split"], answered: ["why"], visited: 1_700_000_000_000 });
  assert.equal(progress.work("split").passed?.source, "x = 3", "an edit since has not undone it");
  assert.deepEqual(progress.work("merge"), { attempts: 1, passed: null, mine: "x" });
});

for (const [what, store] of /** @type {const} */ ([
  ["blocked storage", new BlockedStore()],
  ["full storage", new FullStore()],
  ["no storage", null],
])) {
  test(`with ${what}, nothing was done, and nothing breaks`, () => {
    const progress = new Progress(PLACE, store);
    progress.visit(1);
    progress.answer("why");
    progress.keep("split", { attempts: 1, passed: null, mine: null });
    assert.deepEqual(progress.summary(), { solved: [], answered: [], visited: null });
    assert.deepEqual(progress.work("split"), { attempts: 0, passed: null, mine: null });
  });
}

for (const text of ["", "null", "7", "[]", '{"attempts": -1, "passed": true}', '{"attempts": "2", "passed": {"source": 1}}']) {
  test(`work that reads ${text} is none`, () => {
    const store = new MemoryStore();
    store.setItem("lectern:/course/:31-heads:split:work", text);
    assert.deepEqual(new Progress(PLACE, store).work("split"), { attempts: 0, passed: null, mine: null });
  });
}
