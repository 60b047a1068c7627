/**
 * What kind of head it is, measured from its weights: the mean share of each row that goes where the kind says. Pure.
 *
 * @typedef {"previous token" | "next token" | "itself" | "first token" | "same token" | "broad"} Kind
 * @typedef {object} Measure
 * @property {number} entropy       mean over the rows, in bits
 * @property {Kind | null} kind     null: no kind explains as much as `ENOUGH` of the weights
 * @property {number} score         of the kind, 0 to 1; of a broad head, its entropy as a share of the largest possible
 */

import { entropy } from "./scale.js";

const ENOUGH = 0.4;
const BROAD = 0.8; // of the largest entropy that the open keys allow

/** Adds up rows; `result` tells what they come to. */
export class HeadMeasure {
  #frame;
  #rows = 0;
  #entropy = 0;
  #spread = { sum: 0, rows: 0 };
  /** @type {Map<Kind, {sum: number, rows: number}>} */
  #shares = new Map();

  /** @param {{keys: readonly string[], queries: readonly string[], selfAttention: boolean, blocked: (query: number, key: number) => boolean}} frame */
  constructor(frame) {
    this.#frame = frame;
  }

  /** @param {number} query @param {Float32Array} row */
  add(query, row) {
    const bits = entropy(row);
    if (Number.isNaN(bits)) return;
    this.#rows += 1;
    this.#entropy += bits;
    const { keys, queries, selfAttention, blocked } = this.#frame;
    const open = keys.reduce((count, _, key) => count + (blocked(query, key) ? 0 : 1), 0);
    if (open > 1) {
      this.#spread.sum += bits / Math.log2(open);
      this.#spread.rows += 1;
    }
    /** @param {Kind} kind @param {number} share */
    const count = (kind, share) => {
      const seen = this.#shares.get(kind) ?? { sum: 0, rows: 0 };
      this.#shares.set(kind, { sum: seen.sum + share, rows: seen.rows + 1 });
    };
    /** @param {number} key */
    const weight = (key) => row[key] || 0;
    if (open < 2) return; // a row with one key says nothing of where a head looks
    if (selfAttention) {
      count("itself", weight(query));
      if (query > 0) count("previous token", weight(query - 1));
      if (query > 1) count("first token", weight(0));
      if (query + 1 < row.length && !blocked(query, query + 1)) count("next token", weight(query + 1));
    }
    let [same, twice] = [0, false];
    keys.forEach((token, key) => {
      if (token !== queries[query] || (selfAttention && key === query) || blocked(query, key)) return;
      twice = true;
      same += weight(key);
    });
    if (twice) count("same token", same);
  }

  /** @returns {Measure} */
  get result() {
    const mean = this.#rows ? this.#entropy / this.#rows : NaN;
    const spread = this.#spread.rows ? this.#spread.sum / this.#spread.rows : 0;
    let [kind, score] = [/** @type {Kind | null} */ (null), 0];
    for (const [name, { sum, rows }] of this.#shares) if (rows > 1 && sum / rows > score) [kind, score] = [name, sum / rows];
    if (score < ENOUGH) [kind, score] = spread >= BROAD ? ["broad", spread] : [null, score];
    return { entropy: mean, kind, score };
  }
}

/**
 * "previous token 82 %", "mixed".
 * @param {Measure} measure
 */
export const kindText = ({ kind, score }) => (kind === null ? "mixed" : `${kind} ${Math.round(100 * score)}\u202f%`);
