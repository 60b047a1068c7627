/**
 * All rows of a source, one after the other: had from a worker if there can be one, and looked at in slices, so that the page
 * answers in between.
 *
 * @typedef {import("./source.js").Source} Source
 * @typedef {import("./attend.js").Lazy} Lazy
 */

const SLICE = 8; // ms of work between two chances for the page to answer
const PORTION = 64; // rows that are had from a worker at once

/**
 * @param {Source} source
 * @param {{nq: number, lazy: Lazy | null}} frame
 * @param {AbortSignal | null} signal     null: wanted in any case
 * @param {(query: number, row: Float32Array) => void} visit
 * @returns {Promise<boolean>}    whether it came to the end
 */
export async function eachRow(source, { nq, lazy }, signal, visit) {
  const breath = breather();
  for (let query = 0; query < nq; query++) {
    if (query % PORTION === 0) await lazy?.worker?.settle(source, query, Math.min(nq, query + PORTION), signal);
    await breath();
    if (signal?.aborted) return false;
    visit(query, source.row(query));
  }
  return true;
}

/** Has what the shades of a source depend on: all its rows, on a scale that ends at the largest. @param {Source} source @param {{nq: number, lazy: Lazy | null}} frame */
export async function settleScale({ whole }, { nq, lazy }) {
  if (whole) await lazy?.worker?.settle(whole, 0, nq, null);
}

/** To be awaited between two pieces of work: lets the page answer if it has had to wait for long. */
export function breather() {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < SLICE) return;
    await new Promise((resume) => setTimeout(resume));
    since = performance.now();
  };
}
