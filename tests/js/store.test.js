/** The check sum of what is kept between visits: it notices every kind of decay. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { sum } from "../../static/js/store.js";

const SOUND = Uint8Array.from({ length: 103 }, (_, i) => (i * 37) & 255);

test("the same bytes have the same sum", () => {
  assert.equal(sum(SOUND), sum(SOUND.slice()));
  assert.match(sum(SOUND), /^[0-9a-f]{32}$/);
});

test("no bit flips unnoticed, wherever it is", () => {
  for (let bit = 0; bit < SOUND.length * 8; bit++) {
    const other = SOUND.slice();
    other[bit >> 3] = /** @type {number} */ (other[bit >> 3]) ^ (1 << (bit & 7));
    assert.notEqual(sum(other), sum(SOUND), `bit ${bit}`);
  }
});

for (const [what, other] of /** @type {const} */ ([
  ["one byte less", SOUND.slice(0, -1)],
  ["one byte more", Uint8Array.from([...SOUND, 0])],
  ["nothing at all", new Uint8Array(0)],
  ["zeros", new Uint8Array(SOUND.length)],
  ["two words exchanged", Uint8Array.from([...SOUND.slice(16, 32), ...SOUND.slice(0, 16), ...SOUND.slice(32)])],
])) {
  test(`${what} makes another sum`, () => {
    assert.notEqual(sum(other), sum(SOUND));
  });
}
