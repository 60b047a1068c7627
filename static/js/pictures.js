/**
 * The large picture with its labels, as a file: pixels at twice the size, or vectors.
 *
 * @typedef {import("./frame.js").Frame} Frame
 * @typedef {import("./matrix.js").Palette} Palette
 * @typedef {import("./source.js").Source} Source
 */

import { paint, readPalette } from "./matrix.js";
import { step } from "./scale.js";

const RATIO = 2;
const MOST_VECTORS = 128; // tokens of an axis; more cells than this squared belong in a PNG

/**
 * Where everything stands, in CSS pixels. A frame of any size is drawn whole.
 * @param {Frame} frame
 */
function layout({ nq, nk, queries, keys }) {
  const cell = Math.max(1, Math.min(36, Math.floor(1200 / Math.max(nq, nk))));
  const text = Math.min(14, Math.max(cell - 1, 4));
  const labelled = cell >= 6;
  /** @param {readonly string[]} words */
  const room = (words) => (labelled ? Math.min(180, 0.6 * text * Math.max(...words.map((word) => word.length)) + 12) : 12);
  const [left, top] = [room(queries), room(keys) + 28];
  return { cell, text, labelled, left, top, width: left + nk * cell + 24, height: top + nq * cell + 16 };
}

/**
 * @param {{frame: Frame, source: Source}} now
 * @param {HTMLElement} map     whose colours they are
 */
export async function pngOf({ frame, source }, map) {
  const { cell, text, labelled, left, top, width, height } = layout(frame);
  const palette = readPalette(map);
  const cells = document.createElement("canvas");
  [cells.width, cells.height] = [RATIO * cell * frame.nk, RATIO * cell * frame.nq];
  paint(cells, frame, source, { query: 0, key: 0, nq: frame.nq, nk: frame.nk }, palette, RATIO);
  const canvas = new OffscreenCanvas(RATIO * width, RATIO * height);
  const pen = canvas.getContext("2d");
  if (!pen) throw new Error("this browser has no canvas for it");
  const { ink, family } = inkOf(map);
  pen.fillStyle = `rgb(${palette.lo.join(" ")})`;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(cells, RATIO * left, RATIO * top);
  pen.scale(RATIO, RATIO);
  pen.strokeStyle = pen.fillStyle = ink;
  pen.strokeRect(left, top, cell * frame.nk, cell * frame.nq);
  pen.font = `600 14px ${family}`;
  pen.fillText(`${source.name} · ${source.scale}`, 8, 20);
  pen.font = `${text}px ${family}`;
  pen.textBaseline = "middle";
  if (labelled) {
    pen.textAlign = "right";
    frame.queries.forEach((word, q) => {
      pen.direction = directionOf(word);
      pen.fillText(word, left - 6, top + (q + 0.5) * cell, left - 8);
    });
    pen.textAlign = "left";
    frame.keys.forEach((word, k) => {
      pen.save();
      pen.direction = directionOf(word);
      pen.translate(left + (k + 0.5) * cell, top - 6);
      pen.rotate(-Math.PI / 3);
      pen.fillText(word, 0, 0, 180);
      pen.restore();
    });
  }
  return canvas.convertToBlob({ type: "image/png" });
}

/**
 * @param {{frame: Frame, source: Source}} now
 * @param {HTMLElement} map
 */
export function svgOf({ frame, source }, map) {
  if (Math.max(frame.nq, frame.nk) > MOST_VECTORS) throw new Error(`of more than ${MOST_VECTORS} tokens take the PNG or the numbers`);
  const { cell, text, left, top, width, height } = layout(frame);
  const palette = readPalette(map);
  const { ink, family } = inkOf(map);
  const hatch = `<pattern id="masked" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M2.5 0V5" stroke="${palette.hatch}"/></pattern>`;
  const parts = [frame.masked ? hatch : "", `<rect width="${width}" height="${height}" fill="rgb(${palette.lo.join(" ")})"/>`, `<text x="8" y="20" font-weight="600" font-size="14">${escaped(`${source.name} · ${source.scale}`)}</text>`];
  for (let q = 0; q < frame.nq; q++)
    source.row(q).forEach((value, k) => {
      const share = source.shade(value, q, k);
      const shade = (share < 0 ? palette.below[step(-share)] : palette.shades[step(share)]) ?? palette.lo;
      const [x, y] = [left + k * cell, top + q * cell];
      if (Number.isNaN(value)) parts.push(`<path d="M${x + cell / 4} ${y + cell / 4}l${cell / 2} ${cell / 2}m0 ${-cell / 2}l${-cell / 2} ${cell / 2}" stroke="${palette.broken}" stroke-width="1.5"/>`);
      if (frame.blocked(q, k)) parts.push(`<rect x="${x}" y="${y}" width="${cell}" height="${cell}" fill="url(#masked)"><title>masked</title></rect>`);
      else if (step(Math.abs(share)) > 0) parts.push(`<rect x="${left + k * cell}" y="${top + q * cell}" width="${cell}" height="${cell}" fill="rgb(${shade.join(" ")})"><title>${escaped(`${frame.queries[q]} → ${frame.keys[k]}: ${value.toFixed(3)}`)}</title></rect>`);
    });
  parts.push(`<rect x="${left}" y="${top}" width="${cell * frame.nk}" height="${cell * frame.nq}" fill="none" stroke="${ink}"/>`);
  // A text's start and end are its own: those of a right-to-left word lie the other way round.
  frame.queries.forEach((word, q) => {
    const direction = directionOf(word);
    const anchor = direction === "rtl" ? "start" : "end";
    parts.push(`<text x="${left - 6}" y="${top + (q + 0.5) * cell}" direction="${direction}" text-anchor="${anchor}" dominant-baseline="central">${escaped(word)}</text>`);
  });
  frame.keys.forEach((word, k) => {
    const direction = directionOf(word);
    const anchor = direction === "rtl" ? "end" : "start";
    parts.push(`<text transform="translate(${left + (k + 0.5) * cell} ${top - 6}) rotate(-60)" direction="${direction}" text-anchor="${anchor}">${escaped(word)}</text>`);
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="${escaped(family)}" font-size="${text}" fill="${ink}">${parts.join("")}</svg>`;
}

/** The letters of Hebrew, Arabic and the scripts beside them, also as presentation forms. */
const RIGHT_TO_LEFT = /^\P{L}*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/u;

/** As `unicode-bidi: plaintext` takes it: the first letter decides. @param {string} word */
const directionOf = (word) => (RIGHT_TO_LEFT.test(word) ? "rtl" : "ltr");

/** @param {HTMLElement} map */
function inkOf(map) {
  const { color, fontFamily } = getComputedStyle(map);
  const pen = new OffscreenCanvas(1, 1).getContext("2d");
  if (pen) pen.fillStyle = color; // sRGB, which every viewer of SVG knows
  return { ink: pen ? String(pen.fillStyle) : color, family: fontFamily };
}

/** @param {string} text */
const escaped = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
