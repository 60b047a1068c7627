/**
 * One row of the heat map in words: the fixed read-out, the shaded sentence, and what a screen reader says.
 *
 * @typedef {import("./frame.js").Frame} Frame
 * @typedef {{query: number, key: number}} CellPlace
 */

import { h as make } from "./dom.js";
import { headName } from "./frame.js";
import { rank, spokenPercent } from "./scale.js";

const MOST_BARS = 6;
const MOST_SPOKEN = 3;

const HOW_BY_TOUCH = "Tap a row to read it, or slide along the words at its left.";
const HOW = "Point at a row to read it, click to keep it. With the keyboard: arrow keys and Enter";

/**
 * "Head 2 of 4, query it, 6 of 12: animal 62 per cent, tired 21 per cent".
 * @param {Frame} frame
 * @param {number} head
 * @param {number} query
 */
export function rowSentence(frame, head, query) {
  const where = `Head ${head + 1} of ${frame.h}, query ${frame.queries[query]}, ${query + 1} of ${frame.nq}`;
  const { top } = rank(frame.row(head, query), MOST_SPOKEN, (key) => frame.blocked(query, key));
  if (top.length === 0) return `${where}: no weight is a number`;
  return `${where}: ${top.map(({ index, weight }) => `${frame.keys[index]} ${spokenPercent(weight)}`).join(", ")}`;
}

/**
 * "it to animal: 0.617"; "masked" or "not a number" where that is so.
 * @param {Frame} frame
 * @param {number} head
 * @param {CellPlace} cell
 */
export const cellSentence = (frame, head, cell) =>
  `${frame.queries[cell.query]} to ${frame.keys[cell.key]}: ${exact(frame, head, cell)}`;

/**
 * What a cell holds, for its name in the accessibility tree: "animal, 62 per cent".
 * @param {Frame} frame
 * @param {number} head
 * @param {CellPlace} cell
 */
export function cellName(frame, head, { query, key }) {
  const value = frame.blocked(query, key) ? "masked" : spokenPercent(frame.row(head, query)[key] ?? NaN);
  return `${frame.keys[key]}, ${value}`;
}

/**
 * @param {Frame} frame
 * @param {number} head
 * @param {CellPlace} cell
 */
function exact(frame, head, { query, key }) {
  if (frame.blocked(query, key)) return "masked";
  const weight = frame.row(head, query)[key] ?? NaN;
  return Number.isNaN(weight) ? "not a number" : weight.toFixed(3);
}

/**
 * Fill the read-out: how to use it while no row is shown, else the row's largest keys and the remainder.
 * @param {HTMLElement} element
 * @param {Frame} frame
 * @param {number} head
 * @param {number | null} query
 * @param {{pinned: boolean, cell: CellPlace | null}} state
 */
export function showReadout(element, frame, head, query, { pinned, cell }) {
  element.toggleAttribute("data-idle", query === null);
  const value = make("p", { class: "hm-value" });
  if (cell)
    value.append(
      make("i", { class: "sym-query" }, frame.queries[cell.query] ?? ""),
      " → ",
      make("i", { class: "sym-key" }, frame.keys[cell.key] ?? ""),
      make("b", {}, exact(frame, head, cell)),
    );
  if (query === null) {
    const how = matchMedia("(hover: none)").matches ? HOW_BY_TOUCH : `${HOW}${frame.h > 1 ? ", [ and ] for the heads" : ""}.`;
    element.replaceChildren(make("p", { class: "hm-how" }, how), value);
    return;
  }
  const { top, rest } = rank(frame.row(head, query), MOST_BARS, (key) => frame.blocked(query, key));
  const masked = frame.keys.filter((_, key) => frame.blocked(query, key)).length;
  element.replaceChildren(
    make(
      "p",
      { class: "hm-title" },
      "Query ",
      make("i", { class: "sym-query" }, frame.queries[query] ?? ""),
      make("small", {}, ` (${query + 1} of ${frame.nq})`),
      top.length ? " attends to" : " has no weight that is a number",
      ...(pinned ? [make("small", { class: "hm-pin" }, "pinned")] : []),
    ),
    make(
      "ol",
      { class: "hm-bars" },
      ...top.map(({ index, weight, percent: share }) =>
        bar(make("span", { class: "hm-key" }, ...keyName(frame, index)), weight, share, cell?.key === index),
      ),
    ),
    make(
      "p",
      { class: "hm-rest" },
      make("span", {}, rest ? counted(rest.count, "other key") : ""),
      make("span", { class: "hm-share" }, rest ? rest.percent : ""),
      make("span", {}, masked ? `${counted(masked, "key")} masked` : ""),
    ),
    value,
  );
}

/**
 * @param {number} count
 * @param {string} noun
 */
const counted = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/**
 * @param {HTMLElement} key
 * @param {number} weight
 * @param {string} share
 * @param {boolean} marked
 */
const bar = (key, weight, share, marked) =>
  make(
    "li",
    { "data-marked": marked },
    key,
    make("span", { class: "hm-share" }, share),
    make("span", { class: "hm-bar", style: `--w:${Math.min(1, Math.max(0, weight)).toFixed(3)}` }),
  );

/**
 * A key's token; where the same token stands twice, with its place.
 * @param {Frame} frame
 * @param {number} index
 */
function keyName({ keys }, index) {
  const token = keys[index] ?? "";
  const twice = keys.filter((other) => other === token).length > 1;
  return twice ? [token, make("small", {}, ` ${index + 1}`)] : [token];
}

/**
 * The key tokens as running text, one span each; `showStrip` shades them.
 * @param {Frame} frame
 */
export const makeStrip = (frame) =>
  make(
    "p",
    { class: "hm-strip", "aria-hidden": "true" },
    ...frame.keys.flatMap((token, key) => [make("span", { "data-key": String(key) }, token), " "]),
  );

/**
 * @param {HTMLElement} strip
 * @param {Frame} frame
 * @param {number} head
 * @param {number | null} query
 */
export function showStrip(strip, frame, head, query) {
  const row = query === null ? null : frame.row(head, query);
  [...strip.children].forEach((span, key) => {
    if (!(span instanceof HTMLElement)) return;
    span.style.setProperty("--w", (row?.[key] || 0).toFixed(2));
    span.toggleAttribute("data-asking", frame.selfAttention && key === query);
  });
}

/**
 * All weights as plain tables, one per head, two decimals.
 * @param {Frame} frame
 * @param {readonly number[]} heads
 * @returns {HTMLElement[]}
 */
export const makeTables = (frame, heads) =>
  heads.map((head) =>
    make(
      "div",
      { class: "hm-table", role: "region", tabindex: "0", "aria-label": `Head ${head + 1}, table` },
      make(
        "table",
        {},
        make("caption", {}, headName(frame, head).replace(",", " ·")),
        make(
          "thead",
          {},
          make(
            "tr",
            {},
            make("th", { scope: "col" }, "query \\ key"),
            ...frame.keys.map((token) => make("th", { scope: "col" }, token)),
          ),
        ),
        make("tbody", {}, ...frame.queries.map((token, query) => tableRow(frame, head, token, query))),
      ),
    ),
  );

/**
 * @param {Frame} frame
 * @param {number} head
 * @param {string} token
 * @param {number} query
 */
const tableRow = (frame, head, token, query) =>
  make(
    "tr",
    {},
    make("th", { scope: "row" }, token),
    ...Array.from(frame.row(head, query), (weight, key) =>
      make("td", {}, frame.blocked(query, key) ? "masked" : Number.isNaN(weight) ? "NaN" : weight.toFixed(2)),
    ),
  );
