/**
 * The picture of one head: cells on a canvas, exact to the device pixel, and the same cells as SVG paths.
 *
 * The canvas is for the screen; it redraws a whole head in a millisecond. The SVG is small, takes its colours
 * from CSS and so needs no redrawing: it is the thumbnail on a tab and the picture on paper.
 *
 * @typedef {import("./frame.js").Frame} Frame
 * @typedef {import("./scale.js").Rgb} Rgb
 * @typedef {object} Palette
 * @property {Rgb} lo
 * @property {Rgb} hi
 * @property {Rgb[]} shades
 * @property {string} grid
 * @property {string} hatch
 * @property {string} broken
 * @property {string} font      family of the digits
 */

import { makeSvg } from "./make.js";
import { inkOn, ramp, step } from "./scale.js";

const DIGITS_FROM = 34; // CSS pixels; narrower cells would crowd two digits
const DIGITS_ABOVE = 0.05; // smaller weights would only be noise here; the read-out has them
const GRID_FROM = 7; // CSS pixels; in narrower cells the lines would weigh more than the shades

/**
 * The colours that CSS gives this element now. They change with the theme, so they are read, not kept.
 * @param {HTMLElement} element
 * @returns {Palette}
 */
export function readPalette(element) {
  const probe = document.createElement("span");
  probe.hidden = true;
  probe.style.setProperty("forced-color-adjust", "none");
  element.append(probe);
  /** @param {string} name */
  const css = (name) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const [lo, hi] = [toRgb(css("--heat-lo")), toRgb(css("--heat-hi"))];
  const palette = {
    lo,
    hi,
    shades: ramp(lo, hi),
    grid: css("--hm-grid"),
    hatch: css("--hm-hatch"),
    broken: css("--hm-broken"),
    font: getComputedStyle(element).fontFamily,
  };
  probe.remove();
  return palette;
}

/**
 * Any CSS colour as sRGB: the browser paints one pixel and we read it.
 * @param {string} colour
 * @returns {Rgb}
 */
function toRgb(colour) {
  const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  if (!context) return [0, 0, 0];
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  const [r = 0, g = 0, b = 0] = context.getImageData(0, 0, 1, 1).data;
  return [r, g, b];
}

/**
 * Draw one head on all of the canvas, whose size in device pixels is set by the caller.
 * @param {HTMLCanvasElement} canvas
 * @param {Frame} frame
 * @param {number} head
 * @param {Palette} palette
 * @param {number} ratio    device pixels per CSS pixel
 */
export function paint(canvas, frame, head, palette, ratio) {
  const context = canvas.getContext("2d");
  const { width, height } = canvas;
  if (!context || width === 0 || height === 0) return;
  context.imageSmoothingEnabled = false;
  context.drawImage(pixels(frame, head, palette), 0, 0, width, height);

  const { nq, nk } = frame;
  // The same rounding as nearest-neighbour scaling, so that lines, hatches and cells meet on whole pixels.
  /** @param {number} i */
  const x = (i) => Math.round((i * width) / nk);
  /** @param {number} i */
  const y = (i) => Math.round((i * height) / nq);
  if (frame.masked) hatch(context, frame, palette, x, y, ratio);
  if (Math.min(width / nk, height / nq) >= GRID_FROM * ratio) {
    const line = Math.max(1, Math.round(ratio));
    context.fillStyle = palette.grid;
    for (let i = 1; i < nk; i++) context.fillRect(x(i) - (line >> 1), 0, line, height);
    for (let i = 1; i < nq; i++) context.fillRect(0, y(i) - (line >> 1), width, line);
  }
  cross(context, frame, head, palette, x, y, ratio);
  if (width / nk >= DIGITS_FROM * ratio) digits(context, frame, head, palette, x, y, ratio);
}

/**
 * One pixel per cell.
 * @param {Frame} frame
 * @param {number} head
 * @param {Palette} palette
 */
function pixels({ nq, nk, head: weightsOf }, head, palette) {
  const image = new ImageData(nk, nq);
  const weights = weightsOf(head);
  for (let i = 0; i < weights.length; i++) {
    const shade = palette.shades[step(weights[i] ?? 0)] ?? palette.lo;
    image.data.set(shade, 4 * i);
    image.data[4 * i + 3] = 255;
  }
  const canvas = new OffscreenCanvas(nk, nq);
  canvas.getContext("2d")?.putImageData(image, 0, 0);
  return canvas;
}

/** @typedef {(i: number) => number} Place */

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Frame} frame
 * @param {Palette} palette
 * @param {Place} x
 * @param {Place} y
 * @param {number} ratio
 */
