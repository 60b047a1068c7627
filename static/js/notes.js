/**
 * What is wrong with weights that no Python has looked at, as of an `.npz` file: the sentences of lectern/checks.py. Pure.
 *
 * @typedef {{kind: string, text: string}} Note
 * @typedef {{h: number, nq: number, nk: number, weights: Float32Array, blocked: ((query: number, key: number) => boolean) | null, queries: readonly string[]}} Weights
 */

const MOST_NUMBERS = 4_000_000; // larger arrays are judged by their first heads
const TOLERANCE = 1e-3;
const SATURATED = 0.99;
const FEW_KEYS = 4;

/**
 * @param {Weights} given
 * @returns {Note[]}
 */
export function notesOn(given) {
  const h = Math.min(given.h, Math.max(1, Math.floor(MOST_NUMBERS / (given.nq * given.nk))));
  const looked = { ...given, h, weights: given.weights.subarray(0, h * given.nq * given.nk) };
  return [notNumbers(looked), negative(looked), sums(looked), leaks(looked), ahead(looked), identical(looked), saturated(looked)].filter((note) => note !== null);
}

/**
 * Scores that are not divided by √d_k, as far as the factor tells.
 * @param {number} scale
 * @param {number} dk
 * @returns {Note[]}
 */
export function scaleNotes(scale, dk) {
  const right = dk ** -0.5;
  if (Math.abs(scale - right) <= 1e-3 * right) return [];
  /** @param {number} value */
  const digits = (value) => Number(value.toPrecision(3));
  return [{ kind: "scale", text: `The scores are scaled by ${digits(scale)}; 1/√d_k is ${digits(right)} for d_k = ${dk}.` }];
}

/** @param {Weights} w @returns {Note | null} */
function notNumbers({ h, nq, nk, weights, blocked, queries }) {
  const count = weights.reduce((sum, weight) => sum + (Number.isFinite(weight) ? 0 : 1), 0);
  if (!count) return null;
  const closed = queries.map((_, q) => q).filter((q) => blocked && all(nk, (k) => blocked(q, k)));
  if (closed.length && all(h, (head) => closed.every((q) => all(nk, (k) => !Number.isFinite(weights[(head * nq + q) * nk + k])))))
    return { kind: "nan", text: `Every key is masked for ${listed(closed.map((q) => queries[q] ?? ""))}: softmax divides 0 by 0 there, which gives NaN (crossed).` };
  const cells = count === 1 ? "1 weight is" : `${count.toLocaleString("en")} weights are`;
  return { kind: "nan", text: `${cells} not a number (crossed). A row in which every key is masked does that.` };
}

/** @param {Weights} w @returns {Note | null} */
function negative({ weights }) {
  const below = weights.reduce((sum, weight) => sum + (weight < 0 ? 1 : 0), 0);
  if (!below) return null;
  const cells = below === 1 ? "1 weight is" : `${below.toLocaleString("en")} weights are`;
  return { kind: "negative", text: `${cells} below 0. Are these the scores, before softmax?` };
}

/** @param {Weights} w @returns {Note | null} */
function sums({ h, nq, nk, weights }) {
  /** How far the sums along one axis are from 1, at most. @param {number} lines @param {number} length @param {(line: number, i: number) => number} at */
  const off = (lines, length, at) => {
    let most = 0;
    for (let line = 0; line < lines; line++) {
      let sum = 0;
      for (let i = 0; i < length; i++) sum += weights[at(line, i)] ?? NaN;
      if (Number.isFinite(sum)) most = Math.max(most, Math.abs(sum - 1));
    }
    return most;
  };
  const byRow = off(h * nq, nk, (line, k) => line * nk + k);
  if (byRow <= TOLERANCE) return null;
  if (off(h * nk, nq, (line, q) => (Math.floor(line / nk) * nq + q) * nk + (line % nk)) <= TOLERANCE)
    return { kind: "axis", text: "Each column sums to 1 and the rows do not: softmax ran over the queries (axis −2). It belongs over the keys, axis −1." };
  if (h > 1 && off(nq * nk, h, (cell, head) => head * nq * nk + cell) <= TOLERANCE)
    return { kind: "axis", text: "The heads sum to 1 in each cell: softmax ran over the heads. It belongs over the keys, axis −1." };
  return { kind: "sum", text: `Rows do not sum to 1 (off by up to ${Number(byRow.toPrecision(2))}). Is softmax taken over the keys, axis −1?` };
}

