/**
 * Which part of a frame the large picture shows: all of it, or of many tokens a part that moves. Pure.
 *
 * @typedef {import("./source.js").Axis} Axis
 * @typedef {import("./source.js").CellPlace} CellPlace
 * @typedef {import("./source.js").Line} Line
 * @typedef {object} Extent
 * @property {number} query     the first row that is shown
 * @property {number} key       the first column
 * @property {number} nq        how many rows
 * @property {number} nk        how many columns
 */

const MOST_WHOLE = 64; // tokens of one axis; more words than that would cover each other
const PART = 48;
const PART_OF_NARROW = 16; // on a phone: cells that a finger can tell apart

/** @param {number} n @param {boolean} narrow */
const shown = (n, narrow) => (n <= MOST_WHOLE ? n : narrow ? PART_OF_NARROW : PART);

/**
 * @param {{nq: number, nk: number}} frame
 * @param {boolean} narrow      there is a phone's width for it
 * @returns {Extent}
 */
export const extentOf = ({ nq, nk }, narrow = false) => ({ query: 0, key: 0, nq: shown(nq, narrow), nk: shown(nk, narrow) });

/**
 * Whether more lies outside the extent.
 * @param {{nq: number, nk: number}} frame
 */
export const isPartial = ({ nq, nk }) => Math.max(nq, nk) > MOST_WHOLE;

/**
 * The extent that has this place in it: the same one if it does, else with the place in its middle.
 * @param {Extent} extent
 * @param {CellPlace} place     an axis that is -1 stays where it is
 * @param {{nq: number, nk: number}} frame
 * @param {boolean} centred     in the middle in any case
 * @returns {Extent}
 */
export function following(extent, place, { nq, nk }, centred = false) {
  /** @param {number} start @param {number} size @param {number} at @param {number} most */
  const along = (start, size, at, most) => {
    if (at < 0 || (!centred && at >= start && at < start + size)) return start;
    return Math.max(0, Math.min(most - size, at - (size >> 1)));
  };
  const query = along(extent.query, extent.nq, place.query, nq);
  const key = along(extent.key, extent.nk, place.key, nk);
  return query === extent.query && key === extent.key ? extent : { ...extent, query, key };
}
