/**
 * One head of any size seen whole: pooled to a small picture, with what can be measured on the way. Works in slices, so
 * that the page answers in between.
 *
 * Pooling takes the largest value of each block, with its sign: a mean would fade a diagonal of one cell to nothing.
 *
 * @typedef {object} Survey
 * @property {Float32Array} pooled      (rows · columns), row-major
 * @property {number} rows
 * @property {number} columns
 */

const SLICE = 8; // ms of computing between two chances for the page to answer

/**
 * @param {(query: number) => Float32Array} row
 * @param {{nq: number, nk: number}} size
 * @param {number} most         rows and columns of the small picture, at most
 * @param {AbortSignal} signal
 * @param {(query: number, row: Float32Array) => void} [visit]  sees every row on the way
 * @returns {Promise<Survey | null>}    null if it was not wanted any more
 */
export async function survey(row, { nq, nk }, most, signal, visit) {
  const [rows, columns] = [Math.min(nq, most), Math.min(nk, most)];
  const pooled = new Float32Array(rows * columns);
  let since = performance.now();
  for (let query = 0; query < nq; query++) {
    if (performance.now() - since > SLICE) {
      await new Promise((resume) => setTimeout(resume));
      if (signal.aborted) return null;
      since = performance.now();
    }
    const weights = row(query);
    visit?.(query, weights);
    pool(weights, pooled.subarray(Math.floor((query * rows) / nq) * columns), columns);
  }
  return { pooled, rows, columns };
}

/**
 * @param {Float32Array} row
 * @param {Float32Array} into
 * @param {number} columns
 */
function pool(row, into, columns) {
  const share = columns / row.length;
  for (let key = 0; key < row.length; key++) {
    const at = (key * share) | 0;
    const weight = /** @type {number} */ (row[key]);
    if (Math.abs(weight) > Math.abs(/** @type {number} */ (into[at]))) into[at] = weight;
  }
}
