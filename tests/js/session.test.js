/** The page's state, with the real Runtime and a worker that answers every run at once or when told. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { CELL_EDIT, CELL_INTENT, CELL_RUN } from "../../static/js/session.js";
import { ObedientWorker, page, until } from "./lesson-page.js";

test("a cell goes from idle over queued and running to done, and shows what it said", async () => {
  const { session, a } = page({ a: "hello" });
  await session.run(a);
  assert.deepEqual(a.states, ["idle", "queued", "running", "done"]);
  assert.deepEqual(a.told, ["begin", "hello", "ok"]);
});

test("a raising cell ends as error", async () => {
  const { session, a } = page({ a: "raise" });
  await session.run(a);
  assert.equal(a.state, "error");
  assert.deepEqual(a.told, ["begin", "raise", "ValueError"]);
});

test("hidden set-up runs first, once per Python", async () => {
  const { session, runtime, a, b } = page({ a: "1", b: "2" }, { setup: "0" });
  await Promise.all([session.run(a), session.run(b)]);
  await session.run(a);
  assert.deepEqual(ObedientWorker.ran, ["words", "a", "b", "a"]);
  a.source = "hang";
  const hanging = session.run(a);
  await until(() => a.state === "running");
  runtime.stop();
  await hanging;
  await session.run(b);
  assert.deepEqual(ObedientWorker.ran, ["words", "a", "b", "a", "a", "words", "b", "b"], "b brings its variables back");
});

test("a failing set-up is told as the lesson's fault, and tried again at the next run", async () => {
  const { session, a } = page({ a: "1" }, { setup: "raise" });
  await session.run(a);
  assert.deepEqual(a.told, ["ValueError"]);
  assert.equal(a.state, "error");
  await session.run(a);
  assert.deepEqual(ObedientWorker.ran, ["words", "words"]);
});

test("an edit makes a cell's output stale; taking the edit back makes it hold again", async () => {
  const { session, a } = page({ a: "1" });
  a.dispatchEvent(new CustomEvent(CELL_EDIT));
  assert.equal(a.state, "idle", "an edit before the first run is no news");
  await session.run(a);
  a.source = "2";
  a.dispatchEvent(new CustomEvent(CELL_EDIT));
  assert.equal(a.state, "stale");
  assert.equal(a.stale, "edited");
  a.source = "1";
  a.dispatchEvent(new CustomEvent(CELL_EDIT));
  assert.equal(a.state, "done");
});

test("a cell edited while it runs is stale when it is done", async () => {
  const { session, a } = page({ a: "1" });
  const run = session.run(a);
  await until(() => a.state === "running");
  a.source = "2";
  a.dispatchEvent(new CustomEvent(CELL_EDIT));
  await run;
  assert.equal(a.state, "stale");
});

test("Run on a cell that waits or runs changes nothing", async () => {
  const { session, a } = page({ a: "1" });
  await Promise.all([session.run(a), session.run(a)]);
  assert.deepEqual(ObedientWorker.ran, ["a"]);
});

test("run and advance hands the focus to the next cell; after the last one it stays", async () => {
  const { a, b } = page({ a: "1", b: "2" });
  a.dispatchEvent(new CustomEvent(CELL_RUN, { detail: { advance: true } }));
  assert.deepEqual(b.told, ["enter"]);
  b.dispatchEvent(new CustomEvent(CELL_RUN, { detail: { advance: true } }));
  await until(() => a.state === "done" && b.state === "done");
});

for (const { thrifty, state } of [
  { thrifty: false, state: "loading" },
  { thrifty: true, state: "idle" },
]) {
  test(`pointing at Run leaves the runtime ${state} with Save-Data ${thrifty ? "on" : "off"}`, () => {
    const { runtime, a } = page({ a: "1" }, { thrifty });
    a.dispatchEvent(new CustomEvent(CELL_INTENT));
    assert.equal(runtime.status.state, state);
    assert.equal(a.runtime.state, state, "cells are told");
  });
}
