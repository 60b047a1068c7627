/**
 * The weights of a lazy frame, computed row by row: softmax(q·Kᵀ·scale) over the keys that are not masked. Pure.
 *
 * A row of 1,024 keys and d_k = 64 takes about a tenth of a millisecond, so nothing is computed that nobody looks at, and what many rows take
 * is had beforehand from a worker (helper.js).
 *
 * @typedef {import("./frame.js").Opened} Opened
 * @typedef {{Q: Float32Array | Uint8Array, K: Float32Array | Uint8Array}} Head    (nq, dk) and (nk, dk) of one head
 * @typedef {Pick<Opened, "nq" | "nk" | "mask" | "buffers"> & {dk: number, scale: number}} Size
 * @typedef {object} Lazy
 * @property {number} most          rows that are kept at the same time
 * @property {Size} size            what, beside a head's own numbers, rows are computed from
 * @property {(head: number) => Head} part
 * @property {(head: number, query: number) => Float32Array} row     (nk); computed here if it is not kept
 * @property {(head: number, query: number) => boolean} has     whether it is kept
 * @property {(head: number, query: number, row: Float32Array) => void} keep    what was computed elsewhere
 * @property {import("./helper.js").Helper | null} worker     who computes rows beforehand, elsewhere
 */

const MOST_NUMBERS = 5 * 1024 * 1024; // of rows that are kept: 21 MB, five heads of 1,024 × 1,024

/**
 * @param {import("./frame.js").Recipe} recipe
 * @returns {Lazy}
 */
export function attend({ data: { nq, nk, mask, buffers }, lazy: { queries, keys, dk, scale }, blocked }) {
  const [Q, K] = [buffers?.[queries.buffer], buffers?.[keys.buffer]]; // (h, nq, dk), (h, nk, dk)
  if (!Q || !K) throw new Error("The frame carries neither weights nor queries and keys.");
  const most = Math.max(1, Math.floor(MOST_NUMBERS / nk));
  const kept = new Recent(most);
  const cells = mask && typeof mask === "object" && "buffer" in mask ? buffers?.[mask.buffer] : null;
  const size = { nq, nk, dk, scale, ...(cells ? { mask: { buffer: 0 }, buffers: [cells] } : { mask }) };
  const open = mask === null ? null : blocked;
  /** @param {number} head @returns {Head} */
  const part = (head) => ({ Q: Q.subarray(head * nq * dk, (head + 1) * nq * dk), K: K.subarray(head * nk * dk, (head + 1) * nk * dk) });
  return {
    most,
    size,
    part,
    worker: null,
    has: (head, query) => kept.has(head * nq + query),
    keep: (head, query, row) => kept.set(head * nq + query, row),
    row(head, query) {
      const known = kept.get(head * nq + query);
      if (known) return known;
      const row = rowOf(part(head), query, size, open);
      kept.set(head * nq + query, row);
      return row;
    },
  };
}

/**
 * softmax(q·Kᵀ·scale) of one query over the keys that are open to it.
 * @param {Head} head
 * @param {number} query
 * @param {{nk: number, dk: number, scale: number}} size
 * @param {((query: number, key: number) => boolean) | null} blocked
 * @returns {Float32Array<ArrayBuffer>}     (nk)
 */
export function rowOf({ Q, K }, query, { nk, dk, scale }, blocked) {
  const row = new Float32Array(nk);
  const from = query * dk;
  let most = -Infinity;
  for (let key = 0, at = 0; key < nk; key++, at += dk) {
    let dot = 0;
    for (let i = 0; i < dk; i++) dot += /** @type {number} */ (Q[from + i]) * /** @type {number} */ (K[at + i]);
    const score = blocked?.(query, key) ? -Infinity : dot * scale;
    row[key] = score;
    if (!(score <= most)) most = score; // NaN wins, and makes the row NaN as it does in NumPy
  }
  let sum = 0;
  for (let key = 0; key < nk; key++) sum += row[key] = Math.exp(/** @type {number} */ (row[key]) - most);
  for (let key = 0; key < nk; key++) row[key] = /** @type {number} */ (row[key]) / sum;
  return row;
}

/** Rows that were asked for last. */
class Recent {
  /** @type {Map<number, Float32Array>} */
  #rows = new Map();
  #most;

  /** @param {number} most */
  constructor(most) {
    this.#most = most;
  }

  /** @param {number} name */
  has(name) {
    return this.#rows.has(name);
  }

  /** @param {number} name */
  get(name) {
    const row = this.#rows.get(name);
    if (row) {
      this.#rows.delete(name);
      this.#rows.set(name, row);
    }
    return row;
  }

  /** @param {number} name @param {Float32Array} row */
  set(name, row) {
    this.#rows.set(name, row);
    if (this.#rows.size <= this.#most) return;
    const [oldest] = this.#rows.keys();
    if (oldest !== undefined) this.#rows.delete(oldest);
  }
}
