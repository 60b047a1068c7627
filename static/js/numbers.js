/**
 * A heat map's numbers as text: CSV, Python code, and the frame as JSON. Pure, and in slices, so that the page answers.
 *
 * @typedef {import("./frame.js").AttentionFrame} AttentionFrame
 * @typedef {import("./frame.js").Frame} Frame
 * @typedef {import("./source.js").Source} Source
 */

import { breather, eachRow } from "./rows.js";

const DIGITS = 7; // what a float32 holds
const CHUNK = 3 * 0x8000; // bytes that become base64 at once: whole groups of three, so that the parts join

/** @param {number} value */
const number = (value) => (Number.isNaN(value) ? "nan" : String(Number(value.toPrecision(DIGITS))));

/**
 * What is shown: a line of keys, then a line per query.
 * @param {{frame: Frame, source: Source}} now
 */
export async function csvOf({ frame, source }) {
  /** @param {string} text */
  const cell = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  /** @type {string[]} */
  const lines = [];
  await eachRow(source, frame, null, (query, row) => lines.push([cell(frame.queries[query] ?? ""), ...Array.from(row, number)].join(",")));
  return `${[["query \\ key", ...frame.keys.map(cell)].join(","), ...lines].join("\r\n")}\r\n`;
}

/**
 * @param {{frame: Frame, source: Source}} now
 */
export async function numpyOf({ frame, source }) {
  /** @type {string[]} */
  const rows = [];
  await eachRow(source, frame, null, (_, row) =>
    rows.push(`    [${Array.from(row, (value) => number(value).replace("nan", "np.nan")).join(", ")}],`),
  );
  return [
    "import numpy as np",
    "",
    `# ${source.name}: rows are queries, columns are keys`,
    `queries = ${strings(frame.queries)}`,
    `keys = ${strings(frame.keys)}`,
    "weights = np.array([",
    ...rows,
    "])",
    "",
  ].join("\n");
}

/** As Python and JSON both write them. @param {readonly string[]} tokens */
const strings = (tokens) => `[${tokens.map((token) => JSON.stringify(token)).join(", ")}]`;

/**
 * The frame as JSON: large arrays as base64, which `readFrame` takes too.
 * @param {AttentionFrame | null} data
 * @returns {Promise<Blob>}
 */
export async function jsonOf(data) {
  if (!data?.buffers) return new Blob([JSON.stringify(data)], { type: "application/json" });
  const { buffers, ...rest } = data;
  const parts = [JSON.stringify(rest).slice(0, -1), ',"buffers":['];
  const breath = breather();
  for (const [i, array] of buffers.entries()) {
    parts.push(i ? ',"' : '"');
    if (typeof array === "string") parts.push(array);
    else {
      parts.push(array instanceof Float32Array ? "f4:" : "u1:");
      const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
      for (let at = 0; at < bytes.length; at += CHUNK) {
        await breath();
        let text = "";
        for (let from = at; from < Math.min(at + CHUNK, bytes.length); from += 0x8000)
          text += String.fromCharCode(...bytes.subarray(from, Math.min(from + 0x8000, at + CHUNK)));
        parts.push(btoa(text));
      }
    }
    parts.push('"');
  }
  return new Blob([...parts, "]}"], { type: "application/json" });
}
