/** Run runs first what a cell needs: the real Session and Runtime, with a worker that reads a toy language. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { CELL_RUN, CELL_STOP, CELL_VISIT } from "../../static/js/session.js";
import { ObedientWorker, page, until } from "./lesson-page.js";

const CHAIN = { a: "x = 1", b: "y = x", c: "z = y", d: "5" };

test("Run runs the cells above that are needed, says so, and leaves the others alone", async () => {
  const { session, a, b, c, d } = page({ d: "5", a: "x = 1", b: "y = x", c: "z = y" });
  /** @type {readonly string[][]} */
  const said = [];
  Object.defineProperty(c, "first", { set: (names) => /** @type {any} */ (said).push([...names]) });
  await session.run(c);
  assert.deepEqual(ObedientWorker.ran, ["a", "b", "c"]);
  assert.deepEqual(said, [["a", "b"], ["b"], []]);
  assert.deepEqual(a.states, ["idle", "queued", "running", "done"]);
  assert.deepEqual(b.states, ["idle", "queued", "running", "done"]);
  assert.deepEqual(a.told, ["begin", "x = 1", "ok"]);
  assert.deepEqual([c.state, d.state], ["done", "idle"]);
});

test("a second run runs nothing else, and reads nothing again", async () => {
  const { session, c } = page(CHAIN);
  await session.run(c);
  await session.run(c);
  assert.deepEqual(ObedientWorker.ran, ["a", "b", "c", "c"]);
  assert.equal(ObedientWorker.outlines.length, 1);
});

test("only what may be needed is read, once, and again when it has changed", async () => {
  const { session, a, b, d } = page(CHAIN);
  await session.run(b);
  await session.run(d);
  a.edit("x = 2");
  await session.run(b);
  assert.deepEqual(ObedientWorker.outlines, [["a", "b"], ["c", "d"], ["a"]]);
});

test("a fresh Python is told of the cells, and reads none of them again", async () => {
  const { session, runtime, b } = page(CHAIN);
  await session.run(b);
  runtime.restart();
  await session.run(b);
  assert.deepEqual(ObedientWorker.outlines, [["a", "b"], []]);
});

test("the code as edited decides", async () => {
  const { session, b, c } = page(CHAIN);
  b.edit("y = 2");
  await session.run(c);
  assert.deepEqual(ObedientWorker.ran, ["b", "c"]);
});

test("an edit above makes those below stale, and Run brings them up to date", async () => {
  const { session, a, b, c, d } = page(CHAIN);
  await session.run(d);
  await session.run(c);
  a.edit("x = 2");
  assert.deepEqual([a, b, c, d].map(({ state, stale }) => [state, stale]), [
    ["stale", "edited"],
    ["stale", "above"],
    ["stale", "above"],
    ["done", null],
  ]);
  a.edit("x = 1");
  assert.deepEqual([a.state, b.state, c.state], ["done", "done", "done"], "taking it back mends all");
  a.edit("x = 2");
  await session.run(c);
  assert.deepEqual(ObedientWorker.ran, ["d", "a", "b", "c", "a", "b", "c"]);
  assert.deepEqual([a.state, b.state, c.state], ["done", "done", "done"]);
});

test("another run of a cell makes those below stale that used it", async () => {
  const { session, a, b, c } = page(CHAIN);
  await session.run(c);
  await session.run(a);
  assert.deepEqual([a.state, b.stale, c.stale], ["done", "above", "above"]);
});

test("a cell that lost its source is stale, and its next run tells the truth", async () => {
  const { session, a, b, d } = page(CHAIN);
  await session.run(b);
  a.edit("w = 1");
  await session.run(a);
  await session.run(d);
  assert.equal(b.stale, "above");
  await session.run(b);
  assert.equal(b.state, "done");
});

test("if a needed cell fails, the asked-for cell does not run, and says which one it was", async () => {
  const { session, a, b, c } = page({ a: "x = raise", b: "y = x", c: "z = y" });
  await session.run(c);
  assert.deepEqual(ObedientWorker.ran, ["a"]);
  assert.deepEqual([a.state, b.state, c.state], ["error", "idle", "error"]);
  assert.equal(c.error?.kind, "NotRun");
  assert.equal(c.error?.cell, "a");
  assert.match(c.error?.message ?? "", /needs the cell a, which failed/);
  c.does(CELL_VISIT, "a");
  assert.equal(a.told.at(-1), "enter");
  a.edit("x = 1");
  await session.run(c);
  assert.deepEqual(ObedientWorker.ran, ["a", "a", "b", "c"]);
  assert.equal(c.state, "done");
});

test("a syntax error above concerns only those who need that cell by what it last was", async () => {
  const { session, a, c, d } = page({ a: "x = 1", b: "y = 2", c: "x", d: "y" });
  await session.run(c);
  a.edit("x = ?");
  await session.run(d);
  assert.equal(d.state, "done");
  await session.run(c);
  assert.equal(c.error?.cell, "a");
});

test("hidden set-up gives names and never runs twice", async () => {
  const { session, b } = page({ a: "x = word", b: "y = x + word" }, { setup: "word = 1" });
  await session.run(b);
  assert.deepEqual(ObedientWorker.ran, ["words", "a", "b"]);
});

test("clicks are served in their order, each with all it needs", async () => {
  const { session, a, c, d } = page(CHAIN);
  await Promise.all([session.run(d), session.run(c), session.run(a)]);
  assert.deepEqual(ObedientWorker.ran, ["d", "a", "b", "c"], "a has run already: c needed it");
  assert.equal(a.state, "done");
});

test("Stop during a needed cell takes everything back that waits", async () => {
  const { session, a, b, c, d } = page({ ...CHAIN, a: "x = hang" });
  const runs = [session.run(c), session.run(d)];
  await until(() => a.state === "running");
  assert.deepEqual([b.state, c.state, d.state], ["queued", "queued", "queued"]);
  a.does(CELL_STOP);
  await Promise.all(runs);
  assert.deepEqual([a, b, c, d].map(({ state }) => state), ["error", "idle", "error", "error"]);
  assert.deepEqual([a, c, d].map(({ error }) => error?.kind), ["Stopped", "Stopped", "Stopped"]);
  assert.match(d.error?.message ?? "", /while it was waiting/);
  assert.deepEqual(ObedientWorker.ran, ["a"]);
});

test("a crash settles all that wait, and the next Run starts again", async () => {
  const { session, a, c, d } = page({ ...CHAIN, a: "x = crash" });
  await Promise.all([session.run(c), session.run(d)]);
  assert.deepEqual([a, c, d].map(({ error }) => error?.kind), ["WorkerError", "WorkerError", "WorkerError"]);
  a.edit("x = 1");
  await session.run(c);
  assert.equal(c.state, "done");
});

test("Run and advance on every cell in turn runs each once", async () => {
  const { a, b, c, d } = page(CHAIN);
  for (const cell of [a, b, c, d]) cell.does(CELL_RUN, { advance: true });
  await until(() => d.state === "done");
  assert.deepEqual(ObedientWorker.ran, ["a", "b", "c", "d"]);
});
