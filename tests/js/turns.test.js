/** Heavy work in turns, so that a page that draws fifty maps still answers. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Turns } from "../../static/js/turns.js";

test("the first piece is done at once, each other in a frame of its own", () => {
  /** @type {(() => void)[]} */
  const frames = [];
  /** @type {string[]} */
  const did = [];
  const turns = new Turns((act) => frames.push(act));
  for (const name of ["a", "b", "c"]) turns.add(() => did.push(name));
  const seen = [did.join("")];
  while (frames.length) {
    frames.shift()?.();
    seen.push(did.join(""));
  }
  assert.deepEqual(seen, ["a", "ab", "abc", "abc"]);
  turns.add(() => did.push("d"));
  assert.equal(did.at(-1), "d", "and then there is no queue");
});

test("what still waits can be dropped", () => {
  /** @type {(() => void)[]} */
  const frames = [];
  /** @type {string[]} */
  const did = [];
  const turns = new Turns((act) => frames.push(act));
  for (const name of ["old", "older"]) turns.add(() => did.push(name));
  turns.clear();
  turns.add(() => did.push("new"));
  while (frames.length) frames.shift()?.();
  assert.deepEqual(did, ["old", "new"]);
});
