/** What counts as an attempt, and what is kept of the student's work on an exercise. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Progress } from "../../static/js/progress.js";
import { Work } from "../../static/js/work.js";

const TASK = { name: "split", hash: "11111111", starter: "..." };

/** As localStorage, for one test. */
function store() {
  /** @type {Map<string, string>} */
  const entries = new Map();
  return {
    getItem: (/** @type {string} */ key) => entries.get(key) ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => void entries.set(key, value),
    removeItem: (/** @type {string} */ key) => void entries.delete(key),
    key: (/** @type {number} */ i) => [...entries.keys()][i] ?? null,
    get length() {
      return entries.size;
    },
  };
}

/** @returns {import("../../static/js/protocol.js").Done} @param {string | null} kind */
function done(kind) {
  const error = kind === null ? null : { kind, message: "", line: null, traceback: "", hint: null };
  return { type: "done", id: 1, ok: !error, error, ms: 1 };
}

/** @param {ReturnType<typeof store>} [kept] */
function work(kept = store(), task = TASK) {
  return new Work(new Progress({ base: "/", slug: "31-heads" }, kept), task);
}

for (const { kind, source, attempts, earned } of [
  { kind: "check", source: "return x", attempts: 1, earned: true },
  { kind: "TypeError", source: "return x", attempts: 1, earned: true },
  { kind: "check", source: "...", attempts: 0, earned: false },
  { kind: "Stopped", source: "return x", attempts: 0, earned: false },
  { kind: "NotRun", source: "return x", attempts: 0, earned: false },
  { kind: "BrokenCheck", source: "return x", attempts: 0, earned: true },
  { kind: null, source: "return x", attempts: 0, earned: true },
]) {
  test(`${kind ?? "a pass"} with ${source} makes ${attempts} attempts; the solution is ${earned ? "" : "not "}earned`, () => {
    const one = work();
    one.judged(done(kind), source);
    assert.deepEqual([one.attempts, one.earned], [attempts, earned]);
  });
}

test("attempts and the answer that passed outlast the page; nothing is counted after a pass", () => {
  const kept = store();
  const first = work(kept);
  first.judged(done("check"), "1");
  first.judged(done("check"), "2");
  first.judged(done(null), "3");
  first.judged(done("check"), "4");
  const later = work(kept);
  assert.deepEqual([later.attempts, later.answer, later.outdated], [2, "3", false]);
  assert.equal(work(kept, { ...TASK, hash: "22222222" }).outdated, true, "the task has changed since");
});

test("the student's version behind a solution is kept until it is brought back", () => {
  const kept = store();
  work(kept).mine = "mine";
  assert.equal(work(kept).mine, "mine");
  work(kept).mine = null;
  assert.equal(work(kept).mine, null);
});
