/** What the front page says of a lesson that the reader has opened. */

import assert from "node:assert/strict";
import test from "node:test";

import { said } from "../../static/js/bookmarks.js";

const NOON = new Date(2026, 4, 20, 12).getTime();
const HOUR = 60 * 60 * 1000;

for (const [solved, answered, exercises, questions, ago, text] of /** @type {const} */ ([
  [0, 0, 4, 5, 1, "0 of 4 exercises solved · 0 of 5 questions answered · read today"],
  [2, 1, 4, 5, 13, "2 of 4 exercises solved · 1 of 5 questions answered · read yesterday"],
  [4, 1, 4, 1, 72, "all 4 exercises solved · 1 question answered · read 3 days ago"],
  [1, 0, 1, 0, 1, "1 exercise solved · read today"],
  [3, 0, 2, 0, 1, "all 2 exercises solved · read today"],
  [0, 0, 0, 0, 1, "read today"],
])) {
  test(`${solved} of ${exercises}, ${answered} of ${questions}, ${ago} h ago: ${text}`, () => {
    const names = (/** @type {number} */ n) => Array.from({ length: n }, (_, i) => `name-${i}`);
    const done = { solved: names(solved), answered: names(answered), visited: NOON - ago * HOUR };
    assert.equal(said(done, exercises, questions, NOON), text);
  });
}
