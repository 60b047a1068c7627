/**
 * Reads the packed files of the runtime: Zstandard around a container of files. The only file that knows the decoder.
 *
 * A container (py/sitebuilder/precompile.py writes it): the length of a JSON table as 32 bits, the table
 * `[[path, size], …]`, then the files' bytes end to end.
 *
 * @typedef {Uint8Array<ArrayBuffer>} Bytes
 */

import { ZSTDDecoder } from "zstddec";

const decoder = new ZSTDDecoder();

/** Makes the decoder ready, once. Nothing can be inflated before. */
export async function openDecoder() {
  await decoder.init();
}

/**
 * Browsers decompress gzip themselves, but no Zstandard as yet; gzip would be a fifth more to fetch. The decoder is
 * WebAssembly: one in JavaScript needs four times as long for a first start, 0.4 s.
 *
 * @param {Bytes} packed @returns {Bytes}
 */
export function inflate(packed) {
  return /** @type {Bytes} */ (decoder.decode(packed));
}

/** @param {Bytes} container @returns {Map<string, Bytes>} views into it, by path */
export function unpack(container) {
  const { buffer, byteOffset } = container;
  const length = new DataView(buffer, byteOffset).getUint32(0, true);
  /** @type {[string, number][]} */
  const table = JSON.parse(new TextDecoder().decode(container.subarray(4, 4 + length)));
  /** @type {Map<string, Bytes>} */
  const files = new Map();
  let at = 4 + length;
  for (const [path, size] of table) {
    files.set(path, container.subarray(at, at + size));
    at += size;
  }
  if (at !== container.length) throw new Error(`a pack of ${container.length} bytes promises ${at}`);
  return files;
}
