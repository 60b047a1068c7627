/**
 * The large picture with its labels, as a file: pixels at twice the size, or vectors.
 *
 * @typedef {import("./frame.js").Frame} Frame
 * @typedef {import("./matrix.js").Palette} Palette
 * @typedef {import("./source.js").Source} Source
 */

import { paint, readPalette, shadeOf } from "./matrix.js";
import { breather, eachRow, settleScale } from "./rows.js";
import { step } from "./scale.js";

const RATIO = 2;
const WIDE = 0.6; // em of a character
const SCALE_WIDTH = 144;
const MOST_LABEL = 180; // px; longer words are set narrower
const MOST_VECTORS = 128; // tokens of an axis; more cells than this squared belong in a PNG
const STRIP = 96; // rows that are painted at once; the hatch, 12 px wide, goes on from one strip to the next

/**
 * Where everything stands, in CSS pixels. A frame of any size is drawn whole.
 * @param {Frame} frame
 */
function layout({ nq, nk, queries, keys }) {
  const cell = Math.max(1, Math.min(36, Math.floor(1200 / Math.max(nq, nk))));
  const text = Math.min(14, Math.max(cell - 1, 4));
  const labelled = cell >= 6;
  /** @param {readonly string[]} words */
  const room = (words) => (labelled ? Math.min(MOST_LABEL, WIDE * text * Math.max(...words.map((word) => word.length)) + 12) : 12);
  const [left, top] = [room(queries), room(keys) + 28];
  return { cell, text, labelled, left, top, width: Math.max(left + nk * cell, left + SCALE_WIDTH) + 24, height: top + nq * cell + 48 };
}

/**
 * @param {{frame: Frame, source: Source}} now
 * @param {HTMLElement} map     whose colours they are
 */
export async function pngOf({ frame, source }, map) {
  const { cell, text, labelled, left, top, width, height } = layout(frame);
  const palette = readPalette(map);
  const canvas = new OffscreenCanvas(RATIO * width, RATIO * height);
  const pen = canvas.getContext("2d");
  if (!pen) throw new Error("this browser has no canvas for it");
  const { ink, family } = inkOf(map);
  pen.fillStyle = `rgb(${palette.lo.join(" ")})`;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  await settleScale(source, frame);
  const breath = breather();
  const strip = labelled ? frame.nq : STRIP; // few large cells have lines between them
  for (let query = 0; query < frame.nq; query += strip) {
    const nq = Math.min(strip, frame.nq - query);
    await frame.lazy?.worker?.settle(source, query, query + nq, null);
    await breath();
    const cells = document.createElement("canvas");
    cells.width = RATIO * cell * frame.nk;
    cells.height = RATIO * cell * nq;
    paint(cells, frame, source, { query, key: 0, nq, nk: frame.nk }, palette, RATIO);
    pen.drawImage(cells, RATIO * left, RATIO * (top + cell * query));
  }
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
      pen.fillText(word, 0, 0, MOST_LABEL);
      pen.restore();
    });
  }
  pen.font = `11px ${family}`;
  pen.direction = "ltr";
  pen.textAlign = "center";
  for (const { x, tick } of scaleOf(source, left)) pen.fillText(tick, x, top + frame.nq * cell + 36);
  for (let x = 0; x < SCALE_WIDTH; x++) {
    pen.fillStyle = `rgb(${shadeAlong(palette, source, x / (SCALE_WIDTH - 1)).join(" ")})`;
    pen.fillRect(left + x, top + frame.nq * cell + 16, 1, 10);
  }
  pen.lineWidth = 0.5;
  pen.strokeRect(left, top + frame.nq * cell + 16, SCALE_WIDTH, 10);
  return canvas.convertToBlob({ type: "image/png" });
}

/**
 * @param {{frame: Frame, source: Source}} now
 * @param {HTMLElement} map
 */
