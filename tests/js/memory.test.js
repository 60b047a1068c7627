/** A snapshot of a memory: what is kept of it, and what comes back. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { decode, encode, refill, sparse } from "../../static/js/memory.js";

const PAGE = 4096;

/** Four pages; the second and the last hold something. */
function memory() {
  const bytes = new Uint8Array(4 * PAGE);
  bytes[PAGE + 7] = 1;
  bytes.fill(9, 3 * PAGE);
  return bytes;
}

const snapshot = sparse(new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]), 19_816, memory());

test("only pages that hold something are kept", () => {
  assert.deepEqual([...snapshot.index], [1, 3]);
  assert.equal(snapshot.pages.length, 2 * PAGE);
});

test("a snapshot survives being written and read", () => {
  assert.deepEqual(decode(encode(snapshot).buffer), snapshot);
});

test("a larger memory that was in use is made what it was", () => {
  const used = new Uint8Array(5 * PAGE).fill(7);
  refill(used, decode(encode(snapshot).buffer));
  assert.deepEqual(used.subarray(0, 4 * PAGE), memory());
  assert.equal(used[4 * PAGE], 7, "what lies behind it is not ours");
});

for (const { fault, damage } of [
  { fault: "empty", damage: () => new ArrayBuffer(0) },
  { fault: "cut short", damage: (/** @type {ArrayBuffer} */ whole) => whole.slice(0, -1) },
  { fault: "of another kind", damage: (/** @type {ArrayBuffer} */ whole) => whole.slice(4) },
  {
    fault: "with its pages in disorder",
    damage: (/** @type {ArrayBuffer} */ whole) => {
      new Uint32Array(whole, 20, 2).reverse();
      return whole;
    },
  },
  {
    fault: "with a page outside the memory",
    damage: (/** @type {ArrayBuffer} */ whole) => {
      new Uint32Array(whole, 20, 2)[1] = 4;
      return whole;
    },
  },
]) {
  test(`a snapshot ${fault} is refused`, () => {
    assert.throws(() => decode(damage(encode(snapshot).buffer)));
  });
}
