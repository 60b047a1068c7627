/**
 * One head of any size seen whole: pooled to a small picture, with what can be measured on the way.
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
import { eachRow, settleScale } from "./rows.js";

/**
 * @param {Source} source
 * @param {{nq: number, nk: number, lazy: import("./attend.js").Lazy | null}} frame
 * @param {number} most         rows and columns of the small picture, at most
 * @param {AbortSignal} signal
 * @param {(query: number) => void} [visit]  called for every row on the way
 * @returns {Promise<Survey | null>}    null if it was not wanted any more
 */
export async function survey(source, frame, most, signal, visit) {
  const { nq, nk } = frame;
  const [rows, columns] = [Math.min(nq, most), Math.min(nk, most)];
  const pooled = new Float32Array(rows * columns);
  await settleScale(source, frame);
  const complete = await eachRow(source, frame, signal, (query, row) => {
    const shades = row.map((value, key) => source.shade(value, query, key));
    visit?.(query);
    pool(shades, pooled.subarray(Math.floor((query * rows) / nq) * columns), columns);
  });
  return complete ? { pooled, rows, columns } : null;
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
