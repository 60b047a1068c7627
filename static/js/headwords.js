/**
 * A whole head in a sentence: its strongest pair, how spread out it is and, as measured, its kind. Pure.
 *
 * `sitebuilder/headwords.py` says the same but for the kind; tests/js/heatmap-cases.json keeps them equal.
 *
 * @typedef {import("./frame.js").Frame} Frame
 */

import { headName } from "./frame.js";
import { HeadMeasure, kindText } from "./kinds.js";

/** A token inside a sentence keeps its direction to itself. @param {string | undefined} token */
const isolated = (token) => `\u2068${token ?? ""}\u2069`;

/**
 * "strongest it → animal, 0.62; entropy 1.30 of at most 3.58 bits".
 * @param {Frame} frame
 * @param {number} head
 * @returns {{words: string, entropy: number, kind: string}}
 */
export function headWords(frame, head) {
  const { nq, nk, queries, keys } = frame;
  const measure = new HeadMeasure(frame);
  let best = { weight: -Infinity, query: 0, key: 0, choice: false };
  for (let query = 0; query < nq; query++) {
    const row = frame.row(head, query);
    measure.add(query, row);
    const choice = row.reduce((open, _, key) => open + (frame.blocked(query, key) ? 0 : 1), 0) > 1;
    row.forEach((weight, key) => {
      // A row with one key left to it has no choice, so any other row says more.
      if (Number.isFinite(weight) && (choice === best.choice ? weight > best.weight : choice)) best = { weight, query, key, choice };
    });
  }
  const { result } = measure;
  if (best.weight === -Infinity) return { words: "no weight is a number", entropy: NaN, kind: "" };
  const pair = `strongest ${isolated(queries[best.query])} → ${isolated(keys[best.key])}, ${best.weight.toFixed(2)}`;
  const spread = Number.isNaN(result.entropy) ? "" : `; entropy ${result.entropy.toFixed(2)} of at most ${Math.log2(nk).toFixed(2)} bits`;
  return { words: `${pair}${spread}`, entropy: result.entropy, kind: kindText(result) };
}

/**
 * Which of several heads is the most pointed and which the most even; "" if that means nothing.
 * @param {readonly number[]} entropies     bits, one per head
 */
export function comparison(entropies) {
  const known = entropies.filter((bits) => !Number.isNaN(bits));
  const [least, most] = [Math.min(...known), Math.max(...known)];
  if (known.length < 2 || most - least < 0.01) return "";
  return `Head ${entropies.indexOf(least) + 1} is the most pointed, head ${entropies.indexOf(most) + 1} the most even.`;
}

/**
 * The first `count` heads in a sentence each, and how they compare.
 * @param {Frame} frame
 * @param {number} count
 * @returns {string[]}
 */
export function allWords(frame, count) {
  const heads = Array.from({ length: count }, (_, head) => headWords(frame, head));
  const lines = heads.map(({ words, kind }, head) => `${headName(frame, head)}: ${words}${kind && `; ${kind}`}.`);
  return [...lines, comparison(heads.map(({ entropy }) => entropy))].filter(Boolean);
}
