/**
 * The large picture: cells on a canvas, exact to the device pixel, redrawn whole in a millisecond.
 *
 * @typedef {import("./extent.js").Extent} Extent
 * @typedef {import("./frame.js").Frame} Frame
 * @typedef {import("./source.js").Source} Source
 * @typedef {import("./scale.js").Rgb} Rgb
 * @typedef {object} Palette
 * @property {Rgb} lo
 * @property {Rgb} hi
 * @property {Rgb} less      the end of the other side of a signed scale
 * @property {Rgb[]} shades
 * @property {Rgb[]} below   the shades of what is less than zero
 * @property {string} grid
 * @property {string} hatch
 * @property {string} broken
 * @property {string} font      family of the digits
 */

import { hundredths, inkOn, ramp, step } from "./scale.js";

const DIGITS_FROM = 34; // CSS pixels; narrower cells would crowd two digits
const DIGITS_ABOVE = 0.05; // smaller weights would only be noise here; the read-out has them
const GRID_FROM = 7; // CSS pixels; in narrower cells the lines would weigh more than the shades

/** Reading colours makes the browser settle all styles, so they are kept until the looks change. @type {WeakMap<HTMLElement, Palette>} */
const palettes = new WeakMap();

/** @param {HTMLElement} element */
export const forgetPalette = (element) => void palettes.delete(element);

/**
 * The colours that CSS gives this element now.
 * @param {HTMLElement} element
 * @returns {Palette}
 */
export function readPalette(element) {
  const known = palettes.get(element);
  if (known) return known;
  const probe = document.createElement("span");
  probe.hidden = true;
  probe.style.setProperty("forced-color-adjust", "none");
  element.append(probe);
  /** @param {string} name */
  const css = (name) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const [lo, hi, less] = [toRgb(css("--heat-lo")), toRgb(css("--heat-hi")), toRgb(css("--heat-less"))];
  const palette = {
    lo,
    hi,
    less,
    shades: ramp(lo, hi),
    below: ramp(lo, less),
    grid: css("--hm-grid"),
    hatch: css("--hm-hatch"),
    broken: css("--hm-broken"),
    font: getComputedStyle(element).fontFamily,
  };
  probe.remove();
  palettes.set(element, palette);
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
 * The shade of a value, -1 to 1.
 * @param {Palette} palette
 * @param {number} share
 */
export const shadeOf = ({ shades, below, lo }, share) => (share < 0 ? below[step(-share)] : shades[step(share)]) ?? lo;

/**
 * As many pixels as the box has on the device. Edges rounded separately: that is what the browser does with the box.
 * @param {HTMLCanvasElement} canvas
 * @param {DOMRect} box
 * @param {number} ratio    device pixels per CSS pixel
 */
export function fit(canvas, box, ratio) {
  const width = Math.round(box.right * ratio) - Math.round(box.left * ratio);
  const height = Math.round(box.bottom * ratio) - Math.round(box.top * ratio);
  // To set a size throws the canvas's memory away, even if it is the same.
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
}

/**
 * Draw a source on all of the canvas, whose size in device pixels is set by the caller.
 * @param {HTMLCanvasElement} canvas
 * @param {Frame} frame
 * @param {Source} source
 * @param {Extent} extent
 * @param {Palette} palette
 * @param {number} ratio    device pixels per CSS pixel
 */
export function paint(canvas, frame, source, extent, palette, ratio) {
  const context = canvas.getContext("2d");
  const { width, height } = canvas;
  if (!context || width === 0 || height === 0) return;
  context.imageSmoothingEnabled = false;
  context.drawImage(pixels(source, extent, palette), 0, 0, width, height);

  const { nq, nk } = extent;
  // The same rounding as nearest-neighbour scaling, so that lines, hatches and cells meet on whole pixels.
  /** @param {number} i */
  const x = (i) => Math.round((i * width) / nk);
  /** @param {number} i */
  const y = (i) => Math.round((i * height) / nq);
  if (frame.masked) hatch(context, frame, extent, palette, x, y, ratio);
  if (Math.min(width / nk, height / nq) >= GRID_FROM * ratio) {
    const line = Math.max(1, Math.round(ratio));
    context.fillStyle = palette.grid;
    for (let i = 1; i < nk; i++) context.fillRect(x(i) - (line >> 1), 0, line, height);
    for (let i = 1; i < nq; i++) context.fillRect(0, y(i) - (line >> 1), width, line);
  }
  cross(context, source, extent, palette, x, y, ratio);
  if (width / nk >= DIGITS_FROM * ratio) digits(context, source, extent, palette, x, y, ratio);
}

/**
 * One opaque pixel; there are many, so nothing is made for each.
 * @param {Uint8ClampedArray} data
 * @param {number} at
 * @param {Rgb} shade
 */
export function put(data, at, shade) {
  data[at] = shade[0];
  data[at + 1] = shade[1];
  data[at + 2] = shade[2];
  data[at + 3] = 255;
}

/**
 * One pixel per cell.
 * @param {Source} source
 * @param {Extent} extent
 * @param {Palette} palette
 */
function pixels(source, extent, palette) {
  const { nq, nk } = extent;
  const image = new ImageData(nk, nq);
  let at = 0;
  eachCell(source, extent, (value, query, _q, k) => {
    put(image.data, at, shadeOf(palette, source.shade(value, query, extent.key + k)));
    at += 4;
  });
  const canvas = new OffscreenCanvas(nk, nq);
  canvas.getContext("2d")?.putImageData(image, 0, 0);
  return canvas;
}

/** @typedef {(i: number) => number} Place */

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Frame} frame
 * @param {Extent} extent
 * @param {Palette} palette
 * @param {Place} x
 * @param {Place} y
 * @param {number} ratio
 */
