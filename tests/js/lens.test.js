/** Other ways to look at a head, what kind of head it is, and its numbers taken along. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { linked } from "../../static/js/attributes.js";
import { linkTo } from "../../static/js/export.js";
import { readFrame } from "../../static/js/frame.js";
import { HeadMeasure, kindText } from "../../static/js/kinds.js";
import { isSpecial, PLAIN, through } from "../../static/js/lens.js";
import { csvOf, jsonOf, numpyOf } from "../../static/js/numbers.js";
import { plainSource } from "../../static/js/source.js";

/** @typedef {import("../../static/js/lens.js").Lens} Lens */

/** @returns {import("../../static/js/frame.js").AttentionFrame} two heads over "a", "b" and "a" again */
const data = () => ({
  version: 2,
  h: 2,
  nq: 3,
  nk: 3,
  queryTokens: ["a", "b", "a"],
  keyTokens: ["a", "b", "a"],
  weights: [
    [1, 0, 0, 0.75, 0.25, 0, 0, 0.9, 0.1],
    [0.5, 0.25, 0.25, 0, 0.5, 0.5, 0.2, 0.2, 0.6],
  ],
  scores: null,
  mask: null,
  headLabels: null,
  checks: [],
});
const frame = readFrame(data());

/** @param {Partial<Lens>} lens @param {number} [head] */
const seen = (lens, head = 0) => through({ ...PLAIN, ...lens })(frame, head);
/** @param {ArrayLike<number>} values */
const rounded = (values) => Array.from(values, (value) => Number(value.toFixed(3)));

/** @type {[string, Partial<Lens>, number[], number[]][]} what, lens, values of query 1, their shades */
const views = [
  ["linear", {}, [0.75, 0.25, 0], [0.75, 0.25, 0]],
  ["the square root", { scale: "root" }, [0.75, 0.25, 0], [0.866, 0.5, 0]],
  ["each row's largest", { scale: "row" }, [0.75, 0.25, 0], [1, 0.333, 0]],
  ["the head's largest", { scale: "head" }, [0.75, 0.25, 0], [0.75, 0.25, 0]],
  ["times uniform", { scale: "lift" }, [0.75, 0.25, 0], [0.292, 0, 0]],
  ["the mean of all heads", { against: "mean" }, [0.375, 0.375, 0.25], [0.375, 0.375, 0.25]],
  ["the difference of two heads", { against: 1 }, [0.75, -0.25, -0.5], [0.75, -0.25, -0.5]],
  ["without the first key", { hideFirst: true }, [0, 0.25, 0], [0, 0.25, 0]],
];
for (const [what, lens, values, shades] of views)
  test(`${what}: the numbers stay, or are what the name says, and zero is the page`, () => {
    const source = seen(lens);
    assert.deepEqual(rounded(source.row(1)), values);
    assert.deepEqual(rounded(Array.from(source.row(1), (value) => source.shade(value, 1))), shades);
    assert.equal(source.shade(0, 1), 0);
    assert.deepEqual(rounded(source.column(1)), [0, 1, 2].map((query) => rounded(source.row(query))[1]));
  });

test("every scale has another name, and the mean and the difference say so", () => {
  const names = /** @type {const} */ (["linear", "root", "row", "head", "lift"]).map((scale) => seen({ scale }).scale);
  assert.equal(new Set(names).size, 5);
  assert.deepEqual([seen({ against: "mean" }).name, seen({ against: 1 }).name], ["Mean of all 2 heads", "Head 1 − head 2"]);
  assert.equal(seen({ hideFirst: true }).name, "Head 1, first key hidden");
});

/** @param {string[]} tokens @param {number[][]} rows */
function measured(tokens, rows) {
  const measure = new HeadMeasure({ keys: tokens, queries: tokens, selfAttention: true, blocked: () => false });
  rows.forEach((row, query) => measure.add(query, Float32Array.from(row)));
  return measure.result;
}
const WORDS = ["a", "b", "c", "a", "e"];
/** @param {(query: number, key: number) => boolean} most */
const pattern = (most) => WORDS.map((_, q) => WORDS.map((_, k) => (most(q, k) ? 0.8 : 0.05)));

/** @type {[string, number[][]][]} */
const heads = [
  ["previous token 80 %", pattern((q, k) => k === q - 1)],
  ["next token 80 %", pattern((q, k) => k === q + 1)],
  ["itself 80 %", pattern((q, k) => k === q)],
  ["first token 80 %", pattern((_, k) => k === 0)],
  ["same token 80 %", pattern((q, k) => q !== k && WORDS[q] === WORDS[k])],
  ["broad 100 %", WORDS.map(() => WORDS.map(() => 0.2))],
  ["mixed", WORDS.map((_, q) => WORDS.map((_, k) => (k === [2, 4, 1, 1, 2][q] ? 1 : 0)))],
];
for (const [kind, rows] of heads)
  test(`a head that is ${kind} is called so`, () => assert.equal(kindText(measured(WORDS, rows)).replace("\u202f", " "), kind));

