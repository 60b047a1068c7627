/**
 * One row or column of the heat map in words: the fixed read-out and the shaded sentence.
 *
 * @typedef {import("./frame.js").Frame} Frame
 * @typedef {import("./source.js").CellPlace} CellPlace
 * @typedef {import("./source.js").Line} Line
 * @typedef {import("./source.js").Source} Source
 */

import { reflect } from "./attributes.js";
import { h as make } from "./dom.js";
import { entropy, mostEntropy, rank } from "./scale.js";
import { exact } from "./sentences.js";
import { across, blockedOn, valuesOf } from "./source.js";
import { count } from "./words.js";

const MOST_BARS = 8;

const HOW_BY_TOUCH = "Tap a row to read it, or slide along the words beside and above the cells.";
const HOW = "Point at a row to read it, or at a word above for its column; click to keep it. With the keyboard: arrow keys and Enter";

/**
 * @typedef {{name: Text, place: Text, item: HTMLElement, share: Text, bar: HTMLElement}} Row
 * @typedef {{line: HTMLElement, axis: Text, token: Text, place: Text, verb: Text, word: HTMLElement, pin: HTMLElement}} Title
 * @typedef {{line: HTMLElement, query: Text, key: Text, score: Text, exact: Text, all: (Node | string)[]}} Value
 * @typedef {{how: HTMLElement, title: Title, bars: HTMLElement, rows: Row[], rest: Text[], sum: Text, value: Value}} Parts
 */

/** The elements of a read-out are made once: the pointer changes its words many times a second. @type {WeakMap<HTMLElement, Parts>} */
const made = new WeakMap();

const words = () => document.createTextNode("");

/** @param {HTMLElement} element @returns {Parts} */
function partsOf(element) {
  const known = made.get(element);
  if (known) return known;
  const rows = Array.from({ length: MOST_BARS }, () => {
    const [name, place, share, bar] = [words(), words(), words(), make("span", { class: "hm-bar" })];
    const key = make("span", { class: "hm-key" }, make("bdi", {}, name), make("small", {}, place));
    return { item: make("li", {}, key, make("span", { class: "hm-share" }, share), bar), name, place, share, bar };
  });
  const rest = [words(), words(), words()];
  const [title, value, sum] = [makeTitle(), makeValue(), words()];
  const bars = make("ol", { class: "hm-bars" });
  const [others, share, masked] = rest.map((text, i) => make("span", i === 1 ? { class: "hm-share" } : {}, text));
  const how = make("p", { class: "hm-how" });
  const all = [how, title.line, bars, make("p", { class: "hm-rest" }, others ?? "", share ?? "", masked ?? ""), make("p", { class: "hm-sum" }, sum), value.line];
  const parts = { how, title, bars, rows, rest, sum, value };
  made.set(element, parts);
  element.replaceChildren(...all);
  return parts;
}

/** "Query it (6 of 12) attends to". @returns {Title} */
function makeTitle() {
  const [axis, token, place, verb] = [words(), words(), words(), words()];
  const [word, pin] = [make("i", {}, token), make("small", { class: "hm-pin" }, "pinned")];
  const line = make("p", { class: "hm-title" });
  line.append(axis, word, make("small", {}, place), verb, pin);
  return { line, axis, token, place, verb, word, pin };
}

/** "it → animal, score 2.31 → weight 0.617". @returns {Value} */
function makeValue() {
  const [query, key, score, value] = [words(), words(), words(), words()];
  const [from, to] = [make("i", { class: "sym-query" }, query), make("i", { class: "sym-key" }, key)];
  const all = [from, " → ", to, make("span", { class: "hm-score" }, score), make("b", {}, value)];
  return { line: make("p", { class: "hm-value" }), query, key, score, exact: value, all };
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
  const isNew = !made.has(element);
  const parts = partsOf(element);
  if (isNew) {
    parts.how.textContent = matchMedia("(hover: none)").matches ? HOW_BY_TOUCH : `${HOW}${frame.h > 1 ? ", [ and ] for the heads" : ""}.`;
    // Unseen, but with its fonts and glyphs found: else the first row that is read takes thrice as long.
    const first = { query: 0, key: 0 };
    showWords(parts, frame, source, { axis: "query", index: 0 }, { pinned, cell: first });
    showValue(parts.value, frame, source, first);
  }
  element.toggleAttribute("data-idle", line === null);
  if (!line) return;
  showWords(parts, frame, source, line, { pinned, cell });
  showValue(parts.value, frame, source, cell);
}

/**
 * @param {Parts} parts
 * @param {Frame} frame
 * @param {Source} source
 * @param {Line} line
 * @param {{pinned: boolean, cell: CellPlace | null}} state
 */
