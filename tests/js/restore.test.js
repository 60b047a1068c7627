/** Stop and what follows: variables are brought back, honestly, or not at all if the student does not want it. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { CELL_RESTORE, CELL_STOP } from "../../static/js/session.js";
import { ObedientWorker, page, until } from "./lesson-page.js";

/** @param {{session: import("../../static/js/session.js").Session}} lesson @param {import("./lesson-page.js").PlainCell} cell @param {string} [source] */
async function hangAndStop({ session }, cell, source = "hang") {
  cell.edit(source);
  const run = session.run(cell);
  await until(() => cell.state === "running");
  cell.does(CELL_STOP);
  await run;
}

test("after a stop the cells that had ended well run again, unseen, in the order in which they had run", async () => {
  const lesson = page({ a: "x = 1", b: "2", c: "raise", d: "4" }, { setup: "0" });
  const { session, a, b, c, d } = lesson;
  for (const cell of [b, a, c]) await session.run(cell);
  const told = a.told.length;
  await hangAndStop(lesson, d);
  assert.equal(d.state, "error");
  assert.equal(a.state, "stale", "until it has run again");
  await until(() => d.restored?.phase === "done");
  assert.deepEqual(ObedientWorker.ran, ["words", "b", "a", "c", "d", "words", "b", "a"]);
  assert.deepEqual(d.restored, { phase: "done", cells: ["b", "a"], unsure: [], failed: null });
  assert.deepEqual([a.state, b.state, c.state], ["done", "done", "stale"]);
  assert.equal(a.told.length, told, "what is shown stays");
});

test("the version that last ended well is what comes back, and the edit stays an edit", async () => {
  const lesson = page({ a: "x = 1", b: "2" });
  const { session, a, b } = lesson;
  await session.run(a);
  a.edit("x = raise");
  await session.run(a);
  a.edit("x = 3");
  await hangAndStop(lesson, b);
  await until(() => b.restored?.phase === "done");
  assert.deepEqual([a.state, a.stale], ["stale", "edited"]);
  assert.deepEqual(b.restored?.cells, ["a"]);
});

test("the stopped cell is not repeated, nor what had used it", async () => {
  const lesson = page({ a: "x = 1", b: "y = x", c: "z = y" });
  const { session, a, b, c } = lesson;
  await session.run(c);
  await hangAndStop(lesson, b);
  await until(() => b.restored?.phase === "done");
  assert.deepEqual(ObedientWorker.ran.slice(4), ["a"]);
  assert.deepEqual([a.state, c.stale], ["done", "restarted"]);
});

test("the stopped cell says that it was stopped, also if it had used what is brought back", async () => {
  const lesson = page({ a: "x = 1", b: "y = x", c: "z = y" });
  const { a, b, c } = lesson;
  await hangAndStop(lesson, c, "hang y");
  await until(() => c.restored?.phase === "done");
  assert.deepEqual([a.state, b.state, c.state, c.stale], ["done", "done", "error", null]);
  a.edit("x = 2");
  await lesson.session.run(a);
  assert.equal(c.stale, "above");
});

test("a Run that comes meanwhile waits for the variables", async () => {
  const lesson = page({ a: "x = 1", b: "2", c: "x" });
  const { session, b, c } = lesson;
  await session.run(c);
  b.edit("hang");
  const run = session.run(b);
  await until(() => b.state === "running");
  b.does(CELL_STOP);
  const next = session.run(c);
  await Promise.all([run, next]);
  assert.deepEqual(ObedientWorker.ran, ["a", "c", "b", "a", "c", "c"]);
});

test("a cell that uses chance is named", async () => {
  const lesson = page({ a: "x = random", b: "2" });
  await lesson.session.run(lesson.a);
  await hangAndStop(lesson, lesson.b);
  await until(() => lesson.b.restored?.phase === "done");
  assert.deepEqual(lesson.b.restored?.unsure, [{ cell: "a", why: ["random"] }]);
});

test("a cell that asked is given the same answers when it is repeated", async () => {
  const lesson = page({ a: "x = input", b: "2" });
  await lesson.session.run(lesson.a);
  assert.deepEqual(lesson.a.told, ["begin", "asked Name?", "ok"]);
  await hangAndStop(lesson, lesson.b);
  await until(() => lesson.b.restored?.phase === "done");
  assert.deepEqual(ObedientWorker.answers, ["Ada", "Ada"]);
  assert.equal(lesson.a.told.length, 3, "nobody is asked again");
});