test("a head's entropy is the mean over its rows, in bits", () => {
  assert.equal(measured(["a", "b"], [[1, 0], [0.5, 0.5]]).entropy, 0.5);
});

test("CSV quotes what needs it and keeps seven digits", async () => {
  const odd = readFrame({ ...data(), keyTokens: ['say "a"', "b,c", "d"], weights: [[1 / 3, 0, 1, 0, 0, 0, 0, 0, null], data().weights === null ? [] : Array(9).fill(0)] });
  assert.equal(
    await csvOf({ frame: odd, source: plainSource(odd, 0) }),
    'query \\ key,"say ""a""","b,c",d\r\na,0.3333333,0,1\r\nb,0,0,0\r\na,0,0,nan\r\n',
  );
});

test("the code for NumPy names tokens and weights", async () => {
  const code = await numpyOf({ frame, source: plainSource(frame, 0) });
  assert.match(code, /^import numpy as np\n/);
  assert.match(code, /keys = \["a", "b", "a"\]/);
  assert.match(code, / {4}\[0\.75, 0\.25, 0\],/);
});

test("a frame with large arrays is the same after a way through JSON", async () => {
  const n = 180; // more bytes than become text at once
  const weights = Float32Array.from({ length: n * n }, (_, i) => (i === 7 ? NaN : Math.sin(i)));
  const mask = Uint8Array.from({ length: n * n }, (_, i) => (i % 5 === 0 ? 1 : 0));
  const tokens = Array.from({ length: n }, (_, i) => `w${i}`);
  const large = { ...data(), h: 1, nq: n, nk: n, queryTokens: tokens, keyTokens: tokens, weights: { buffer: 0 }, mask: { buffer: 1 }, buffers: [weights, mask] };
  const again = readFrame(JSON.parse(await (await jsonOf(large)).text()));
  assert.deepEqual(again.head(0), weights);
  assert.deepEqual([again.blocked(0, 0), again.blocked(0, 1), again.blocked(n - 1, n - 1)], [true, false, false]);
});

test("a head of zeros in one row still ends its scale at its own largest weight", () => {
  const odd = readFrame({ ...data(), weights: [[0, 0, 0, 0.5, 0.25, 0, 0, null, 0], Array(9).fill(0)] });
  const [source, none] = [0, 1].map((head) => through({ ...PLAIN, scale: "head" })(odd, head));
  assert.deepEqual([source?.shade(0.25, 1), none?.shade(0, 1)], [0.5, 0]);
  assert.match(source?.scale ?? "", /\(0\.50\)$/);
});

test("a link opens the head and line it was made of, on its own map only", () => {
  const size = { h: 4, nq: 12, nk: 12 };
  const link = linkTo("heads", 2, { axis: "query", index: 8 });
  assert.equal(link, "#map=heads&head=3&query=9");
  assert.deepEqual(linked(link, "heads", size), { head: 2, line: { axis: "query", index: 8 } });
  assert.deepEqual(linked(linkTo("heads", 0, { axis: "key", index: 1 }), "heads", size), { head: 0, line: { axis: "key", index: 1 } });
  assert.equal(linked(link, "heads-2", size), null);
  for (const odd of ["#map=heads&head=9&query=x", "#map=heads&head=-1", "#map=heads&query=1.5"])
    assert.deepEqual(linked(odd, "heads", size), { head: 0, line: null });
});

/** @type {[string, boolean][]} */
const tokens = [
  ["[CLS]", true],
  ["[sep]", true],
  ["<s>", true],
  ["</s>", true],
  ["<pad>", true],
  ["<|endoftext|>", true],
  ["<start_of_turn>", true],
  ["[1]", false],
  ["<b>", false],
  ["s", false],
  ["[", false],
];
for (const [token, special] of tokens)
  test(`${token} is ${special ? "a special" : "an ordinary"} token`, () => assert.equal(isSpecial(token), special));

test("dimmed, rows and columns of special tokens keep their numbers and a quarter of their shades", () => {
  const marked = readFrame({ ...data(), queryTokens: ["[CLS]", "b", "a"], keyTokens: ["[CLS]", "b", "a"] });
  const source = through({ ...PLAIN, dimSpecial: true })(marked, 0);
  assert.deepEqual(rounded(source.row(1)), [0.75, 0.25, 0]);
  assert.equal(source.shade(0.75, 1, 0), 0.1875);
  assert.equal(source.shade(0.25, 1, 1), 0.25);
  assert.equal(source.shade(1, 0, 1), 0.25);
});