function showWords(parts, frame, source, line, { pinned, cell }) {
  const ofQuery = line.axis === "query";
  const values = valuesOf(source, line);
  const blocked = blockedOn(frame, line);
  const { top, rest } = rank(values, MOST_BARS, blocked, source.signed);
  const names = across(frame, line);
  const other = ofQuery ? "key" : "query";
  const masked = names.filter((_, place) => blocked(place)).length;
  const at = cell && (ofQuery ? cell.key : cell.query);
  const empty = top.length > 0 ? "" : masked === names.length ? " has every key masked" : " has no weight that is a number";
  showTitle(parts.title, frame, source, line, { pinned, empty });
  parts.rows.forEach((row, i) => {
    const share = top[i];
    if (share) fillRow(row, names, share, at === share.index);
    row.item.toggleAttribute("data-none", !share);
    if (!row.item.parentNode && (share || i < frame.nk)) parts.bars.append(row.item); // and it stays: to come anew takes longer
  });
  setValue(parts.bars, "--none", String(parts.bars.childElementCount - top.length));
  const others = [
    rest ? `${rest.count} other ${rest.count === 1 ? other : PLURAL[other]}` : "",
    rest ? rest.percent : "",
    masked ? `${masked} masked` : "",
  ];
  others.forEach((text, i) => setText(parts.rest[i], text));
  setText(parts.sum, summary(frame, source, line, values, blocked));
}

/** Change a text, not its element: the browser then has only words to lay out. @param {Text | undefined} text @param {string} to */
function setText(text, to) {
  if (text && text.data !== to) text.data = to;
}

/** Setting it makes the browser style the element anew, even where nothing changes. @param {HTMLElement} element @param {boolean} hidden */
function hide(element, hidden) {
  if (element.hidden !== hidden) element.hidden = hidden;
}

/** @type {Record<string, string>} */
const PLURAL = { key: "keys", query: "queries" };

/**
 * @param {Title} parts
 * @param {Frame} frame
 * @param {Source} source
 * @param {Line} line
 * @param {{pinned: boolean, empty: string}} state     why there is nothing to show, if so
 */
function showTitle({ axis, token, place, verb, word, pin }, frame, source, line, { pinned, empty }) {
  const ofQuery = line.axis === "query";
  const [tokens, number] = ofQuery ? [frame.queries, frame.nq] : [frame.keys, frame.nk];
  const attends = source.signed ? " differs at" : ofQuery ? " attends to" : " is attended to by";
  setText(axis, ofQuery ? "Query " : "Key ");
  reflect(word, "class", `sym-${line.axis}`);
  setText(token, tokens[line.index] ?? "");
  setText(place, ` (${line.index + 1} of ${number})`);
  setText(verb, empty || attends);
  hide(pin, !pinned);
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
 * The weight of the cell that is pointed at, and the score that it was made of, where the frame has scores.
 * @param {Value} parts
 * @param {Frame} frame
 * @param {Source} source
 * @param {CellPlace | null} cell
 */
function showValue({ line, query, key, score, exact: value, all }, frame, source, cell) {
  if (!cell) return line.replaceChildren();
  setText(query, frame.queries[cell.query] ?? "");
  setText(key, frame.keys[cell.key] ?? "");
  const before = source.head === null ? undefined : frame.scores?.(source.head)[cell.query * frame.nk + cell.key];
  setText(score, before === undefined ? "" : `score ${before.toFixed(2).replace("-", "−")} → weight`);
  setText(value, exact(frame, source, cell));
  if (!line.firstChild) line.append(...all);
}

/**
 * A token, with its place where the same token stands twice, and its weight.
 * @param {Row} row
 * @param {readonly string[]} tokens
 * @param {import("./scale.js").Share} share
 * @param {boolean} marked
 */
function fillRow(row, tokens, { index, weight, percent }, marked) {
  const token = tokens[index] ?? "";
  const twice = tokens.some((other, place) => other === token && place !== index);
  row.item.toggleAttribute("data-marked", marked);
  setText(row.name, token);
  setText(row.place, twice ? ` ${index + 1}` : "");
  setText(row.share, percent);
  reflect(row.bar, "class", weight < 0 ? "hm-bar hm-less" : "hm-bar");
  row.bar.style.backgroundSize = `max(1px, ${(100 * Math.min(1, Math.abs(weight))).toFixed(1)}%)`;
}

/**
 * Set a custom property, unless it has the value: setting makes the browser style the element anew.
 * @param {HTMLElement} element
 * @param {string} name
 * @param {string} value
 */
function setValue({ style }, name, value) {
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
    // In steps that an eye can tell apart: each change makes the browser style a word anew.
    setValue(span, "--w", (Math.round(20 * Math.max(0, values?.[place] || 0)) / 20).toFixed(2));
    span.toggleAttribute("data-asking", frame.selfAttention && place === line?.index);
  });
}
