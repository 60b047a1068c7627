/**
 * A snapshot of Python's memory as bytes that can be kept: the pages that hold anything, and what is needed to put them
 * back. Pure; internals.js takes and restores it.
 *
 * @typedef {import("./pack.js").Bytes} Bytes
 *
 * @typedef {object} Snapshot
 * @property {Bytes} header        Pyodide's own description of its state
 * @property {number} table        functions there were when the libraries had been linked: it must be so again
 * @property {number} size         of the whole memory in bytes
 * @property {Uint32Array} index   the numbers of the pages that are kept, ascending; all others are zero
 * @property {Bytes} pages         their bytes end to end
 */

const PAGE = 4096;
const MAGIC = 0x314d534c;
const FIELDS = 5;

/** @returns {Snapshot} @param {Bytes} header @param {number} table @param {Bytes} memory  a multiple of 4096 bytes, aligned to 8 */
export function sparse(header, table, memory) {
  const words = new BigUint64Array(memory.buffer, memory.byteOffset, memory.length / 8);
  const each = PAGE / 8;
  /** @type {number[]} */
  const index = [];
  for (let page = 0; page * PAGE < memory.length; page++) {
    if (words.subarray(page * each, (page + 1) * each).some((word) => word !== 0n)) index.push(page);
  }
  const pages = new Uint8Array(index.length * PAGE);
  for (const [i, page] of index.entries()) pages.set(memory.subarray(page * PAGE, (page + 1) * PAGE), i * PAGE);
  return { header, table, size: memory.length, index: Uint32Array.from(index), pages };
}

/** Makes a memory of at least the snapshot's size what it was. @param {Uint8Array} memory @param {Snapshot} snapshot */
export function refill(memory, { size, index, pages }) {
  let next = 0;
  for (const [i, page] of index.entries()) {
    memory.fill(0, next, page * PAGE);
    memory.set(pages.subarray(i * PAGE, (i + 1) * PAGE), page * PAGE);
    next = (page + 1) * PAGE;
  }
  memory.fill(0, next, size);
}

/** @returns {Bytes} @param {Snapshot} snapshot */
export function encode({ header, table, size, index, pages }) {
  const start = FIELDS * 4 + index.byteLength;
  const bytes = new Uint8Array(start + header.length + pages.length);
  new Uint32Array(bytes.buffer, 0, FIELDS).set([MAGIC, index.length, header.length, size, table]);
  new Uint32Array(bytes.buffer, FIELDS * 4, index.length).set(index);
  bytes.set(header, start);
  bytes.set(pages, start + header.length);
  return bytes;
}

/** @returns {Snapshot} @param {ArrayBuffer} buffer  throws if it is not one */
export function decode(buffer) {
  const [magic, count = 0, length = 0, size = 0, table = 0] = new Uint32Array(buffer, 0, FIELDS);
  const start = FIELDS * 4 + count * 4;
  if (magic !== MAGIC || buffer.byteLength !== start + length + count * PAGE) throw new Error("this is no snapshot");
  const index = new Uint32Array(buffer, FIELDS * 4, count);
  if (index.some((page, i) => page * PAGE >= size || page <= (index[i - 1] ?? -1))) throw new Error("its pages are in disorder");
  return { header: new Uint8Array(buffer.slice(start, start + length)), table, size, index, pages: new Uint8Array(buffer, start + length) };
}
