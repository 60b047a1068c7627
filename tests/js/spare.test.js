/** The Python that is started in advance, for Stop. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { cell, start } from "./scripted-worker.js";

/** @typedef {import("./scripted-worker.js").ScriptedWorker} ScriptedWorker */

/** A page whose Python has run something and left a kit with a snapshot. */
function rested() {
  const page = start();
  void page.runtime.run(cell("1"));
  page.workers[0]?.ready();
  page.workers[0]?.say({ type: "kit", kit: /** @type {any} */ ({ assets: {}, snapshot: new Blob(["memory"]) }) });
  page.workers[0]?.finish();
  return page;
}

test("the next Python stands ready, and Stop has it at once", async () => {
  const { runtime, workers, states } = rested();
  runtime.prepare();
  runtime.prepare();
  assert.equal(workers.length, 2, "one is enough");
  workers[1]?.ready();
  void runtime.run(cell("while True: pass"));
  states.length = 0;
  runtime.stop();
  assert.deepEqual(states, ["loading", "ready"]);
  assert.equal(workers.length, 2);
  void runtime.run(cell("2"));
  assert.deepEqual(workers[1]?.sources, ["2"]);
});

test("a spare that is not ready yet is waited for", () => {
  const { runtime, workers } = rested();
  runtime.prepare();
  runtime.restart();
  assert.equal(runtime.status.state, "loading");
  workers[1]?.ready();
  assert.equal(runtime.status.state, "ready");
  assert.equal(workers.length, 2);
});

for (const [how, fail] of /** @type {[string, (worker: ScriptedWorker | undefined) => void][]} */ ([
  ["crashes", (worker) => worker?.crash("out of memory")],
  ["fails", (worker) => worker?.say({ type: "state", state: "failed", failure: { message: "no", file: null } })],
])) {
  test(`a spare that ${how} disturbs nobody, and another takes its place`, () => {
    const { runtime, workers, states } = rested();
    runtime.prepare();
    states.length = 0;
    fail(workers[1]);
    assert.deepEqual(states, []);
    runtime.restart();
    assert.equal(workers.length, 3);
  });
}

test("no spare is made while code runs, without a snapshot, or where Python can be interrupted", () => {
  const busy = rested();
  void busy.runtime.run(cell("while True: pass"));
  busy.runtime.prepare();
  assert.equal(busy.workers.length, 1);
  for (const isolated of [false, true]) {
    const { runtime, workers } = start({ isolated });
    void runtime.run(cell("1"));
    workers[0]?.ready();
    workers[0]?.say({ type: "kit", kit: /** @type {any} */ ({ assets: {}, snapshot: isolated ? new Blob([""]) : null }) });
    workers[0]?.finish();
    runtime.prepare();
    assert.equal(workers.length, 1);
  }
});