/** @param {Weights} w @returns {Note | null} */
function leaks({ h, nq, nk, weights, blocked }) {
  if (!blocked) return null;
  let [most, head, row, open] = [0, 0, 0, 0];
  for (let line = 0; line < h * nq; line++) {
    let leaked = 0;
    for (let k = 0; k < nk; k++) {
      const weight = finite(weights[line * nk + k]);
      if (blocked(line % nq, k)) leaked += weight;
      else open += weight;
    }
    if (leaked > most * (1 + 1e-6)) [most, head, row] = [leaked, Math.floor(line / nq), line % nq];
  }
  if (most <= TOLERANCE) return null;
  const hint = open <= TOLERANCE ? "Is the mask inverted?" : "The mask belongs on the scores, as −∞ before softmax.";
  return { kind: "mask", text: `Row ${row + 1}${h > 1 ? ` (head ${head + 1})` : ""} gives ${Math.round(100 * most)}% of its weight to masked keys. ${hint}` };
}

/** Some heads give later keys nothing, not even a little, others do. @param {Weights} w @returns {Note | null} */
function ahead({ h, nq, nk, weights, blocked }) {
  if (blocked || nq !== nk || nq < 3 || h < 2) return null;
  const heads = Array.from({ length: h }, (_, head) => head);
  const later = heads.map((head) => {
    let sum = 0;
    for (let q = 0; q < nq; q++) for (let k = q + 1; k < nk; k++) sum += Math.abs(finite(weights[(head * nq + q) * nk + k]));
    return sum;
  });
  const looking = heads.filter((head) => Number(later[head]) > TOLERANCE);
  const others = heads.filter((head) => later[head] === 0);
  /** A row that looks at one key only says nothing of a mask. @param {number} head */
  const sure = (head) => all(nq, (q) => weights.subarray((head * nq + q) * nk, (head * nq + q + 1) * nk).some((weight) => weight > SATURATED));
  if (!looking.length || !others.length || others.every(sure)) return null;
  const which = looking.length === 1 ? `Head ${(looking[0] ?? 0) + 1} looks` : `Heads ${listed(looking.map((head) => String(head + 1)))} look`;
  return { kind: "ahead", text: `${which} above the diagonal, the others do not. Did a causal mask miss some heads?` };
}

/** @param {Weights} w @returns {Note | null} */
function identical({ h, nq, nk, weights }) {
  const size = nq * nk;
  if (h < 2 || nk < 2 || !weights.every((weight) => Number.isFinite(weight))) return null;
  /** @param {number} one @param {number} other */
  const equal = (one, other) => all(size, (i) => Math.round(1e5 * finite(weights[one * size + i])) === Math.round(1e5 * finite(weights[other * size + i])));
  for (let head = 0; head < h; head++) {
    const same = Array.from({ length: h - head }, (_, i) => head + i).filter((other) => other === head || equal(head, other));
    if (same.length < 2) continue;
    const cells = weights.subarray(head * size, (head + 1) * size);
    if (cells.reduce((a, b) => Math.max(a, b), -Infinity) - cells.reduce((a, b) => Math.min(a, b), Infinity) < TOLERANCE)
      return { kind: "uniform", text: "Several heads are uniform: every key gets the same weight. Are the scores all equal?" };
    return { kind: "identical", text: `Heads ${listed(same.map((other) => String(other + 1)))} are identical. Do they share one projection?` };
  }
  return null;
}

/** @param {Weights} w @returns {Note | null} */
function saturated({ h, nq, nk, weights, blocked }) {
  let [rows, sure] = [0, 0];
  for (let line = 0; line < h * nq; line++) {
    const keys = blocked ? nk - count(nk, (k) => blocked(line % nq, k)) : nk;
    if (keys < FEW_KEYS) continue;
    const most = weights.subarray(line * nk, (line + 1) * nk).reduce((a, b) => Math.max(a, b), 0);
    if (!Number.isFinite(most)) return null;
    rows += 1;
    if (most > SATURATED) sure += 1;
  }
  if (rows < FEW_KEYS || sure / rows < 0.8) return null;
  return { kind: "saturated", text: "Nearly every row puts all its weight on one key. Training can do that; in an untrained layer, are the scores divided by √d_k?" };
}

/** @param {number | undefined} weight */
const finite = (weight) => (weight !== undefined && Number.isFinite(weight) ? weight : 0);

/** @param {number} n @param {(i: number) => boolean} test */
const count = (n, test) => Array.from({ length: n }, (_, i) => test(i)).filter(Boolean).length;

/** @param {number} n @param {(i: number) => boolean} test */
function all(n, test) {
  for (let i = 0; i < n; i++) if (!test(i)) return false;
  return true;
}

/** "a", "a and b", "a, b and c"; after five, how many more. @param {string[]} items */
function listed(items) {
  const shown = items.length > 5 ? [...items.slice(0, 5), `${items.length - 5} more`] : items;
  return [shown.slice(0, -1).join(", "), shown.at(-1)].filter(Boolean).join(" and ");
}
