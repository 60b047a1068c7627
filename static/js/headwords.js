/**
 * A whole head in a sentence: its strongest pair, how spread out it is and, as measured, its kind. Pure.
 *
 * `sitebuilder/headwords.py` says the same but for the kind; tests/js/heatmap-cases.json keeps them equal.
 *
 * @typedef {import("./frame.js").Frame} Frame
 */

import { headName } from "./frame.js";
import { HeadMeasure, kindText } from "./kinds.js";
import { eachRow } from "./rows.js";
import { plainSource } from "./source.js";

/** A token inside a sentence keeps its direction to itself. @param {string | undefined} token */
const isolated = (token) => `\u2068${token ?? ""}\u2069`;

/**
 * Takes rows; `result` says "strongest it → animal, 0.62; entropy 1.30 of at most 3.58 bits".
 */
export class HeadWords {
  #frame;
  #measure;
  #best = { weight: -Infinity, query: 0, key: 0, choice: false };

  /** @param {Frame} frame */
  constructor(frame) {
    this.#frame = frame;
    this.#measure = new HeadMeasure(frame);
  }

  /** @param {number} query @param {Float32Array} row */
  add(query, row) {
    this.#measure.add(query, row);
    const choice = row.reduce((open, _, key) => open + (this.#frame.blocked(query, key) ? 0 : 1), 0) > 1;
    let best = this.#best;
    row.forEach((weight, key) => {
      // A row with one key left to it has no choice, so any other row says more.
      if (Number.isFinite(weight) && (choice === best.choice ? weight > best.weight : choice)) best = { weight, query, key, choice };
    });
    this.#best = best;
  }

  /** @returns {{words: string, entropy: number, kind: string}} */
  get result() {
    const { nk, queries, keys } = this.#frame;
    const { weight, query, key } = this.#best;
    const { result } = this.#measure;
    if (weight === -Infinity) return { words: "no weight is a number", entropy: NaN, kind: "" };
    const pair = `strongest ${isolated(queries[query])} → ${isolated(keys[key])}, ${weight.toFixed(2)}`;
    const spread = Number.isNaN(result.entropy) ? "" : `; entropy ${result.entropy.toFixed(2)} of at most ${Math.log2(nk).toFixed(2)} bits`;
    return { words: `${pair}${spread}`, entropy: result.entropy, kind: kindText(result) };
  }
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
 * The first `count` heads in a sentence each, and how they compare; null if nobody wants them any more.
 * @param {Frame} frame
 * @param {number} count
 * @param {AbortSignal | null} signal
 * @returns {Promise<string[] | null>}
 */
export async function allWords(frame, count, signal) {
  const heads = [];
  for (let head = 0; head < count; head++) {
    const words = new HeadWords(frame);
    if (!(await eachRow(plainSource(frame, head), frame, signal, (query, row) => words.add(query, row)))) return null;
    heads.push(words.result);
  }
  const lines = heads.map(({ words, kind }, head) => `${headName(frame, head)}: ${words}${kind && `; ${kind}`}.`);
  return [...lines, comparison(heads.map(({ entropy }) => entropy))].filter(Boolean);
}
