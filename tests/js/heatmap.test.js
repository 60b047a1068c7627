/** The parts of the heat map that need no page: frames, labels, spoken sentences, the cursor's moves. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { headName, labelLength, readFrame, shownToken } from "../../static/js/frame.js";
import { comparison, HeadWords } from "../../static/js/headwords.js";
import { moved } from "../../static/js/moves.js";
import { cellName, cellSentence, lineSentence } from "../../static/js/sentences.js";
import { plainSource } from "../../static/js/source.js";
import { scoreLimit } from "../../static/js/stages.js";

/** @typedef {import("../../static/js/frame.js").AttentionFrame} AttentionFrame */

/** @returns {AttentionFrame} two heads, two queries, three keys; the last key is masked for the first query */
const frame = () => ({
  version: 2,
  h: 2,
  nq: 2,
  nk: 3,
  queryTokens: ["it", "tired"],
  keyTokens: ["animal", "street", "tired"],
  weights: [
    [0.75, 0.25, 0, 0.1, 0.2, 0.7],
    [null, null, 0, 0.617, 0.379, 0.004],
  ],
  scores: null,
  mask: [0, 0, 1, 0, 0, 0],
  headLabels: ["", "same word"],
  checks: [{ kind: "nan", text: "2 weights are not a number." }],
});

test("a frame gives heads, rows and masks", () => {
  const read = readFrame(frame());
  assert.deepEqual([...read.row(0, 1)].map((w) => w.toFixed(1)), ["0.1", "0.2", "0.7"]);
  assert.ok(Number.isNaN(read.row(1, 0)[0]));
  assert.deepEqual([read.blocked(0, 2), read.blocked(1, 2), read.masked, read.selfAttention], [true, false, true, false]);
});

/** @type {[string, Partial<AttentionFrame> | {version: number}, RegExp][]} */
const misfits = [
  ["another version", { version: 1 }, /version 2, not 1/],
  ["no heads", { h: 0, weights: [] }, /nothing to draw in \(0, 2, 3\)/],
  ["a missing head", { h: 3 }, /3 heads but carries 2/],
  ["a missing token", { queryTokens: ["it"] }, /as many tokens, not \(1, 3\)/],
  ["a short head", { weights: [[1], [1]] }, /2 × 3 = 6 numbers, not 1/],
];
for (const [what, change, sentence] of misfits)
  test(`${what} is refused with a sentence`, () =>
    assert.throws(() => readFrame(/** @type {AttentionFrame} */ ({ ...frame(), ...change })), sentence));

test("a column is read as a row is, and says so", () => {
  const read = readFrame(frame());
  assert.equal(
    lineSentence(read, plainSource(read, 0), { axis: "key", index: 2 }),
    "Head 1 of 2, key tired, 3 of 3: attended to by tired 70 per cent",
  );
});

test("heads are named by number and label", () => {
  const read = readFrame(frame());
  assert.deepEqual([headName(read, 0), headName(read, 1)], ["Head 1", "Head 2, same word"]);
});

test("a row is one sentence with its largest keys", () => {
  const read = readFrame(frame());
  assert.equal(
    lineSentence(read, plainSource(read, 0), { axis: "query", index: 1 }),
    "Head 1 of 2, query tired, 2 of 2: tired 70 per cent, street 20 per cent, animal 10 per cent",
  );
  assert.equal(lineSentence(read, plainSource(read, 1), { axis: "query", index: 0 }), "Head 2 of 2, query it, 1 of 2: no weight is a number");
});

test("a cell is named in per cent and spoken to three decimals", () => {
  const read = readFrame(frame());
  assert.equal(cellName(read, plainSource(read, 1), { query: 1, key: 0 }), "animal, 62 per cent");
  assert.equal(cellName(read, plainSource(read, 0), { query: 0, key: 2 }), "tired, masked");
  assert.equal(cellSentence(read, plainSource(read, 1), { query: 1, key: 0 }), "tired to animal: 0.617");
  assert.equal(cellSentence(read, plainSource(read, 1), { query: 0, key: 0 }), "it to animal: not a number");
});

// The same tables hold for the builder: tests/test_heatmap.py reads this file too.
const cases = JSON.parse(readFileSync(new URL("./heatmap-cases.json", import.meta.url), "utf8"));

for (const [token, shown] of cases.shownToken)
  test(`the token ${JSON.stringify(token)} is shown as ${shown}`, () => assert.equal(shownToken(token), shown));

for (const [tokens, length] of cases.labelLength)
  test(`labels ${JSON.stringify(tokens)} take ${length} characters`, () => assert.equal(labelLength(tokens), length));

for (const [scores, limit] of cases.scoreLimit)
  test(`the scale of the scores ${JSON.stringify(scores)} ends at ${limit}`, () => assert.equal(scoreLimit(scores), limit));

test("a token that is no word any more is cut where it stands as a label", () => {
  assert.equal(shownToken("a".repeat(401)), `${"a".repeat(400)}…`);
  assert.equal(shownToken("a".repeat(400)), "a".repeat(400));
});

for (const [weights, mask, words] of cases.headWords)
  test(`the weights ${JSON.stringify(weights)}, mask ${JSON.stringify(mask)}, are in words: ${words}`, () => {
    const two = { h: 1, nq: 2, nk: 2, queryTokens: ["x", "y"], keyTokens: ["x", "y"], headLabels: null };
    const head = readFrame({ ...frame(), ...two, weights: [weights], mask });
    const said = new HeadWords(head);
    for (const query of [0, 1]) said.add(query, head.row(0, query));
    assert.equal(said.result.words, words);
  });

for (const [entropies, words] of cases.comparison)
  test(`heads of ${JSON.stringify(entropies)} bits: ${words || "nothing to compare"}`, () =>
    assert.equal(comparison(entropies.map((/** @type {number | null} */ bits) => bits ?? NaN)), words));

/** @type {[string, [number, number], boolean, [number, number] | null][]} */
const moves = [
  ["ArrowDown", [3, 4], false, [4, 4]],
  ["ArrowUp", [0, 4], false, [0, 4]],
  ["ArrowLeft", [3, 0], false, [3, 0]],
  ["ArrowRight", [3, 4], false, [3, 5]],
  ["Home", [3, 4], false, [3, 0]],
  ["End", [3, 4], false, [3, 7]],
  ["Home", [3, 4], true, [0, 0]],
  ["End", [3, 4], true, [29, 7]],
  ["PageDown", [3, 4], false, [13, 4]],
  ["PageDown", [25, 4], false, [29, 4]],
  ["PageUp", [3, 4], false, [0, 4]],
  ["ArrowDown", [3, 4], true, null],
  ["x", [3, 4], false, null],
];
for (const [key, [query, column], control, to] of moves)
  test(`${control ? "Ctrl+" : ""}${key} from ${query}, ${column} leads to ${to}`, () =>
    assert.deepEqual(
      moved({ query, key: column }, key, control, { nq: 30, nk: 8 }),
      to && { query: to[0], key: to[1] },
    ));
