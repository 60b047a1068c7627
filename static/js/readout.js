/**
 * One row or column of the heat map in words: the fixed read-out and the shaded sentence.
 *
 * @typedef {import("./frame.js").Frame} Frame
 * @typedef {import("./source.js").CellPlace} CellPlace
 * @typedef {import("./source.js").Line} Line
 * @typedef {import("./source.js").Source} Source
 */

import { h as make } from "./dom.js";
import { entropy, mostEntropy, rank } from "./scale.js";
import { exact } from "./sentences.js";
import { across, blockedOn, valuesOf } from "./source.js";
import { count } from "./words.js";

const MOST_BARS = 8;

const HOW_BY_TOUCH = "Tap a row to read it, or slide along the words beside and above the cells.";
const HOW = "Point at a row to read it, or at a word above for its column; click to keep it. With the keyboard: arrow keys and Enter";

/** @typedef {{title: HTMLElement, bars: HTMLElement, rows: Row[], rest: HTMLElement[], sum: HTMLElement, value: HTMLElement, all: HTMLElement[]}} Parts */
/** @typedef {{item: HTMLElement, key: HTMLElement, share: HTMLElement, bar: HTMLElement}} Row */

/** The elements of a read-out are made once: the pointer changes its words many times a second. @type {WeakMap<HTMLElement, Parts>} */
const made = new WeakMap();

/** @param {HTMLElement} element @returns {Parts} */
function partsOf(element) {
  const known = made.get(element);
  if (known) return known;
  const rows = Array.from({ length: MOST_BARS }, () => {
    const [key, share, bar] = [make("span", { class: "hm-key" }), make("span", { class: "hm-share" }), make("span", {})];
    return { item: make("li", {}, key, share, bar), key, share, bar };
  });
  const rest = [make("span"), make("span", { class: "hm-share" }), make("span")];
  const title = make("p", { class: "hm-title" });
  const bars = make("ol", { class: "hm-bars" });
  const [sum, value] = [make("p", { class: "hm-sum" }), make("p", { class: "hm-value" })];
  const parts = { title, bars, rows, rest, sum, value, all: [title, bars, make("p", { class: "hm-rest" }, ...rest), sum, value] };
  made.set(element, parts);
  return parts;
}

/**
 * Fill the read-out: how to use it while nothing is shown, else the line's largest weights and the remainder.
 * @param {HTMLElement} element
 * @param {Frame} frame
 * @param {Source} source
 * @param {Line | null} line
 * @param {{pinned: boolean, cell: CellPlace | null}} state
 */
export function showReadout(element, frame, source, line, { pinned, cell }) {
  const parts = partsOf(element);
  element.toggleAttribute("data-idle", line === null);
  parts.value.replaceChildren(
    ...(cell ? [...pair(frame, cell), ...scoreOf(frame, source, cell), make("b", {}, exact(frame, source, cell))] : []),
  );
  if (line === null) {
    const how = matchMedia("(hover: none)").matches ? HOW_BY_TOUCH : `${HOW}${frame.h > 1 ? ", [ and ] for the heads" : ""}.`;
    element.replaceChildren(make("p", { class: "hm-how" }, how), parts.value);
    return;
  }
  const ofQuery = line.axis === "query";
  const values = valuesOf(source, line);
  const blocked = blockedOn(frame, line);
  const { top, rest } = rank(values, MOST_BARS, blocked, source.signed);
  const names = across(frame, line);
  const other = ofQuery ? "key" : "query";
  const masked = names.filter((_, place) => blocked(place)).length;
  const at = cell && (ofQuery ? cell.key : cell.query);
  parts.title.replaceChildren(...title(frame, source, line, { pinned, empty: top.length === 0 }));
  top.forEach(({ index, weight, percent: share }, i) => fillRow(parts.rows[i], tokenName(names, index), weight, share, at === index));
  if (parts.bars.childElementCount !== top.length) parts.bars.replaceChildren(...parts.rows.slice(0, top.length).map(({ item }) => item));
  const others = [
    rest ? `${rest.count} other ${rest.count === 1 ? other : PLURAL[other]}` : "",
    rest ? rest.percent : "",
    masked ? `${masked} masked` : "",
  ];
  others.forEach((text, i) => setText(parts.rest[i], text));
  setText(parts.sum, summary(frame, source, line, values, blocked));
  if (element.firstChild !== parts.title) element.replaceChildren(...parts.all);
}

/** @param {HTMLElement | undefined} element @param {string} text */
function setText(element, text) {
  if (element && element.textContent !== text) element.textContent = text;
}

