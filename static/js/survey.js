/**
 * One head of any size seen whole: pooled to a small picture, with what can be measured on the way. Rows that are still to be
 * computed come from a worker if there can be one; the rest is done in slices, so that the page answers in between.
 *
 * Shades are pooled, not weights: what a shade is may depend on the row and on the token. Pooling takes the strongest of
 * each block, with its sign: a mean would fade a diagonal of one cell to nothing.
 *
 * @typedef {import("./matrix.js").Palette} Palette
 * @typedef {import("./source.js").Source} Source
 * @typedef {object} Survey
 * @property {Float32Array} pooled      (rows · columns), row-major
 * @property {number} rows
 * @property {number} columns
 */

import { put, shadeOf } from "./matrix.js";

const SLICE = 8; // ms of computing between two chances for the page to answer
const PORTION = 64; // rows that are had from a worker at once

/**
 * @param {Source} source
 * @param {{nq: number, nk: number, lazy: import("./attend.js").Lazy | null}} frame
 * @param {number} most         rows and columns of the small picture, at most
 * @param {AbortSignal} signal
 * @param {(query: number) => void} [visit]  called for every row on the way
 * @returns {Promise<Survey | null>}    null if it was not wanted any more
 */
export async function survey(source, { nq, nk, lazy }, most, signal, visit) {
  const [rows, columns] = [Math.min(nq, most), Math.min(nk, most)];
  const pooled = new Float32Array(rows * columns);
  let since = performance.now();
  for (let query = 0; query < nq; query++) {
    if (lazy?.worker && query % PORTION === 0) {
      await lazy.worker.settle(source, query, Math.min(nq, query + PORTION), signal);
      if (signal.aborted) return null;
      since = performance.now();
    } else if (performance.now() - since > SLICE) {
      await new Promise((resume) => setTimeout(resume));
      if (signal.aborted) return null;
      since = performance.now();
    }
    const shades = source.row(query).map((value, key) => source.shade(value, query, key));
    visit?.(query);
    pool(shades, pooled.subarray(Math.floor((query * rows) / nq) * columns), columns);
  }
  return { pooled, rows, columns };
}

/** @param {HTMLCanvasElement} canvas @param {Survey} survey @param {Palette} palette */
export function drawSurvey(canvas, { pooled, rows, columns }, palette) {
  // To set a size throws the canvas's memory away, even if it is the same.
  if (canvas.width !== columns) canvas.width = columns;
  if (canvas.height !== rows) canvas.height = rows;
  const image = new ImageData(columns, rows);
  pooled.forEach((shade, i) => put(image.data, 4 * i, shadeOf(palette, shade)));
  canvas.getContext("2d")?.putImageData(image, 0, 0);
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
    const shade = /** @type {number} */ (row[key]);
    if (Math.abs(shade) > Math.abs(/** @type {number} */ (into[at]))) into[at] = shade;
  }
}
