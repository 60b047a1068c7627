/**
 * The cells of one head as SVG over unit cells: a path per shade, as sitebuilder/cellpaths.py writes them. They take
 * their colours from CSS and so need no redrawing: for thumbnails, for the stages before the weights, and for paper.
 *
 * @typedef {import("./frame.js").Frame} Frame
 */

import { makeSvg } from "./make.js";

/**
 * @param {Frame} frame
 * @param {number} head
 * @returns {SVGGElement}
 */
export const cellsOf = (frame, head) =>
  shades(frame, frame.head(head), (weight) => Math.round(100 * Math.min(1, Math.max(0, weight))) / 100);

/**
 * @param {Frame} frame
 * @param {Float32Array} values
 * @param {(value: number) => number} shade     from 0 to 1, or from -1
 * @returns {SVGGElement}
 */
export function shades({ nk }, values, shade) {
  /** @type {Map<number, string>} */
  const paths = new Map();
  let crosses = "";
  values.forEach((value, i) => {
    const [k, q] = [i % nk, Math.floor(i / nk)];
    if (Number.isNaN(value)) crosses += `M${k + 0.2} ${q + 0.2}l.6 .6m0-.6l-.6 .6`;
    const level = shade(value || 0);
    if (level) paths.set(level, `${paths.get(level) ?? ""}M${k} ${q}h1v1h-1z`);
  });
  return makeSvg(
    "g",
    { class: "hm-shades" },
    ...[...paths].map(([level, d]) => makeSvg("path", { d, style: `--w:${Math.abs(level)}`, ...(level < 0 ? { class: "hm-less" } : {}) })),
    crosses ? makeSvg("path", { class: "hm-broken", d: crosses }) : null,
  );
}

/**
 * The masked cells as one path; "" if there are none.
 * @param {Frame} frame
 */
export function maskedPath(frame) {
  let d = "";
  if (frame.masked)
    for (let q = 0; q < frame.nq; q++)
      for (let k = 0; k < frame.nk; k++) if (frame.blocked(q, k)) d += `M${k} ${q}h1v1h-1z`;
  return d;
}

/**
 * The masked cells hatched; null if there are none.
 * @param {Frame} frame
 * @param {string} id       unique in the page
 */
export function hatchOf(frame, id) {
  if (!frame.masked) return null;
  const size = 0.24; // of a cell
  const pattern = { id: `${id}-hatch`, width: size, height: size, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" };
  return makeSvg(
    "g",
    {},
    makeSvg("defs", {}, makeSvg("pattern", pattern, makeSvg("path", { class: "hm-hatch", d: `M${size / 2} 0V${size}` }))),
    makeSvg("path", { d: maskedPath(frame), style: `fill:url(#${id}-hatch)` }),
  );
}

/**
 * @param {Frame} frame
 * @param {string} className
 * @param {...(SVGElement | null)} parts
 */
export const cellsSvg = ({ nq, nk }, className, ...parts) =>
  makeSvg(
    "svg",
    { class: `hm-cells ${className}`, viewBox: `0 0 ${nk} ${nq}`, preserveAspectRatio: "none", "aria-hidden": "true" },
    ...parts,
  );
