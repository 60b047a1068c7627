/** Who depends on whom, as pure functions on small pages. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { connect, judge, missing, restorable } from "../../static/js/graph.js";

/** @typedef {import("../../static/js/graph.js").History} History */

/** "needs → binds (touches)" as CellNames. @param {string} text */
function names(text) {
  const [, needs = "", binds = "", touches = ""] = text.match(/^(.*?)→([^(]*)(?:[(](.*)[)])?$/) ?? [];
  const words = (/** @type {string} */ part) => part.trim().split(/\s+/).filter(Boolean);
  return { needs: words(needs), binds: words(binds), touches: words(touches), chances: [] };
}

/** @param {Record<string, string | null>} cells */
function graph(cells) {
  return connect(Object.entries(cells).map(([name, text]) => ({ name, names: text === null ? null : names(text) })));
}

/** @type {[string, Record<string, string | null>, Record<string, string[]>][]} */
const GRAPHS = [
  ["a cell needs the one above that defines the name", { a: "→ x", b: "x →" }, { b: ["a"] }],
  ["the nearest above wins", { a: "→ x", b: "→ x", c: "x →" }, { c: ["b"] }],
  ["one that changes the name in between is needed too", { a: "→ x", b: "x → (x)", c: "x →" }, { b: ["a"], c: ["a", "b"] }],
  ["one that perhaps defines it does not end the search", { a: "→ x", b: "→ (x)", c: "→", d: "x →" }, { d: ["a", "b"] }],
  ["one that makes it new out of the old ends it", { a: "→ x", b: "x → x", c: "x →" }, { b: ["a"], c: ["b"] }],
  ["what is defined further down is no edge", { a: "x →", b: "→ x" }, { a: [] }],
  ["a cell is not its own source", { a: "x → x" }, { a: [] }],
  ["several names, each from its own cell, in the order of the page", { a: "→ x", b: "→ y", c: "y x →" }, { c: ["a", "b"] }],
  ["a cell that cannot be read has no edges", { a: "→ x", b: null, c: "x →" }, { b: [], c: ["a"] }],
  ["built-in names make no edge", { a: "print →" }, { a: [] }],
];

for (const [sentence, cells, edges] of GRAPHS) {
  test(sentence, () => {
    const found = graph(cells);
    for (const [name, above] of Object.entries(edges)) assert.deepEqual(found.get(name), above, name);
  });
}

/** A cell that has run well, unless said otherwise. @returns {History} @param {string} name @param {number} turn @param {Partial<History>} [other] */
function ran(name, turn, other = {}) {
  const used = other.used ?? [];
  const good = { source: "1", turn, used, answers: [] };
  return { name, source: "1", ran: "1", failed: false, lost: false, turn, used, good, ...other };
}

/** @returns {History} @param {string} name */
const fresh = (name) => ({ ...ran(name, 0), ran: null, good: null });
const CHAIN = graph({ a: "→ x", b: "x → y", c: "y →", d: "→" });

/** @type {[string, History[], (string | null)[]][]} */
const VERDICTS = [
  ["what ran in order holds", [ran("a", 1), ran("b", 2), ran("c", 3), ran("d", 4)], [null, null, null, null]],
  ["an edit reaches all below that depend on it", [ran("a", 1, { source: "2" }), ran("b", 2), ran("c", 3), ran("d", 4)], ["edited", "above", "above", null]],
  ["so does another run", [ran("a", 5), ran("b", 2), ran("c", 3), ran("d", 4)], [null, "above", "above", null]],
  ["and a failure", [ran("a", 5, { failed: true }), ran("b", 2), ran("c", 3), ran("d", 4)], [null, "above", "above", null]],
  ["lost variables are lost for each cell", [ran("a", 1, { lost: true }), ran("b", 2, { lost: true })], ["restarted", "restarted"]],
  ["a cell above that has not run shakes those below", [fresh("a"), ran("b", 2), ran("c", 3)], ["above", "above"]],
  ["what a cell used then counts, even if it would not now", [ran("d", 4), ran("e", 1, { used: ["d"] })], [null, "above"]],
];

for (const [sentence, cells, expected] of VERDICTS) {
  test(sentence, () => assert.deepEqual([...judge(cells, CHAIN).values()], expected));
}

/** @type {[string, History[], string[]][]} */
const MISSING = [
  ["on an untouched page all that is needed runs, directly or not", ["a", "b", "c", "d"].map(fresh), ["a", "b"]],
  ["what has run and holds does not run again", [ran("a", 1), ran("b", 2), fresh("c"), fresh("d")], []],
  ["what failed runs again", [ran("a", 1), ran("b", 2, { failed: true }), fresh("c"), fresh("d")], ["b"]],
  ["an edited cell runs again, with what stands between", [ran("a", 1, { source: "2" }), ran("b", 2), fresh("c")], ["a", "b"]],
];

for (const [sentence, cells, expected] of MISSING) {
  test(sentence, () => assert.deepEqual(missing("c", cells, CHAIN), expected));
}

test("a restart is answered in the order in which cells ran, without those that must not be repeated", () => {
  const lost = { lost: true };
  const cells = [
    ran("a", 3, lost),
    ran("b", 1, lost),
    ran("c", 4, { ...lost, good: null }),
    ran("d", 5, { ...lost, used: ["c"] }),
    ran("e", 6, { ...lost, used: ["d", "a"] }),
    fresh("f"),
    ran("g", 7),
  ];
  assert.deepEqual(restorable(cells), ["b", "a"]);
});
