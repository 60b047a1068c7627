/**
 * What the large picture shows now: the numbers, their shades, and what they are called. Pure.
 *
 * @typedef {import("./frame.js").Frame} Frame
 * @typedef {"query" | "key"} Axis
 * @typedef {{axis: Axis, index: number}} Line      a row (of one query) or a column (of one key)
 * @typedef {{query: number, key: number}} CellPlace     one of them is -1 where only a row or a column is meant
 * @typedef {object} Rows
 * @property {readonly number[]} heads  whose weights they are made of
 * @property {(query: number) => boolean} has     whether a row needs no more computing
 * @property {(query: number) => Float32Array} row     (nk), as read out; NaN where it is no number
 *
 * @typedef {object} Look
 * @property {string} name              "Head 2, same word"
 * @property {string} spoken            "Head 2 of 4"
 * @property {number | null} head       the one head it is, if it is one
 * @property {string} scale             what stands beside the legend
 * @property {readonly string[]} ticks  from the scale's left end to its right
 * @property {boolean} signed           the numbers are differences
 * @property {boolean} diverging        the scale has two sides
 * @property {(key: number) => Float32Array} column    (nq)
 * @property {(value: number, query: number, key?: number) => number} shade   from 0 (the page) to 1; from -1 if diverging
 * @property {(token: string) => boolean} [faint]   tokens that step back
 * @property {Rows} [whole]             what has to be had of all rows before there are shades
 *
 * @typedef {Rows & Look} Source
 */

import { headName } from "./frame.js";

/**
 * One head's weights on the scale from 0 to 1 that all heads share.
 * @param {Frame} frame
 * @param {number} head
 * @returns {Source}
 */
export const plainSource = (frame, head) => ({
  name: headName(frame, head),
  spoken: `Head ${head + 1} of ${frame.h}`,
  head,
  heads: [head],
  has: (query) => frame.lazy?.has(head, query) ?? true,
  scale: "weight",
  ticks: ["0", "¼", "½", "¾", "1"],
  signed: false,
  diverging: false,
  row: (query) => frame.row(head, query),
  column: (key) => frame.column(head, key),
  shade: (weight) => Math.max(0, weight),
});

/**
 * @param {Source} source
 * @param {Line} line
 */
export const valuesOf = (source, { axis, index }) => (axis === "query" ? source.row(index) : source.column(index));

/**
 * Whether a place on a line is masked.
 * @param {Frame} frame
 * @param {Line} line
 */
export const blockedOn = (frame, { axis, index }) =>
  axis === "query"
    ? (/** @type {number} */ other) => frame.blocked(index, other)
    : (/** @type {number} */ other) => frame.blocked(other, index);

/**
 * The tokens across a line: the keys of a row, the queries of a column.
 * @param {Frame} frame
 * @param {Line} line
 */
export const across = (frame, { axis }) => (axis === "query" ? frame.keys : frame.queries);

/**
 * @param {Line | null} one
 * @param {Line | null} other
 */
export const sameLine = (one, other) => one?.axis === other?.axis && one?.index === other?.index;

/**
 * A place on a line, which names no place across it.
 * @param {Line} line
 * @returns {CellPlace}
 */
export const placeOn = ({ axis, index }) => (axis === "query" ? { query: index, key: -1 } : { query: -1, key: index });

/**
 * The line that a place is read on: by the axis that is set, unless the place names only one.
 * @param {CellPlace} place
 * @param {Axis} axis
 * @returns {Line}
 */
export function lineAt({ query, key }, axis) {
  const along = query < 0 ? "key" : key < 0 ? "query" : axis;
  return { axis: along, index: along === "query" ? query : key };
}
