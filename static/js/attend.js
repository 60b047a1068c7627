/**
 * The weights of a lazy frame, computed row by row: softmax(q·Kᵀ·scale) over the keys that are not masked. Pure.
 *
 * A row of 1,024 keys and d_k = 64 takes about a tenth of a millisecond, so nothing is computed that nobody looks at.
 *
 * @typedef {import("./frame.js").AttentionFrame} AttentionFrame
 * @typedef {import("./frame.js").Opened} Opened
 */

const MOST_NUMBERS = 5 * 1024 * 1024; // of rows that are kept: 21 MB, five heads of 1,024 × 1,024

/**
 * @param {Opened} frame
 * @param {NonNullable<AttentionFrame["lazy"]>} lazy
 * @param {(query: number, key: number) => boolean} blocked
 * @returns {(head: number, query: number) => Float32Array}
 */
export function attend({ h, nq, nk, mask, buffers }, { queries, keys, dk, scale }, blocked) {
  const [Q, K] = [buffers?.[queries.buffer], buffers?.[keys.buffer]]; // (h, nq, dk), (h, nk, dk)
  if (Q?.length !== h * nq * dk || K?.length !== h * nk * dk)
    throw new Error(`(${h}, ${nq}, ${nk}) weights of d_k = ${dk} do not come from ${Q?.length ?? 0} and ${K?.length ?? 0} numbers.`);
  const kept = new Recent(Math.max(1, Math.floor(MOST_NUMBERS / nk)));
  const open = mask === null;
  return (head, query) => {
    const name = head * nq + query;
    const known = kept.get(name);
    if (known) return known;
    const row = new Float32Array(nk);
    const from = name * dk;
    let most = -Infinity;
    for (let key = 0, at = head * nk * dk; key < nk; key++, at += dk) {
      let dot = 0;
      for (let i = 0; i < dk; i++) dot += /** @type {number} */ (Q[from + i]) * /** @type {number} */ (K[at + i]);
      const score = open || !blocked(query, key) ? dot * scale : -Infinity;
      row[key] = score;
      if (!(score <= most)) most = score; // NaN wins, and makes the row NaN as it does in NumPy
    }
    let sum = 0;
    for (let key = 0; key < nk; key++) sum += row[key] = Math.exp(/** @type {number} */ (row[key]) - most);
    for (let key = 0; key < nk; key++) row[key] = /** @type {number} */ (row[key]) / sum;
    kept.set(name, row);
    return row;
  };
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