function hatch(context, frame, palette, x, y, ratio) {
  const size = Math.max(4, Math.round(6 * ratio));
  const tile = new OffscreenCanvas(size, size);
  const pen = tile.getContext("2d");
  if (!pen) return;
  pen.strokeStyle = palette.hatch;
  pen.lineWidth = Math.max(1, ratio);
  pen.beginPath();
  // Three strokes, so that the line also enters from the neighbouring tiles' corners.
  for (const shift of [-size, 0, size]) {
    pen.moveTo(shift - 1, size + 1);
    pen.lineTo(shift + size + 1, -1);
  }
  pen.stroke();
  const pattern = context.createPattern(tile, "repeat");
  if (!pattern) return;
  context.fillStyle = pattern;
  for (let q = 0; q < frame.nq; q++)
    for (let k = 0; k < frame.nk; k++)
      if (frame.blocked(q, k)) context.fillRect(x(k), y(q), x(k + 1) - x(k), y(q + 1) - y(q));
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Frame} frame
 * @param {number} head
 * @param {Palette} palette
 * @param {Place} x
 * @param {Place} y
 * @param {number} ratio
 */
function cross(context, frame, head, palette, x, y, ratio) {
  context.strokeStyle = palette.broken;
  context.lineWidth = Math.max(1, 1.5 * ratio);
  context.beginPath();
  frame.head(head).forEach((weight, i) => {
    if (!Number.isNaN(weight)) return;
    const [k, q] = [i % frame.nk, Math.floor(i / frame.nk)];
    const [left, top, w, h] = [x(k), y(q), x(k + 1) - x(k), y(q + 1) - y(q)];
    context.moveTo(left + 0.25 * w, top + 0.25 * h);
    context.lineTo(left + 0.75 * w, top + 0.75 * h);
    context.moveTo(left + 0.75 * w, top + 0.25 * h);
    context.lineTo(left + 0.25 * w, top + 0.75 * h);
  });
  context.stroke();
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Frame} frame
 * @param {number} head
 * @param {Palette} palette
 * @param {Place} x
 * @param {Place} y
 * @param {number} ratio
 */
function digits(context, frame, head, palette, x, y, ratio) {
  context.font = `${11 * ratio}px ${palette.font}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  frame.head(head).forEach((weight, i) => {
    if (!(weight >= DIGITS_ABOVE)) return;
    const [k, q] = [i % frame.nk, Math.floor(i / frame.nk)];
    const ink = inkOn(palette.shades[step(weight)] ?? palette.lo, palette.lo, palette.hi);
    context.fillStyle = `rgb(${ink.join(" ")})`;
    const text = weight.toFixed(2).replace(/^0/, "").replace(/^1\.00$/, "1");
    context.fillText(text, (x(k) + x(k + 1)) / 2, (y(q) + y(q + 1)) / 2 + 0.5 * ratio);
  });
}

/**
 * The masked cells as a hatched SVG path; null if there are none.
 * @param {Frame} frame
 * @param {string} id       unique in the page
 */
export function hatchOf(frame, id) {
  if (!frame.masked) return null;
  let d = "";
  for (let q = 0; q < frame.nq; q++)
    for (let k = 0; k < frame.nk; k++) if (frame.blocked(q, k)) d += `M${k} ${q}h1v1h-1z`;
  const size = 0.24; // of a cell
  const pattern = { id: `${id}-hatch`, width: size, height: size, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" };
  return makeSvg(
    "g",
    {},
    makeSvg("defs", {}, makeSvg("pattern", pattern, makeSvg("path", { class: "hm-hatch", d: `M${size / 2} 0V${size}` }))),
    makeSvg("path", { d, style: `fill:url(#${id}-hatch)` }),
  );
}

/**
 * The cell under a point of the element that shows the matrix; null outside it.
 * @param {DOMRect} box
 * @param {{clientX: number, clientY: number}} point
 * @param {Frame} frame
 * @returns {{query: number, key: number} | null}
 */
export function cellAt(box, { clientX, clientY }, { nq, nk }) {
  const key = Math.floor(((clientX - box.left) / box.width) * nk);
  const query = Math.floor(((clientY - box.top) / box.height) * nq);
  return key >= 0 && key < nk && query >= 0 && query < nq ? { query, key } : null;
}

/**
 * One head as SVG over unit cells: a path per shade (hundredths), as sitebuilder/heatmap.py writes it.
 * @param {Frame} frame
 * @param {number} head
 * @returns {SVGGElement}
 */
export function cellsOf(frame, head) {
  /** @type {Map<number, string>} */
  const paths = new Map();
  let crosses = "";
  frame.head(head).forEach((weight, i) => {
    const [k, q] = [i % frame.nk, Math.floor(i / frame.nk)];
    if (Number.isNaN(weight)) crosses += `M${k + 0.2} ${q + 0.2}l.6 .6m0-.6l-.6 .6`;
    const level = Math.round(100 * Math.min(1, Math.max(0, weight || 0)));
    if (level > 0) paths.set(level, `${paths.get(level) ?? ""}M${k} ${q}h1v1h-1z`);
  });
  return makeSvg(
    "g",
    { class: "hm-shades" },
    ...[...paths].map(([level, d]) => makeSvg("path", { d, style: `--w:${level / 100}` })),
    crosses ? makeSvg("path", { class: "hm-broken", d: crosses }) : null,
  );
}
