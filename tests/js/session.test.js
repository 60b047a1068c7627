/** The page's state, with the real Runtime and a worker that answers every run at once or when told. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { CELL_EDIT, CELL_INTENT, CELL_RUN, CELL_STOP } from "../../static/js/session.js";
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

test("an edited cell is read when typing pauses, and its Run then need not wait for that", async () => {
  const { session, runtime, a } = page({ a: "1" });
  a.edit("2");
  assert.equal(runtime.status.state, "idle", "typing fetches nothing");
  await session.run(a);
  a.edit("4");
  a.edit("3");
  await until(() => ObedientWorker.outlines.length === 2);
  await until(() => runtime.status.state === "ready");
  await session.run(a);
  assert.deepEqual(ObedientWorker.outlines, [["a"], ["a"]]);
  assert.deepEqual(ObedientWorker.ran, ["a", "a"]);
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

test("Stop on a cell that only waits takes it back; what runs goes on, and so does what else waits", async () => {
  const { session, a, b, c } = page({ a: "hang", b: "2", c: "3" });
  const runs = [a, b, c].map((cell) => session.run(cell));
  await until(() => a.state === "running");
  b.does(CELL_STOP);
  await runs[1];
  assert.deepEqual([a.state, b.state, c.state], ["running", "error", "queued"]);
  assert.equal(b.error?.message, "Not run: stopped while it was waiting.");
  assert.equal(ObedientWorker.boots, 1);
  a.does(CELL_STOP);
  await Promise.all(runs);
  assert.equal(c.error?.kind, "Stopped");
});

test("Stop on a cell that waits for one it needs leaves that one running", async () => {
  const { session, a, b, c } = page({ a: "x = hang", b: "y = x", c: "x y" });
  const run = session.run(c);
  await until(() => a.state === "running");
  assert.deepEqual([b.state, c.state, c.first], ["queued", "queued", ["a", "b"]]);
  c.does(CELL_STOP);
  assert.deepEqual([a.state, b.state, c.state, c.first], ["running", "idle", "error", []]);
  a.does(CELL_STOP);
  await run;
  assert.deepEqual(ObedientWorker.ran, ["a"]);
});

test("Stop on a needed cell that waits takes back the one that needs it too", async () => {
  const { session, a, b, c } = page({ a: "x = hang", b: "y = x", c: "x y" });
  const run = session.run(c);
  await until(() => a.state === "running");
  b.does(CELL_STOP);
  assert.deepEqual([a.state, b.state, c.state], ["running", "error", "error"]);
  a.does(CELL_STOP);
  await run;
  assert.deepEqual(ObedientWorker.ran, ["a"]);
});

test("Stop while Python loads takes back that cell only", async () => {
  const { session, a, b } = page({ a: "1", b: "2" });
  const runs = [session.run(a), session.run(b)];
  a.does(CELL_STOP);
  await Promise.all(runs);
  assert.deepEqual([a.error?.kind, b.state], ["Stopped", "done"]);
  assert.deepEqual(ObedientWorker.ran, ["b"]);
});

test("Stop while all cells run again leaves those that wait what they were", async () => {
  const { session, a, b, c, d, e } = page({ a: "1", b: "x = 2", c: "x", d: "raise", e: "5" });
  for (const cell of [a, b, c, d]) await session.run(cell);
  a.edit("hang");
  c.edit("x + 1");
  const told = [b, c, d].map((cell) => [...cell.told]);
  const runs = [a, b, c, d, e].map((cell) => session.run(cell));
  await until(() => a.state === "running");
  a.does(CELL_STOP);
  await Promise.all(runs);
  await until(() => b.state === "done"); // brought back
  assert.deepEqual([a, b, c, d, e].map(({ state }) => state), ["error", "done", "stale", "stale", "error"]);
  assert.deepEqual([b, c, d].map((cell) => cell.told), told, "they show what they showed");
  assert.match(e.error?.message ?? "", /Not run/);
});

test("Stop on a cell that waits to run again leaves it what it was, and the one that needs it", async () => {
  const { session, a, b, c } = page({ a: "1", b: "x = 2", c: "x" });
  for (const cell of [a, b, c]) await session.run(cell);
  a.edit("hang");
  b.edit("x = 3");
  const runs = [a, c].map((cell) => session.run(cell));
  await until(() => a.state === "running");
  c.does(CELL_STOP);
  assert.deepEqual([b.state, c.state, c.stale, c.first], ["stale", "stale", "above", []]);
  a.does(CELL_STOP);
  await Promise.all(runs);
  assert.deepEqual([c.told.at(-1), c.error], ["ok", null]);
});

test("an error names its line, unless the code was edited while it ran", async () => {
  const { session, a } = page({ a: "raise" });
  await session.run(a);
  assert.equal(a.error?.line, 1);
  const run = session.run(a);
  await until(() => a.state === "running");
  a.edit("# above\nraise");
  await run;
  assert.deepEqual([a.error?.kind, a.error?.line], ["ValueError", null]);
});
