/**
 * Other ways to look at a head: other scales, the mean of all heads, the difference of two, without the first key, with
 * special tokens stepping back. Pure.
 *
 * @typedef {import("./frame.js").Frame} Frame
 * @typedef {import("./source.js").Source} Source
 * @typedef {"linear" | "root" | "row" | "head" | "lift"} Scale
 * @typedef {{scale: Scale, against: "none" | "mean" | number, hideFirst: boolean, dimSpecial: boolean}} Lens
 */

import { plainSource } from "./source.js";

/** @type {readonly {value: Scale, name: string}[]} */
export const SCALES = [
  { value: "linear", name: "linear, 0 to 1" },
  { value: "root", name: "square root" },
  { value: "row", name: "each row's largest" },
  { value: "head", name: "the head's largest" },
  { value: "lift", name: "times uniform" },
];

/** @type {Lens} */
export const PLAIN = { scale: "linear", against: "none", hideFirst: false, dimSpecial: false };

/** What tokenizers add to a text, as BERT, GPT, LLaMA and others write it. */
const SPECIAL = /^(\[(CLS|SEP|PAD|MASK|UNK|BOS|EOS)\]|<\/?(s|pad|mask|unk|cls|sep|bos|eos)>|<\|[^|]+\|>|<(start|end)_of_\w+>)$/i;
const DIM = 0.25; // of its shade remains

/** @param {string} token */
export const isSpecial = (token) => SPECIAL.test(token);

const LIFT = 4; // the scale ends at 2⁴ times what uniform attention gives

/**
 * @param {Lens} lens
 * @returns {(frame: Frame, head: number) => Source}
 */
export const through =
  ({ scale, against, hideFirst, dimSpecial }) =>
  (frame, head) => {
    let source = plainSource(frame, head);
    if (against === "mean") source = meanOf(frame);
    else if (against !== "none") source = differenceOf(frame, head, against);
    if (hideFirst) source = withoutFirst(source);
    source = source.signed ? source : scaled(frame, source, scale);
    return dimSpecial ? dimmed(frame, source) : source;
  };

/** Rows and columns of special tokens are drawn fainter; their numbers stay. @param {Frame} frame @param {Source} source @returns {Source} */
function dimmed({ queries, keys }, source) {
  const [rows, columns] = [queries.map(isSpecial), keys.map(isSpecial)];
  return {
    ...source,
    name: `${source.name}, special tokens dimmed`,
    get scale() {
      return source.scale;
    },
    faint: isSpecial,
    shade: (value, query, key = -1) => (rows[query] || columns[key] ? DIM : 1) * source.shade(value, query, key),
  };
}

/** @param {Frame} frame @returns {Source} */
function meanOf(frame) {
  const heads = Array.from({ length: frame.h }, (_, head) => head);
  return {
    ...plainSource(frame, 0),
    name: `Mean of all ${frame.h} heads`,
    spoken: `Mean of all ${frame.h} heads`,
    scale: "mean weight",
    head: null,
    ...lines(frame, heads, (query) => sum(heads.map((head) => frame.row(head, query)), 1 / frame.h)),
  };
}

/** @param {Frame} frame @param {number} head @param {number} other @returns {Source} */
const differenceOf = (frame, head, other) => ({
  name: `Head ${head + 1} − head ${other + 1}`,
  spoken: `Head ${head + 1} minus head ${other + 1}`,
  head: null,
  scale: "difference",
  ticks: ["−1", "0", "+1"],
  signed: true,
  diverging: true,
  shade: (value) => value,
  ...lines(frame, [head, other], (query) => frame.row(head, query).map((weight, key) => weight - (frame.row(other, query)[key] ?? NaN))),
});

/** The first key draws what a head has no use for; without it the rest shows. @param {Source} source @returns {Source} */
const withoutFirst = (source) => ({
  ...source,
  name: `${source.name}, first key hidden`,
  row: (query) => source.row(query).map((weight, key) => (key === 0 ? 0 : weight)),
  column: (key) => (key === 0 ? source.column(key).map(() => 0) : source.column(key)),
});

/** @param {Frame} frame @param {Source} source @param {Scale} scale @returns {Source} */
function scaled(frame, source, scale) {
  switch (scale) {
    case "linear":
      return source;
    case "root":
      return { ...source, scale: `√ of the ${source.scale}`, ticks: ["0", "1⁄16", "¼", "9⁄16", "1"], shade: (weight) => Math.sqrt(Math.max(0, weight)) };
    case "row": {
      const most = keeping((query) => largest(source.row(query)) || 1);
      return { ...source, scale: `${source.scale}, of the row’s largest`, ticks: SHARES, shade: (weight, query) => weight / most(query) };
    }
    case "head":
      return ofLargest(frame, source);
    case "lift": {
      const open = keeping((query) => frame.keys.reduce((count, _, key) => count + (frame.blocked(query, key) ? 0 : 1), 0));
      const shade = (/** @type {number} */ weight, /** @type {number} */ query) =>
        weight > 0 ? Math.max(0, Math.log2(weight * open(query)) / LIFT) : 0;
      return { ...source, scale: `${source.scale}, times uniform`, ticks: ["≤ 1", "2", "4", "8", "16"], shade };
    }
  }
}

/**
 * On a scale that ends at the largest weight of all rows. Of a lazy frame they are still to come: until then the scale does
 * not say what it is.
 * @param {Frame} frame @param {Source} source @returns {Source}
 */
function ofLargest(frame, source) {
  /** @type {Map<number, number>} */
  const tops = new Map();
  const top = keeping((query) => largest(source.row(query)), tops);
  let most = 0;
  const end = () => {
    if (!most) for (let query = 0; query < frame.nq; query++) most = Math.max(most, top(query));
    return (most ||= 1);
  };
  const row = (/** @type {number} */ query) => (top(query), source.row(query));
  return {
    ...source,
    get scale() {
      const known = !frame.lazy || tops.size === frame.nq;
      return `${source.scale}, of the head’s largest${known ? ` (${end().toFixed(2)})` : ""}`;
    },
    ticks: SHARES,
    shade: (weight) => weight / end(),
    ...(frame.lazy ? { whole: { heads: source.heads, has: (query) => tops.has(query), row } } : {}),
  };
}

const SHARES = ["0", "¼", "½", "¾", "max"];

/** @param {Float32Array} row */
const largest = (row) => row.reduce((most, weight) => (weight > most ? weight : most), 0);

/** @param {readonly Float32Array[]} rows @param {number} factor */
const sum = (rows, factor) => (rows[0] ?? new Float32Array()).map((_, key) => factor * rows.reduce((total, row) => total + (row[key] ?? NaN), 0));

/**
 * Rows that are made when they are asked for, and columns of them.
 * @param {Frame} frame
 * @param {readonly number[]} heads     what they are made of
 * @param {(query: number) => Float32Array} make
 */
function lines({ nq, lazy }, heads, make) {
  /** @type {Map<number, Float32Array>} */
  const made = new Map();
  const row = keeping(make, made);
  return { heads, has: (/** @type {number} */ query) => !lazy || made.has(query), row, column: (/** @type {number} */ key) => Float32Array.from({ length: nq }, (_, query) => row(query)[key] ?? NaN) };
}

/** @template T @param {(query: number) => T} make @param {Map<number, T>} [made] */
function keeping(make, made = new Map()) {
  return (/** @type {number} */ query) => {
    const known = made.get(query) ?? make(query);
    made.set(query, known);
    return known;
  };
}
