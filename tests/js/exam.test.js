/** Exercises on a page: the real Session and Runtime, with a worker for which an answer is right that says `right`. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { CELL_CHECK, CELL_STOP } from "../../static/js/session.js";
import { ObedientWorker, page, until } from "./lesson-page.js";

/** `e` is an exercise between `a`, `b` and `c`, whose check needs `y` of `b`. */
function exercise({ a = "x = 1", b = "y = x", e = "f = x", c = "z = f" } = {}) {
  const lesson = page({ a, b, e, c }, { setup: "words = 0" });
  lesson.e.examine("f y", "f = right");
  return lesson;
}

test("a check gets set-up and the cells above that answer and check need, as edited now", async () => {
  const { session, a, b, e } = exercise();
  a.edit("x = 2");
  await session.run(e, { check: true });
  const [exam] = ObedientWorker.exams;
  assert.deepEqual(exam?.before, [
    { name: "words", source: "words = 0" },
    { name: "a", source: "x = 2" },
    { name: "b", source: "y = x" },
  ]);
  assert.deepEqual([exam?.cell, exam?.source, exam?.check, exam?.starter], ["e", "f = x", "f y", "f = x"]);
  assert.deepEqual([a.state, b.state], ["idle", "idle"], "they ran for the check alone");
  assert.deepEqual(e.judged, { source: "f = x", above: ["a", "b"], lent: [] });
});

test("a wrong answer is judged and runs nowhere else; cells below do not get its names", async () => {
  const { session, e, c } = exercise();
  await session.run(e, { check: true });
  assert.deepEqual(e.told, ["begin", "f = x", "judged check"]);
  assert.equal(e.state, "error");
  assert.deepEqual(ObedientWorker.ran, ["check e"]);
  await session.run(c);
  assert.deepEqual(ObedientWorker.ran, ["check e", "words", "c"]);
});

test("an answer that passes then runs as any cell, after those it needs, and cells below use it", async () => {
  const { session, a, b, e, c } = exercise({ e: "f = x right" });
  await session.run(e, { check: true });
  assert.deepEqual(ObedientWorker.ran, ["check e", "words", "a", "e"]);
  assert.deepEqual(e.states, ["idle", "queued", "running", "idle", "queued", "running", "done"]);
  assert.deepEqual([a.state, b.state, e.state], ["done", "idle", "done"]);
  await session.run(c);
  assert.deepEqual(ObedientWorker.ran, ["check e", "words", "a", "e", "c"]);
});

test("an exercise gives its names once it was run, passed or not", async () => {
  const { session, e, c } = exercise();
  await session.run(c);
  assert.deepEqual(ObedientWorker.ran, ["words", "c"]);
  await session.run(e);
  await session.run(c);
  assert.deepEqual(ObedientWorker.ran, ["words", "c", "a", "e", "c"]);
});

test("an answer that passed on an earlier visit runs first where it is needed, unless it was edited", async () => {
  const { session, e, c } = exercise({ e: "f = right" });
  e.task = e.task && { ...e.task, answer: "f = right" };
  await session.run(c);
  assert.deepEqual(ObedientWorker.ran, ["words", "e", "c"]);

  const edited = exercise({ e: "f = 3" });
  edited.e.task = edited.e.task && { ...edited.e.task, answer: "f = right" };
  await edited.session.run(edited.c);
  assert.deepEqual(ObedientWorker.ran, ["words", "c"]);
});

for (const { what, answer, source, lent } of [
  { what: "the lesson's solution", answer: null, source: "f = right", lent: ["e"] },
  { what: "the answer that passed", answer: "f = right too", source: "f = right too", lent: [] },
]) {
  test(`an exercise that builds on another is checked with ${what}`, async () => {
    const { session, e, c } = exercise();
    e.task = e.task && { ...e.task, answer };
    c.examine("z", "z = right");
    await session.run(c, { check: true });
    assert.deepEqual(ObedientWorker.exams[0]?.before.at(-1), { name: "e", source });
    assert.deepEqual(c.judged?.lent, lent);
  });
}

test("a needed cell that fails is named, and nothing is judged", async () => {
  const { session, e } = exercise({ b: "y = raise" });
  await session.run(e, { check: true });
  assert.deepEqual([e.error?.kind, e.error?.cell], ["NotRun", "b"]);
  assert.match(e.error?.message ?? "", /Not checked: it needs the cell b, which failed with ValueError/);
});

test("a set-up that fails is the lesson's fault", async () => {
  const { session, e } = page({ e: "f = 1" }, { setup: "raise" });
  e.examine("f");
  await session.run(e, { check: true });
  assert.match(e.error?.message ?? "", /hidden set-up failed/);
  assert.equal(e.error?.cell, undefined);
});

test("Stop ends a check; the other cells' variables come back, and the exercise's own as they were", async () => {
  const { session, a, e } = exercise({ e: "f = right" });
  await session.run(e, { check: true });
  await session.run(a);
  e.edit("f = hang");
  e.does(CELL_CHECK);
  await until(() => e.state === "running");
  e.does(CELL_STOP);
  await until(() => e.restored?.phase === "done");
  assert.equal(e.error?.kind, "Stopped");
  assert.deepEqual(ObedientWorker.ran, ["check e", "words", "e", "a", "check e", "words", "e", "a"]);
});

test("an answer edited while it was checked is judged as it was", async () => {
  const { session, e } = exercise({ e: "f = right raise" });
  const run = session.run(e, { check: true });
  await until(() => e.state === "running");
  e.edit("f = 2");
  await run;
  assert.deepEqual([e.error?.kind, e.error?.line, e.judged?.source], ["ValueError", null, "f = right raise"]);
});

test("a stale exercise stays stale until it is run or checked again", async () => {
  const { session, a, e } = exercise({ e: "f = x right" });
  await session.run(e, { check: true });
  a.edit("x = 5");
  assert.deepEqual([e.state, e.stale], ["stale", "above"]);
  await session.run(e, { check: true });
  assert.equal(e.state, "done");
});
