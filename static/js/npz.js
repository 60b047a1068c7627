/**
 * Reads an attention frame from NumPy's `.npz`: `weights`, or `queries` and `keys` (and `scale`), with `tokens` and, as
 * wanted, `key_tokens`, `mask`, `labels`. Formats: numpy.lib.format 1.0 to 3.0; ZIP (APPNOTE.TXT 4.3), stored or deflated.
 *
 * @typedef {import("./frame.js").AttentionFrame} AttentionFrame
 * @typedef {{shape: number[], values: Float32Array | string[]}} Loaded
 */

import { notesOn, scaleNotes } from "./notes.js";

/**
 * @param {ArrayBuffer} file
 * @returns {Promise<AttentionFrame>}
 */
export async function frameOfNpz(file) {
  const arrays = await unzipped(file);
  /** @param {string} name */
  const get = (name) => arrays.get(name) ?? null;
  const [weights, queries, keys] = ["weights", "queries", "keys"].map((name) => threeAxes(name, get(name)));
  const first = weights ?? queries;
  if (!first || (!weights && !keys)) throw new Error(`The file has ${[...arrays.keys()].join(", ") || "nothing"}; it needs weights, or queries and keys.`);
  const [h = 0, nq = 0] = first.shape;
  const nk = (weights ? weights.shape[2] : keys?.shape[1]) ?? 0;
  const dk = queries?.shape[2] ?? 1;
  const scale = numbersOf(get("scale"))?.[0] ?? dk ** -0.5;
  const mask = numbersOf(get("mask"));
  const blocked = mask && ((/** @type {number} */ query, /** @type {number} */ key) => Boolean(mask[query * nk + key]));
  const queryTokens = tokensOf(get("tokens"), nq);
  return {
    version: 2,
    h,
    nq,
    nk,
    queryTokens,
    keyTokens: get("key_tokens") || nk !== nq ? tokensOf(get("key_tokens"), nk) : queryTokens,
    weights: weights ? { buffer: 0 } : null,
    scores: null,
    ...(weights ? {} : { lazy: { queries: { buffer: 0 }, keys: { buffer: 1 }, dk, scale } }),
    mask: mask ? Array.from(mask, Number) : null,
    headLabels: get("labels") ? tokensOf(get("labels"), h) : null,
    checks: weights ? notesOn({ h, nq, nk, weights: /** @type {Float32Array} */ (weights.values), blocked, queries: queryTokens }) : scaleNotes(scale, dk),
    buffers: [first, ...(weights || !keys ? [] : [keys])].map(({ values }) => /** @type {Float32Array} */ (values)),
  };
}

/** @param {string} name @param {Loaded | null} array */
function threeAxes(name, array) {
  if (!array) return null;
  let { shape } = array;
  while (shape.length > 3 && shape[0] === 1) shape = shape.slice(1);
  if (shape.length === 2) shape = [1, ...shape];
  if (shape.length !== 3 || !numbersOf(array)) throw new Error(`${name} has shape (${array.shape.join(", ")}); expected (h, n, n) numbers.`);
  return { ...array, shape };
}

/** @param {Loaded | null} array */
const numbersOf = (array) => (array && !Array.isArray(array.values) ? array.values : null);

/** @param {Loaded | null} array @param {number} count */
const tokensOf = (array, count) => (array ? Array.from(array.values, String) : Array.from({ length: count }, (_, i) => String(i)));

/**
 * The arrays of a ZIP file of `.npy` files, by name.
 * @param {ArrayBuffer} file
 */
async function unzipped(file) {
  const view = new DataView(file);
  /** @type {Map<string, Loaded>} */
  const arrays = new Map();
  let end = file.byteLength - 22;
  while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) end -= 1;
  if (end < 0) throw new Error("The file is no .npz: it has no table of contents.");
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left -= 1) {
    const [method, size, nameLength, extra, comment, start] = [
      view.getUint16(at + 10, true),
      view.getUint32(at + 20, true),
      view.getUint16(at + 28, true),
      view.getUint16(at + 30, true),
      view.getUint16(at + 32, true),
      view.getUint32(at + 42, true),
    ];
    const name = new TextDecoder().decode(new Uint8Array(file, at + 46, nameLength)).replace(/\.npy$/, "");
    const from = start + 30 + view.getUint16(start + 26, true) + view.getUint16(start + 28, true);
    const packed = new Uint8Array(file, from, size);
    const bytes = method === 0 ? packed.slice() : await inflated(packed);
    arrays.set(name, arrayOf(name, bytes));
    at += 46 + nameLength + extra + comment;
  }
  return arrays;
}

/** @param {Uint8Array<ArrayBuffer>} packed */
async function inflated(packed) {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** @param {string} name @param {Uint8Array<ArrayBuffer>} bytes @returns {Loaded} */
function arrayOf(name, bytes) {
  const view = new DataView(bytes.buffer);
  const wide = (bytes[6] ?? 1) > 1;
  const start = (wide ? 12 : 10) + (wide ? view.getUint32(8, true) : view.getUint16(8, true));
  const header = new TextDecoder().decode(bytes.subarray(wide ? 12 : 10, start));
  const type = /'descr': '([<>|=])(\w)(\d*)'/.exec(header);
  const shape = (/'shape': \(([^)]*)\)/.exec(header)?.[1] ?? "").split(",").filter((part) => part.trim()).map(Number);
  if (!type || type[1] === ">") throw new Error(`${name} is of a type that cannot be read here: ${header.slice(0, 60)}`);
  if (header.includes("'fortran_order': True")) throw new Error(`${name} is stored column by column; save np.ascontiguousarray(${name}).`);
  const length = shape.reduce((product, n) => product * n, 1);
  const code = `${type[2]}${type[3]}`;
  if (type[2] === "U") {
    const size = Number(type[3]);
    const text = (/** @type {number} */ i) => String.fromCodePoint(...new Uint32Array(bytes.buffer.slice(start + 4 * size * i, start + 4 * size * (i + 1))).filter((point) => point > 0));
    return { shape, values: Array.from({ length }, (_, i) => text(i)) };
  }
  /** @type {Record<string, [number, (at: number) => number | bigint]>} */
  const readers = {
    f2: [2, (at) => half(view.getUint16(at, true))],
    f4: [4, (at) => view.getFloat32(at, true)],
    f8: [8, (at) => view.getFloat64(at, true)],
    b1: [1, (at) => view.getUint8(at)],
    u1: [1, (at) => view.getUint8(at)],
    i1: [1, (at) => view.getInt8(at)],
    i4: [4, (at) => view.getInt32(at, true)],
    i8: [8, (at) => view.getBigInt64(at, true)],
  };
  const reader = readers[code];
  if (!reader) throw new Error(`${name} holds ${code}, which cannot be read here; save it as float32.`);
  const [size, read] = reader;
  return { shape, values: Float32Array.from({ length }, (_, i) => Number(read(start + i * size))) };
}

/** IEEE 754 half precision. @param {number} bits */
function half(bits) {
  const [sign, exponent, fraction] = [bits & 0x8000 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024));
}