export async function svgOf({ frame, source }, map) {
  if (Math.max(frame.nq, frame.nk) > MOST_VECTORS) throw new Error(`of more than ${MOST_VECTORS} tokens take the PNG or the numbers`);
  const { cell, text, left, top, width, height } = layout(frame);
  const palette = readPalette(map);
  const { ink, family } = inkOf(map);
  await settleScale(source, frame); // from here on it says where it ends
  const hatch = `<pattern id="masked" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M2.5 0V5" stroke="${palette.hatch}"/></pattern>`;
  const parts = [frame.masked ? hatch : "", `<rect width="${width}" height="${height}" fill="rgb(${palette.lo.join(" ")})"/>`, `<text x="8" y="20" font-weight="600" font-size="14">${escaped(`${source.name} · ${source.scale}`)}</text>`];
  await eachRow(source, frame, null, (q, row) =>
    row.forEach((value, k) => {
      const share = source.shade(value, q, k);
      const shade = shadeOf(palette, share);
      const [x, y] = [left + k * cell, top + q * cell];
      if (Number.isNaN(value)) parts.push(`<path d="M${x + cell / 4} ${y + cell / 4}l${cell / 2} ${cell / 2}m0 ${-cell / 2}l${-cell / 2} ${cell / 2}" stroke="${palette.broken}" stroke-width="1.5"/>`);
      if (frame.blocked(q, k)) parts.push(`<rect x="${x}" y="${y}" width="${cell}" height="${cell}" fill="url(#masked)"><title>masked</title></rect>`);
      else if (step(Math.abs(share)) > 0) parts.push(`<rect x="${left + k * cell}" y="${top + q * cell}" width="${cell}" height="${cell}" fill="rgb(${shade.join(" ")})"><title>${escaped(`${frame.queries[q]} → ${frame.keys[k]}: ${value.toFixed(3)}`)}</title></rect>`);
    }),
  );
  parts.push(`<rect x="${left}" y="${top}" width="${cell * frame.nk}" height="${cell * frame.nq}" fill="none" stroke="${ink}"/>`);
  // A text's start and end are its own: those of a right-to-left word lie the other way round.
  frame.queries.forEach((word, q) => {
    const direction = directionOf(word);
    const anchor = direction === "rtl" ? "start" : "end";
    parts.push(`<text x="${left - 6}" y="${top + (q + 0.5) * cell}" direction="${direction}" text-anchor="${anchor}" dominant-baseline="central"${narrowed(word, text, left - 8)}>${escaped(word)}</text>`);
  });
  frame.keys.forEach((word, k) => {
    const direction = directionOf(word);
    const anchor = direction === "rtl" ? "end" : "start";
    parts.push(`<text transform="translate(${left + (k + 0.5) * cell} ${top - 6}) rotate(-60)" direction="${direction}" text-anchor="${anchor}"${narrowed(word, text, MOST_LABEL)}>${escaped(word)}</text>`);
  });
  const below = top + frame.nq * cell;
  const stops = Array.from({ length: 17 }, (_, i) => `<stop offset="${i / 16}" stop-color="rgb(${shadeAlong(palette, source, i / 16).join(" ")})"/>`);
  parts.push(`<linearGradient id="scale">${stops.join("")}</linearGradient><rect x="${left}" y="${below + 16}" width="${SCALE_WIDTH}" height="10" fill="url(#scale)" stroke="${ink}" stroke-width=".5"/>`);
  for (const { x, tick } of scaleOf(source, left)) parts.push(`<text x="${x}" y="${below + 40}" text-anchor="middle" font-size="11">${escaped(tick)}</text>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="${escaped(family)}" font-size="${text}" fill="${ink}">${parts.join("")}</svg>`;
}

/** Where the scale's ticks stand. @param {Source} source @param {number} left */
const scaleOf = ({ ticks }, left) => ticks.map((tick, i) => ({ tick, x: left + (i * SCALE_WIDTH) / (ticks.length - 1) }));

/** The shade at a place on the scale, 0 to 1. @param {Palette} palette @param {Source} source @param {number} at */
const shadeAlong = (palette, { diverging }, at) => shadeOf(palette, diverging ? 2 * at - 1 : at);

/** What sets a long word narrower in SVG, as a canvas does by itself. @param {string} word @param {number} text @param {number} most */
const narrowed = (word, text, most) => (WIDE * text * word.length > most ? ` textLength="${most}" lengthAdjust="spacingAndGlyphs"` : "");

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
