/** What a map shows of where somebody is: the pin, else the pointer, else the keyboard. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Reading } from "../../static/js/reading.js";

/** @typedef {import("../../static/js/source.js").Line | null} Line */

/** @type {[string, (reading: Reading) => void, Line, import("../../static/js/source.js").CellPlace | null][]} */
const PLACES = [
  ["nobody is there", () => {}, null, null],
  ["a pointer on a cell", (it) => (it.hover = { query: 2, key: 3 }), { axis: "query", index: 2 }, { query: 2, key: 3 }],
  ["a pointer on the word of a column", (it) => (it.hover = { query: -1, key: 3 }), { axis: "key", index: 3 }, null],
  ["the keyboard", (it) => ((it.focused = true), it.walkTo({ query: 1, key: 4 })), { axis: "query", index: 1 }, { query: 1, key: 4 }],
  ["the keyboard, by columns", (it) => ((it.focused = true), it.walkTo({ query: 1, key: 4 }), it.turn()), { axis: "key", index: 4 }, { query: 1, key: 4 }],
  ["a focus that a click has left", (it) => ((it.focused = true), (it.byKeyboard = false)), null, null],
  ["the focus has gone", (it) => ((it.focused = true), it.leave()), null, null],
  ["a pin, and a pointer elsewhere", (it) => ((it.pinned = { axis: "key", index: 1 }), (it.hover = { query: 2, key: 3 })), { axis: "key", index: 1 }, { query: 2, key: 3 }],
  ["a key that is pressed while the pointer rests", (it) => ((it.focused = true), (it.hover = { query: 2, key: 3 }), it.walkTo({ query: 0, key: 0 })), { axis: "query", index: 0 }, { query: 0, key: 0 }],
];
for (const [name, come, line, cell] of PLACES)
  test(name, () => {
    const reading = new Reading();
    come(reading);
    assert.deepEqual([reading.line, reading.cell], [line, cell]);
    assert.equal(reading.along("query"), line?.axis === "query" ? String(line.index) : null);
  });

test("of a smaller frame neither the pin nor the cursor stays outside", () => {
  const reading = new Reading();
  reading.pinned = { axis: "key", index: 5 };
  reading.cursor = { query: 7, key: 5 };
  reading.keepWithin({ nq: 8, nk: 6 });
  assert.deepEqual([reading.pinned, reading.cursor], [{ axis: "key", index: 5 }, { query: 7, key: 5 }]);
  reading.keepWithin({ nq: 8, nk: 3 });
  assert.deepEqual([reading.pinned, reading.cursor], [null, { query: 7, key: 2 }]);
});
