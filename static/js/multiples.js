/**
 * Up to four heads side by side, below the large picture: the same part, on the same scale, with one cursor in all of
 * them. A pointer on any of them reads, and a click keeps, as on the large picture.
 *
 * @typedef {import("./frame.js").Frame} Frame
 * @typedef {import("./heatmap.js").HeatMap} HeatMap
 * @typedef {import("./source.js").Source} Source
 * @typedef {{head: number, source: Source, element: HTMLElement, matrix: HTMLElement, canvas: HTMLCanvasElement, line: HTMLElement, spot: HTMLElement, words: HTMLElement}} Multiple
 */

import { h as make } from "./dom.js";
import { headName } from "./frame.js";
import { fit, paint, readPalette } from "./matrix.js";
import { rank } from "./scale.js";
import { across, blockedOn, valuesOf } from "./source.js";

const MOST = 4;
const MOST_KEYS = 3;

/**
 * @param {HeatMap} map
 * @param {(frame: Frame, head: number) => Source} sourceOf     how each head is to be looked at now
 */
export function makeMultiples(map, sourceOf) {
  const add = make("select", {});
  const row = make("div", { class: "hm-multiples" });
  const element = make("div", {}, make("div", { class: "hm-choices" }, make("label", {}, "Side by side: add", add)), row);
  /** @type {Multiple[]} */
  let shown = [];

  const mark = () => {
    const now = map.now;
    if (!now) return;
    const { frame, line } = now;
    for (const multiple of shown) {
      // A column takes all rows.
      const due = line?.axis === "key" && frame.lazy?.worker?.awaits(`column beside ${multiple.head}`, multiple.source, 0, frame.nq, mark);
      markOne(multiple, now, due ? null : line);
    }
  };
  const draw = () => {
    const now = map.now;
    if (!now) return;
    const palette = readPalette(map);
    for (const { head, source, matrix, canvas } of shown) {
      const due = now.frame.lazy?.worker?.awaitsPicture(`beside ${head}`, source, now.extent, draw) ?? false;
      canvas.toggleAttribute("data-due", due);
      if (due) continue;
      fit(canvas, matrix.getBoundingClientRect(), devicePixelRatio);
      paint(canvas, now.frame, source, now.extent, palette, devicePixelRatio);
    }
    mark();
  };
  /** They are to be looked at in another way. */
  const look = () => {
    const frame = map.now?.frame;
    if (frame) for (const multiple of shown) multiple.source = sourceOf(frame, multiple.head);
    draw();
  };
  const offer = () => {
    const frame = map.now?.frame;
    if (!frame) return;
    const free = Array.from({ length: frame.h }, (_, head) => head).filter((head) => shown.every((other) => other.head !== head));
    add.replaceChildren(make("option", { value: "" }, "a head"), ...free.map((head) => make("option", { value: String(head) }, headName(frame, head))));
    add.disabled = shown.length >= MOST;
    element.hidden = frame.h === 1;
  };
  /** @param {Multiple} multiple */
  const remove = (multiple) => {
    shown = shown.filter((other) => other !== multiple);
    multiple.element.remove();
    offer();
    add.focus();
  };
  add.addEventListener("change", () => {
    const frame = map.now?.frame;
    if (!frame || add.value === "") return;
    const head = Number(add.value);
    const multiple = makeOne(frame, head, sourceOf(frame, head), remove);
    map.join(multiple.matrix);
    shown.push(multiple);
    row.append(multiple.element);
    sizes.observe(multiple.matrix);
    offer();
  });
  const sizes = new ResizeObserver(draw);
  map.addEventListener("heat-map:update", mark);
  return {
    element,
    look,
    /** A new frame has come. */
    renew() {
      const count = map.now?.frame.h ?? 0;
      shown.filter(({ head }) => head >= count).forEach(({ element }) => element.remove());
      shown = shown.filter(({ head }) => head < count);
      offer();
      look();
    },
  };
}

/**
 * @param {Frame} frame
 * @param {number} head
 * @param {Source} source
 * @param {(multiple: Multiple) => void} remove
 * @returns {Multiple}
 */
function makeOne(frame, head, source, remove) {
  const close = make("button", { type: "button", "aria-label": `Remove head ${head + 1}` }, "×");
  const canvas = make("canvas", { "aria-hidden": "true" });
  const [line, spot] = [make("div", { class: "hm-cross" }), make("div", { class: "hm-cross" })];
  const matrix = make("div", { class: "hm-matrix" }, canvas, line, spot);
  const words = make("p", {});
  const element = make("figure", {}, make("figcaption", {}, make("b", {}, headName(frame, head)), close), matrix, words);
  const multiple = { head, source, element, matrix, canvas, line, spot, words };
  close.addEventListener("click", () => remove(multiple));
  return multiple;
}

/**
 * Where the cursor is, and what this head has there.
 * @param {Multiple} multiple
 * @param {NonNullable<HeatMap["now"]>} now
 * @param {import("./source.js").Line | null} read      what is there to be put into words
 */
function markOne({ source, matrix, line: cross, spot, words }, { frame, line, cell, extent }, read) {
  matrix.style.aspectRatio = `${extent.nk} / ${extent.nq}`;
  place(cross, line && (line.axis === "query" ? { query: line.index, key: -1 } : { query: -1, key: line.index }), extent);
  place(spot, cell, extent);
  words.replaceChildren();
  if (!read) return;
  const names = across(frame, read);
  rank(valuesOf(source, read), MOST_KEYS, blockedOn(frame, read), source.signed).top.forEach(({ index, percent }, i) =>
    words.append(i ? ", " : "", make("bdi", {}, names[index] ?? ""), ` ${percent}`),
  );
}

/**
 * @param {HTMLElement} cross
 * @param {import("./source.js").CellPlace | null} at       -1: all along that axis
 * @param {import("./extent.js").Extent} extent
 */
function place(cross, at, { query, key, nq, nk }) {
  const inside = at && (at.query < 0 || (at.query >= query && at.query < query + nq)) && (at.key < 0 || (at.key >= key && at.key < key + nk));
  cross.hidden = !inside;
  if (!at) return;
  const [top, left] = [at.query < 0 ? 0 : (at.query - query) / nq, at.key < 0 ? 0 : (at.key - key) / nk];
  cross.style.inset = `${100 * top}% auto auto ${100 * left}%`;
  cross.style.blockSize = at.query < 0 ? "100%" : `${100 / nq}%`;
  cross.style.inlineSize = at.key < 0 ? "100%" : `${100 / nk}%`;
}