/** @type {Record<string, string>} */
const PLURAL = { key: "keys", query: "queries" };

/**
 * @param {Frame} frame
 * @param {Source} source
 * @param {Line} line
 * @param {{pinned: boolean, empty: boolean}} state
 */
function title(frame, source, { axis, index }, { pinned, empty }) {
  const ofQuery = axis === "query";
  const [tokens, number] = ofQuery ? [frame.queries, frame.nq] : [frame.keys, frame.nk];
  const verb = source.signed ? " differs at" : ofQuery ? " attends to" : " is attended to by";
  return [
    ofQuery ? "Query " : "Key ",
    make("i", { class: `sym-${axis}` }, tokens[index] ?? ""),
    make("small", {}, ` (${index + 1} of ${number})`),
    empty ? " has no weight that is a number" : verb,
    ...(pinned ? [make("small", { class: "hm-pin" }, "pinned")] : []),
  ];
}

/**
 * How spread out a row is, in bits; of a column, that it need not sum to 1.
 * @param {Frame} frame
 * @param {Source} source
 * @param {Line} line
 * @param {Float32Array} values
 * @param {(place: number) => boolean} blocked
 */
function summary(frame, source, { axis }, values, blocked) {
  if (source.signed) return "";
  if (axis === "key") {
    const total = values.reduce((sum, weight) => sum + (weight || 0), 0);
    return `Sums to ${total.toFixed(2)} over ${count(frame.nq, "row")}: only rows have to sum to 1.`;
  }
  const bits = entropy(values);
  return Number.isNaN(bits) ? "" : `Entropy ${bits.toFixed(2)} of at most ${mostEntropy(values, blocked).toFixed(2)} bits.`;
}

/**
 * @param {Frame} frame
 * @param {CellPlace} cell
 */
const pair = (frame, { query, key }) => [
  make("i", { class: "sym-query" }, frame.queries[query] ?? ""),
  " → ",
  make("i", { class: "sym-key" }, frame.keys[key] ?? ""),
];

/**
 * The score that the weight was made of, where the frame has scores.
 * @param {Frame} frame
 * @param {Source} source
 * @param {CellPlace} cell
 */
function scoreOf(frame, { head }, { query, key }) {
  if (head === null || !frame.scores) return [];
  const score = frame.scores(head)[query * frame.nk + key] ?? NaN;
  return [make("span", { class: "hm-score" }, `score ${score.toFixed(2).replace("-", "−")} → weight`)];
}

/**
 * @param {Row | undefined} row
 * @param {(Node | string)[]} name
 * @param {number} weight
 * @param {string} share
 * @param {boolean} marked
 */
function fillRow(row, name, weight, share, marked) {
  if (!row) return;
  row.item.toggleAttribute("data-marked", marked);
  row.key.replaceChildren(...name);
  setText(row.share, share);
  row.bar.className = weight < 0 ? "hm-bar hm-less" : "hm-bar";
  setValue(row.bar, "--w", Math.min(1, Math.abs(weight)).toFixed(3));
}

/**
 * A token; where the same token stands twice, with its place.
 * @param {readonly string[]} tokens
 * @param {number} index
 */
function tokenName(tokens, index) {
  const token = tokens[index] ?? "";
  const twice = tokens.filter((other) => other === token).length > 1;
  return [make("bdi", {}, token), ...(twice ? [make("small", {}, ` ${index + 1}`)] : [])];
}

/**
 * Set a custom property, unless it has the value: setting makes the browser style the element anew.
 * @param {HTMLElement} element
 * @param {string} name
 * @param {string} value
 */
export function setValue({ style }, name, value) {
  if (style.getPropertyValue(name) !== value) style.setProperty(name, value);
}

/**
 * The tokens as running text, one span each, in the direction of the first; `showStrip` shades them.
 * @param {readonly string[]} tokens
 */
export const makeStrip = (tokens) =>
  make("p", { class: "hm-strip", dir: "auto", "aria-hidden": "true" }, ...tokens.flatMap((token) => [make("span", {}, token), " "]));

/**
 * @param {HTMLElement} strip
 * @param {Frame} frame
 * @param {Source} source
 * @param {Line | null} line
 */
export function showStrip(strip, frame, source, line) {
  const shown = line && across(frame, line).length === strip.children.length && !source.signed ? line : null;
  const values = shown && valuesOf(source, shown);
  [...strip.children].forEach((span, place) => {
    if (!(span instanceof HTMLElement)) return;
    setValue(span, "--w", Math.max(0, values?.[place] || 0).toFixed(2));
    span.toggleAttribute("data-asking", frame.selfAttention && place === line?.index);
  });
}
