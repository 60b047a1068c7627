/** Who computes rows in a worker: what is looked at comes first, what nobody wants any more never, and without a worker all is read here. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { attend, rowOf } from "../../static/js/attend.js";
import { readFrame } from "../../static/js/frame.js";
import { Helper } from "../../static/js/helper.js";
import { through } from "../../static/js/lens.js";
import { plainSource } from "../../static/js/source.js";

const [H, N, DK] = [3, 130, 4];

/** @returns {import("../../static/js/frame.js").Frame & {lazy: import("../../static/js/attend.js").Lazy}} */
function lazy() {
  const numbers = () => Float32Array.from({ length: H * N * DK }, (_, i) => Math.sin(i * i));
  const tokens = Array.from({ length: N }, (_, i) => `${i}`);
  const frame = readFrame({
    version: 2, h: H, nq: N, nk: N, queryTokens: tokens, keyTokens: tokens, weights: null, scores: null, mask: null, headLabels: null,
    checks: [], buffers: [numbers(), numbers()], lazy: { queries: { buffer: 0 }, keys: { buffer: 1 }, dk: DK, scale: 0.5 },
  });
  assert.ok(frame.recipe);
  frame.lazy = attend(frame.recipe);
  return { ...frame, lazy: frame.lazy };
}

/** A worker that answers when the test lets it. */
class Slow {
  /** @type {{head: number, queries: number[]}[]} */
  asked = [];
  /** @type {(() => void)[]} */
  #answers = [];
  #parts = new Map();
  ended = false;
  onmessage = (/** @type {{data: Float32Array}} */ _) => {};
  onerror = (/** @type {Event} */ _) => {};

  /** @param {any} message */
  postMessage({ size, part, head, queries }) {
    if (size) this.size = size;
    if (part) this.#parts.set(head, part);
    this.asked.push({ head, queries });
    this.#answers.push(() => {
      const rows = new Float32Array(queries.length * N);
      queries.forEach((/** @type {number} */ query, /** @type {number} */ i) => rows.set(rowOf(this.#parts.get(head), query, this.size, null), i * N));
      this.onmessage({ data: rows });
    });
  }

  terminate() {
    this.ended = true;
  }

  /** Answer what has been asked so far, and what is asked because of it. */
  async answer() {
    while (this.#answers.length > 0) {
      this.#answers.shift()?.();
      await new Promise((resume) => setTimeout(resume));
    }
  }
}

/** @param {import("../../static/js/attend.js").Lazy} lazy */
function hired(lazy) {
  const worker = new Slow();
  return { worker, helper: new Helper(lazy, () => /** @type {any} */ (worker)) };
}

test("what the worker answers is what would be computed here", async () => {
  const [frame, alone] = [lazy(), lazy()];
  const { worker, helper } = hired(frame.lazy);
  const settled = helper.settle(plainSource(frame, 1), 0, N, new AbortController().signal);
  await worker.answer();
  await settled;
  for (let query = 0; query < N; query++) {
    assert.ok(frame.lazy.has(1, query));
    assert.deepEqual(frame.row(1, query), alone.row(1, query));
  }
  helper.end();
});

test("what is looked at comes before an overview that has been begun", async () => {
  const frame = lazy();
  const { worker, helper } = hired(frame.lazy);
  void helper.settle(plainSource(frame, 0), 0, N, new AbortController().signal);
  let come = false;
  assert.equal(helper.awaits("cells", plainSource(frame, 2), 5, 9, () => (come = true)), true);
  await worker.answer();
  assert.ok(come);
  assert.deepEqual(worker.asked.map(({ head, queries }) => `${head}:${queries.length}`), ["0:64", "2:4", "0:64", "0:2"]);
  helper.end();
});

test("of heads that are leafed through only the last is computed, and its numbers are sent once", async () => {
  const frame = lazy();
  const { worker, helper } = hired(frame.lazy);
  /** @type {number[]} */
  const told = [];
  for (const head of [0, 1, 2]) helper.awaits("cells", plainSource(frame, head), 0, 9, () => told.push(head));
  await worker.answer();
  assert.deepEqual(told, [2]);
  assert.deepEqual(worker.asked.map(({ head }) => head), [0, 2]);
  helper.end();
});

test("of a mean of heads the worker computes each, and rows that are there are not asked for again", async () => {
  const frame = lazy();
  const { worker, helper } = hired(frame.lazy);
  const mean = through({ scale: "linear", against: "mean", hideFirst: false, dimSpecial: false })(frame, 0);
  const settled = helper.settle(mean, 0, 8, new AbortController().signal);
  await worker.answer();
  await settled;
  assert.deepEqual(worker.asked.map(({ head }) => head), [0, 1, 2]);
  assert.ok(mean.has(7) && !mean.has(8));
  assert.equal(helper.awaits("cells", mean, 0, 8, () => assert.fail()), false);
  helper.end();
});

test("a scale that ends at the head's largest waits for all rows of a worker, and computes none here", async () => {
  const frame = lazy();
  const { worker, helper } = hired(frame.lazy);
  let here = 0;
  const counting = { ...frame, row: (/** @type {number} */ head, /** @type {number} */ query) => (here += frame.lazy.has(head, query) ? 0 : 1, frame.row(head, query)) };
  const source = through({ scale: "head", against: "none", hideFirst: false, dimSpecial: true })(counting, 1);
  assert.match(source.scale, /largest$/); // and not yet which
  const told = new Promise((/** @type {(value: void) => void} */ come) => assert.ok(helper.awaitsPicture("cells", source, { query: 0, key: 0, nq: 9, nk: 9 }, come)));
  await worker.answer();
  await told;
  const largest = Math.max(...Array.from({ length: N }, (_, query) => Math.max(...frame.row(1, query))));
  assert.equal(source.scale.endsWith(`(${largest.toFixed(2)})`), true);
  assert.equal(source.shade(largest, 0), 1);
  assert.equal(helper.awaitsPicture("cells", source, { query: 0, key: 0, nq: 9, nk: 9 }, () => assert.fail()), false);
  assert.equal(here, 0);
  helper.end();
});

/** @type {[string, (worker: Slow, helper: Helper) => void][]} */
const ENDS = [
  ["the page refuses it only later", (worker) => worker.onerror(/** @type {any} */ ({ preventDefault: () => {} }))],
  ["the map goes", (_worker, helper) => helper.end()],
];
for (const [when, happen] of ENDS)
  test(`nobody waits for a worker that is not there any more: ${when}`, async () => {
    const frame = lazy();
    const { worker, helper } = hired(frame.lazy);
    const settled = helper.settle(plainSource(frame, 0), 0, N, new AbortController().signal);
    happen(worker, helper);
    await settled;
    assert.ok(worker.ended);
    assert.equal(helper.awaits("cells", plainSource(frame, 0), 0, 9, () => {}), false);
    assert.equal(frame.row(0, 0).length, N);
  });

test("where no worker can be made, nobody waits either", async () => {
  const frame = lazy();
  const helper = new Helper(frame.lazy, () => {
    throw new Error("not here");
  });
  await new Promise((/** @type {(value: void) => void} */ told) => assert.ok(helper.awaits("cells", plainSource(frame, 0), 0, 9, told)));
  await helper.settle(plainSource(frame, 0), 0, N, new AbortController().signal);
  assert.equal(helper.awaits("cells", plainSource(frame, 0), 0, 9, () => {}), false);
});
