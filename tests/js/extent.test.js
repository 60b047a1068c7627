/** Which part of a large frame is shown, and how it follows the cursor. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { extentOf, following, isPartial } from "../../static/js/extent.js";

const LARGE = { nq: 1000, nk: 50 };
const START = extentOf(LARGE);

test("few tokens are shown whole, many in part", () => {
  assert.deepEqual(START, { query: 0, key: 0, nq: 48, nk: 50 });
  assert.deepEqual(extentOf(LARGE, true), { query: 0, key: 0, nq: 16, nk: 50 });
  assert.deepEqual([isPartial(LARGE), isPartial({ nq: 64, nk: 64 })], [true, false]);
});

for (const { what, place, centred, query } of [
  { what: "a place inside moves nothing", place: { query: 47, key: 49 }, centred: false, query: 0 },
  { what: "a place outside comes to the middle", place: { query: 500, key: 0 }, centred: false, query: 476 },
  { what: "the last place stops at the edge", place: { query: 999, key: 0 }, centred: false, query: 952 },
  { what: "a place inside comes to the middle if it is asked for", place: { query: 40, key: 0 }, centred: true, query: 16 },
  { what: "a column names no row", place: { query: -1, key: 3 }, centred: false, query: 0 },
])
  test(what, () => assert.deepEqual(following(START, place, LARGE, centred), { ...START, query }));

test("what stays is the same object, so that nothing is drawn again", () =>
  assert.equal(following(START, { query: 3, key: 3 }, LARGE), START));
