/**
 * What a screen reader says of the heat map: one sentence for a line, one for a cell. Pure.
 *
 * @typedef {import("./frame.js").Frame} Frame
 * @typedef {import("./source.js").CellPlace} CellPlace
 * @typedef {import("./source.js").Line} Line
 * @typedef {import("./source.js").Source} Source
 */

import { rank, spokenPercent } from "./scale.js";
import { across, blockedOn, valuesOf } from "./source.js";

const MOST_SPOKEN = 3;

/**
 * "Head 2 of 4, query it, 6 of 12: animal 62 per cent, tired 21 per cent".
 * @param {Frame} frame
 * @param {Source} source
 * @param {Line} line
 */
export function lineSentence(frame, source, line) {
  const { axis, index } = line;
  const [tokens, count] = axis === "query" ? [frame.queries, frame.nq] : [frame.keys, frame.nk];
  const where = `${source.spoken}, ${axis} ${tokens[index]}, ${index + 1} of ${count}`;
  const { top } = rank(valuesOf(source, line), MOST_SPOKEN, blockedOn(frame, line));
  if (top.length === 0) return `${where}: no weight is a number`;
  const names = across(frame, line);
  const said = top.map(({ index, weight }) => `${names[index]} ${spokenPercent(weight)}`).join(", ");
  return `${where}: ${axis === "query" ? "" : "attended to by "}${said}`;
}

/**
 * "it to animal: 0.617"; "masked" or "not a number" where that is so.
 * @param {Frame} frame
 * @param {Source} source
 * @param {CellPlace} cell
 */
export const cellSentence = (frame, source, cell) =>
  `${frame.queries[cell.query]} to ${frame.keys[cell.key]}: ${exact(frame, source, cell)}`;

/**
 * What a cell holds, for its name in the accessibility tree: "animal, 62 per cent".
 * @param {Frame} frame
 * @param {Source} source
 * @param {CellPlace} cell
 */
export function cellName(frame, source, { query, key }) {
  const value = frame.blocked(query, key) ? "masked" : spokenPercent(source.row(query)[key] ?? NaN);
  return `${frame.keys[key]}, ${value}`;
}

/**
 * "0.617", "+0.120" of a difference, "masked", "not a number".
 * @param {Frame} frame
 * @param {Source} source
 * @param {CellPlace} cell
 */
export function exact(frame, source, { query, key }) {
  if (frame.blocked(query, key)) return "masked";
  const value = source.row(query)[key] ?? NaN;
  if (Number.isNaN(value)) return "not a number";
  return `${source.signed && value > 0 ? "+" : ""}${value.toFixed(3).replace("-", "−")}`;
}