test("a cell that fails when repeated is named, and the rest is left stale", async () => {
  const lesson = page({ a: "1", b: "2", c: "3" });
  const { session, a, b, c } = lesson;
  await session.run(a);
  await session.run(b);
  // Stands for a program that fails the second time: a file that is gone, a random number.
  const { postMessage } = ObedientWorker.prototype;
  c.edit("hang");
  const run = session.run(c);
  await until(() => c.state === "running");
  ObedientWorker.prototype.postMessage = function (request) {
    const fails = request.type === "run" && request.cell === "a";
    postMessage.call(this, fails ? { ...request, source: "raise" } : request);
  };
  c.does(CELL_STOP);
  await run;
  await until(() => c.restored?.phase === "failed");
  ObedientWorker.prototype.postMessage = postMessage;
  assert.equal(c.restored?.failed, "a");
  assert.deepEqual([a.stale, b.stale], ["restarted", "restarted"]);
  await session.run(a);
  assert.equal(a.state, "done");
});

test("a Python that does not start again is not the fault of the cells that were to be repeated", async () => {
  const lesson = page({ a: "1", b: "2" });
  const { session, a, b } = lesson;
  await session.run(a);
  const { postMessage } = ObedientWorker.prototype;
  ObedientWorker.prototype.postMessage = function (request) {
    if (request.type !== "boot") postMessage.call(this, request);
    else setTimeout(() => this.dispatchEvent(new Event("error"))); // its script could not be had
  };
  await hangAndStop(lesson, b);
  await until(() => a.runtime.state === "failed");
  ObedientWorker.prototype.postMessage = postMessage;
  assert.equal(b.restored, null, "nothing is said of a cell that failed");
  b.edit("2");
  await session.run(b);
  await until(() => a.state === "done");
  assert.deepEqual(ObedientWorker.ran.slice(-2), ["b", "a"], "it is repeated once there is a Python");
});

/** Until its end, no worker answers a run of this cell. @param {string} cell */
function swallowRuns(cell) {
  const { postMessage } = ObedientWorker.prototype;
  const swallowed = { count: 0, end: () => void (ObedientWorker.prototype.postMessage = postMessage) };
  ObedientWorker.prototype.postMessage = function (request) {
    if (request.type === "run" && request.cell === cell) swallowed.count += 1;
    else postMessage.call(this, request);
  };
  return swallowed;
}

test("a cell that hangs when repeated can be stopped, and the others still come back", async () => {
  const lesson = page({ a: "1", b: "2", c: "3" });
  const { session, a, b, c } = lesson;
  await session.run(a);
  await session.run(b);
  c.edit("hang");
  const run = session.run(c);
  await until(() => c.state === "running");
  const swallowed = swallowRuns("a");
  c.does(CELL_STOP);
  await run;
  await until(() => swallowed.count === 1);
  assert.equal(c.restored?.phase, "running");
  const waiting = session.run(b);
  b.does(CELL_STOP);
  await waiting;
  await until(() => c.restored?.phase === "done");
  swallowed.end();
  assert.equal(swallowed.count, 1);
  assert.deepEqual(c.restored?.cells, ["b"]);
  assert.equal(a.stale, "restarted");
});

test("who does not want it is asked for nothing again, and can change their mind", async () => {
  const restore = { on: true };
  const lesson = page({ a: "1", b: "2" }, { restore });
  const { session, a, b } = lesson;
  await session.run(a);
  await hangAndStop(lesson, b);
  await until(() => b.restored?.phase === "done");
  assert.equal(a.state, "done");
  b.does(CELL_RESTORE, false);
  await until(() => b.restored?.phase === "off");
  assert.equal(restore.on, false);
  assert.equal(a.stale, "restarted", "a fresh Python, without variables");
  const before = ObedientWorker.ran.length;
  await hangAndStop(lesson, b);
  await until(() => b.restored?.phase === "off");
  assert.deepEqual(ObedientWorker.ran.slice(before), ["b"]);
  b.does(CELL_RESTORE, true);
  await until(() => b.restored?.phase === "done");
  assert.equal(a.state, "done");
  assert.equal(restore.on, true);
});

test("who declines while a cell is being repeated can still have it back", async () => {
  const lesson = page({ a: "1", b: "2" });
  const { session, a, b } = lesson;
  await session.run(a);
  b.edit("hang");
  const run = session.run(b);
  await until(() => b.state === "running");
  const swallowed = swallowRuns("a");
  b.does(CELL_STOP);
  await run;
  await until(() => swallowed.count === 1);
  b.does(CELL_RESTORE, false);
  await until(() => b.restored?.phase === "off");
  swallowed.end();
  assert.deepEqual(b.restored?.cells, ["a"]);
  b.does(CELL_RESTORE, true);
  await until(() => b.restored?.phase === "done");
  assert.equal(a.state, "done");
});

test("a stop when nothing else has run says nothing about variables", async () => {
  const lesson = page({ a: "1" });
  await hangAndStop(lesson, lesson.a);
  await until(() => ObedientWorker.boots === 2);
  assert.equal(lesson.a.restored, null);
});

test("a crash is answered like a stop", async () => {
  const { session, a, b } = page({ a: "1", b: "crash" });
  await session.run(a);
  await session.run(b);
  await until(() => b.restored?.phase === "done");
  assert.equal(a.state, "done");
});
