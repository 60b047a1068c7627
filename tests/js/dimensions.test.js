/** The shapes of multi-head attention as text and lines, for every h. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { cutsOf, divisors, fillLabel } from "../../static/js/dimensions.js";

test("the choices for h are the divisors of d_model", () => {
  assert.deepEqual(divisors(32), [1, 2, 4, 8, 16, 32]);
  assert.deepEqual(divisors(12), [1, 2, 3, 4, 6, 12]);
});

for (const [template, h, text] of /** @type {[string, number, string][]} */ ([
  ["({h}, {seq}, {dk})", 4, "(4, 12, 16)"],
  ["({h}, {seq}, {dk})", 64, "(64, 12, 1)"],
  ["4 · d_model² = {parameters}", 8, "4 · d_model² = 16,384"],
  ["each of {h} heads|the one head", 1, "the one head"],
  ["each of {h} heads|the one head", 2, "each of 2 heads"],
  ["{unknown} stays", 2, "{unknown} stays"],
]))
  test(`“${template}” with h = ${h} is “${text}”`, () => {
    assert.equal(fillLabel(template, { seq: 12, d: 64, h }), text);
  });

test("h heads need h − 1 cuts, through the whole box", () => {
  assert.equal(cutsOf("0 10 96 36 columns", 1), "");
  assert.equal(cutsOf("0 10 96 36 columns", 4), "M24 10v36M48 10v36M72 10v36");
  assert.equal(cutsOf("8 0 96 96 rows", 2), "M8 48h96");
});
