/** Lazy frames: the weights are the softmax of the scores, whatever is masked, and only what is asked for is computed. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { attend } from "../../static/js/attend.js";
import { readFrame } from "../../static/js/frame.js";

/** @typedef {import("../../static/js/frame.js").AttentionFrame} AttentionFrame */

/** @param {Partial<AttentionFrame>} [changes] @returns {AttentionFrame} two heads, two queries, three keys, d_k = 2 */
const lazy = (changes) => ({
  version: 2,
  h: 2,
  nq: 2,
  nk: 3,
  queryTokens: ["it", "tired"],
  keyTokens: ["animal", "street", "tired"],
  weights: null,
  scores: null,
  lazy: { queries: { buffer: 0 }, keys: { buffer: 1 }, dk: 2, scale: 0.5 },
  mask: null,
  headLabels: null,
  checks: [],
  buffers: [new Float32Array([1, 2, 0, 1, 5, 5, 5, 5]), new Float32Array([2, 1, 0, 0, 1, 4, 0, 0, 0, 0, 0, 0])],
  ...changes,
});

/** As a map does it once attend.js has come. @param {Partial<AttentionFrame>} [changes] */
function opened(changes) {
  const frame = readFrame(lazy(changes));
  if (frame.recipe) frame.lazy = attend(frame.recipe);
  return frame;
}

/** @param {readonly number[]} scores */
const softmax = (scores) => {
  const weights = scores.map((score) => Math.exp(score));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
};

/** @param {ArrayLike<number>} row @param {readonly number[]} expected */
const near = (row, expected) => Array.from(row).forEach((weight, i) => assert.ok(Math.abs(weight - (expected[i] ?? NaN)) < 1e-6, `${weight}`));

test("a row is the softmax of its scores", () => {
  const frame = opened();
  near(frame.row(0, 0), softmax([2, 0, 4.5]));
  near(frame.row(0, 1), softmax([0.5, 0, 2]));
  near(frame.row(1, 1), [1 / 3, 1 / 3, 1 / 3]);
  near(frame.column(0, 0), [softmax([2, 0, 4.5])[0] ?? 0, softmax([0.5, 0, 2])[0] ?? 0]);
  near(frame.head(0), [...softmax([2, 0, 4.5]), ...softmax([0.5, 0, 2])]);
});

test("a masked key gets nothing, and the last query of a causal mask sees all keys", () => {
  const frame = opened({ mask: "causal" });
  near(frame.row(0, 0), [...softmax([2, 0]), 0]);
  near(frame.row(0, 1), softmax([0.5, 0, 2]));
  assert.deepEqual([frame.masked, frame.blocked(0, 2), frame.blocked(1, 2)], [true, true, false]);
});

test("a row without a key is NaN, as NumPy makes it", () => {
  const frame = opened({ mask: [1, 1, 1, 0, 0, 1] });
  assert.ok(frame.row(0, 0).every(Number.isNaN));
  near(frame.row(0, 1), [...softmax([0.5, 0]), 0]);
});

test("large scores do not overflow", () => {
  const frame = opened({ buffers: [new Float32Array(8).fill(1e4), new Float32Array(12).fill(1)] });
  near(frame.row(0, 0), [1 / 3, 1 / 3, 1 / 3]);
});

test("a row that was asked for is kept", () => {
  const frame = opened();
  assert.equal(frame.row(1, 0), frame.row(1, 0));
});

test("queries and keys that do not fit are refused with a sentence", () =>
  assert.throws(() => readFrame(lazy({ buffers: [new Float32Array(7)] })), /do not come from 7 and 0 numbers/));
