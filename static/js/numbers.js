/**
 * A heat map's numbers as text: CSV, Python code, and the frame as JSON. Pure.
 *
 * @typedef {import("./frame.js").AttentionFrame} AttentionFrame
 * @typedef {import("./frame.js").Frame} Frame
 * @typedef {import("./source.js").Source} Source
 */

const DIGITS = 7; // what a float32 holds

/** @param {number} value */
const number = (value) => (Number.isNaN(value) ? "nan" : String(Number(value.toPrecision(DIGITS))));

/**
 * What is shown: a line of keys, then a line per query.
 * @param {{frame: Frame, source: Source}} now
 */
export function csvOf({ frame, source }) {
  /** @param {string} text */
  const cell = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = frame.queries.map((query, i) => [cell(query), ...Array.from(source.row(i), number)].join(","));
  return `${[["query \\ key", ...frame.keys.map(cell)].join(","), ...lines].join("\r\n")}\r\n`;
}

/**
 * @param {{frame: Frame, source: Source}} now
 */
export function numpyOf({ frame, source }) {
  const rows = frame.queries.map((_, i) => `    [${Array.from(source.row(i), (value) => number(value).replace("nan", "np.nan")).join(", ")}],`);
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
 * The frame as JSON can hold it: large arrays as base64, which `readFrame` takes too.
 * @param {AttentionFrame | null} data
 */
export function storedFrame(data) {
  const buffers = data?.buffers?.map((array) => {
    if (typeof array === "string") return array;
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    let text = "";
    for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
    return `${array instanceof Float32Array ? "f4" : "u1"}:${btoa(text)}`;
  });
  return buffers ? { ...data, buffers } : data;
}