function hatch(context, frame, extent, palette, x, y, ratio) {
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
  for (let q = 0; q < extent.nq; q++)
    for (let k = 0; k < extent.nk; k++)
      if (frame.blocked(extent.query + q, extent.key + k)) context.fillRect(x(k), y(q), x(k + 1) - x(k), y(q + 1) - y(q));
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Source} source
 * @param {Extent} extent
 * @param {Palette} palette
 * @param {Place} x
 * @param {Place} y
 * @param {number} ratio
 */
function cross(context, source, extent, palette, x, y, ratio) {
  context.strokeStyle = palette.broken;
  context.lineWidth = Math.max(1, 1.5 * ratio);
  context.beginPath();
  eachCell(source, extent, (value, _query, q, k) => {
    if (!Number.isNaN(value)) return;
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
 * @param {Source} source
 * @param {Extent} extent
 * @param {Palette} palette
 * @param {Place} x
 * @param {Place} y
 * @param {number} ratio
 */
function digits(context, source, extent, palette, x, y, ratio) {
  context.font = `${11 * ratio}px ${palette.font}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  eachCell(source, extent, (value, query, q, k) => {
    if (!(Math.abs(value) >= DIGITS_ABOVE)) return;
    const share = source.shade(value, query, extent.key + k);
    const ink = inkOn(shadeOf(palette, share), palette.lo, share < 0 ? palette.less : palette.hi);
    context.fillStyle = `rgb(${ink.join(" ")})`;
    const text = hundredths(value, source.signed);
    context.fillText(text, (x(k) + x(k + 1)) / 2, (y(q) + y(q + 1)) / 2 + 0.5 * ratio);
  });
}

/**
 * @param {Source} source
 * @param {Extent} extent
 * @param {(value: number, query: number, q: number, k: number) => void} act   q and k count from the extent's corner
 */
function eachCell(source, { query, key, nq, nk }, act) {
  for (let q = 0; q < nq; q++) {
    const row = source.row(query + q);
    for (let k = 0; k < nk; k++) act(row[key + k] ?? NaN, query + q, q, k);
  }
}

/**
 * The cell under a point of the element that shows the matrix; null outside it.
 * @param {DOMRect} box
 * @param {{clientX: number, clientY: number}} point
 * @param {Extent} extent
 * @returns {{query: number, key: number} | null}
 */
export function cellAt(box, { clientX, clientY }, extent) {
  const k = Math.floor(((clientX - box.left) / box.width) * extent.nk);
  const q = Math.floor(((clientY - box.top) / box.height) * extent.nq);
  return k >= 0 && k < extent.nk && q >= 0 && q < extent.nq ? { query: extent.query + q, key: extent.key + k } : null;
}
