/**
 * Downloads the runtime's files in the order of need, counts the bytes as they arrive and vouches for every file. Knows
 * nothing of Python; its effects (`fetch`, the clock) are parameters.
 *
 * @typedef {import("./protocol.js").RuntimeFile} RuntimeFile
 *
 * @typedef {object} Options
 * @property {(loaded: number, total: number) => void} onProgress   bytes on the wire; `loaded` never falls
 * @property {(name: string, bytes: Uint8Array<ArrayBuffer>) => void} [onFile]   told of each file when it is there and vouched for
 * @property {typeof fetch} [fetch]
 * @property {SubtleCrypto} [subtle]           absent on insecure origins: then only the size is checked
 * @property {number} [stallAfter]             milliseconds without a single byte from any file
 */

/** One or two sentences for a reader (what, and what to do), and the file it is about. */
export class DownloadError extends Error {
  /** @param {string} file @param {string} message */
  constructor(file, message) {
    super(message);
    this.name = "DownloadError";
    this.file = file;
  }
}

/**
 * A file's turn comes when no more than so many bytes are under way. On a slow line what is needed first comes first, and
 * the work on it is done while the rest arrives; on a fast one the line is never idle.
 */
const UNDER_WAY = 384 * 1024;

/** Progress is told at most this often (ms): a progress bar needs no more. */
const TELL_EVERY = 60;

/**
 * @param {string} base                folder of the files, absolute, ends in "/"
 * @param {readonly RuntimeFile[]} files
 * @param {Options} options
 * @returns {Promise<Map<string, Uint8Array<ArrayBuffer>>>}  decoded bytes by name; rejects with DownloadError
 */
export async function download(base, files, options) {
  const meter = new Meter(files, options.onProgress);
  const stop = new AbortController();
  const stall = watch(meter, files, options.stallAfter ?? 20_000);
  try {
    const all = Promise.all(
      files.map(async (file) => {
        await meter.turn(file);
        return fetchVerified(base, file, meter, stop.signal, options);
      }),
    );
    const contents = await Promise.race([all, stall.rejection]);
    meter.finish();
    return new Map(contents);
  } catch (error) {
    stop.abort();
    throw error;
  } finally {
    stall.end();
  }
}

/**
 * A damaged file is fetched once more past the HTTP cache, which may be what damaged it.
 *
 * @param {string} base @param {RuntimeFile} file @param {Meter} meter @param {AbortSignal} signal
 * @param {Options} options
 * @returns {Promise<[string, Uint8Array<ArrayBuffer>]>}
 */
async function fetchVerified(base, file, meter, signal, options) {
  const subtle = "subtle" in options ? options.subtle : globalThis.crypto?.subtle;
  let damage = "";
  for (const cache of /** @type {const} */ (["default", "reload"])) {
    const bytes = await fetchBytes(base, file, meter, { signal, cache }, options);
    damage = await fault(bytes, file, subtle);
    if (damage || !bytes) continue;
    options.onFile?.(file.name, bytes);
    return [file.name, bytes];
  }
  throw new DownloadError(
    file.name,
    `${file.name} arrived damaged (${damage}). Reload the page: the site may just have been published anew. ` +
      "If it stays so, its author has to publish it again.",
  );
}

/**
 * @param {string} base @param {RuntimeFile} file @param {Meter} meter
 * @param {RequestInit} init @param {Options} options
 * @returns {Promise<Uint8Array<ArrayBuffer> | null>}   null: more bytes came than the file has
 */
async function fetchBytes(base, file, meter, init, { fetch = globalThis.fetch }) {
  try {
    const response = await fetch(base + file.name, init);
    if (!response.ok || !response.body) throw refused(file.name, response.status);
    meter.headers(file, response.headers);
    return await readAll(response.body, file, meter);
  } catch (error) {
    if (error instanceof DownloadError) throw error;
    throw new DownloadError(file.name, `${file.name} could not be fetched. Check the connection, then try again.`);
  }
}

/** @param {string} name @param {number} status */
function refused(name, status) {
  const remedy =
    status === 404 || status === 410
      ? "Reload the page: the site may just have been published anew. If it stays so, its author has to publish it again."
      : "Wait a moment, then try again.";
  return new DownloadError(name, `The server answered ${status} for ${name}. ${remedy}`);
}

/**
 * @param {ReadableStream<Uint8Array>} body @param {RuntimeFile} file @param {Meter} meter
 * @returns {Promise<Uint8Array<ArrayBuffer> | null>}
 */
async function readAll(body, file, meter) {
  const bytes = new Uint8Array(file.bytes);
  const reader = body.getReader();
  let at = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return bytes.subarray(0, at);
    if (at + value.length > bytes.length) {
      void reader.cancel();
      return null;
    }
    bytes.set(value, at);
    at += value.length;
    meter.received(file, at);
  }
}

/** @param {Uint8Array<ArrayBuffer> | null} bytes @param {RuntimeFile} file @param {SubtleCrypto | undefined} subtle */
async function fault(bytes, file, subtle) {
  if (!bytes) return `more than the expected ${file.bytes} bytes`;
  if (bytes.length !== file.bytes) return `${bytes.length} bytes instead of ${file.bytes}`;
  if (!subtle) return "";
  const digest = new Uint8Array(await subtle.digest("SHA-256", bytes));
  const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex === file.sha256 ? "" : "its SHA-256 is not the expected one";
}

/**
 * Adds up what has come over the wire. A browser hands over decoded bytes, so each file's share is scaled to its
 * size as sent: Content-Length where the host tells it, else that of the file, which is compressed already.
 */
class Meter {
  /** @type {Map<string, {wire: number, share: number, begin: (() => void) | null}>} in the order of their turns */
  #parts = new Map();
  #told = 0;
  #loaded = 0;
  #tell;
  lastByte = performance.now();

  /** @param {readonly RuntimeFile[]} files @param {(loaded: number, total: number) => void} tell */
  constructor(files, tell) {
    for (const file of files) this.#parts.set(file.name, { wire: file.bytes, share: 0, begin: null });
    this.#tell = tell;
  }

  /** Settles when the file may be fetched. @param {RuntimeFile} file @returns {Promise<void>} */
  turn(file) {
    return new Promise((resolve) => {
      this.#part(file).begin = resolve;
      this.#admit();
    });
  }

  #admit() {
    let underWay = 0;
    for (const part of this.#parts.values()) {
      if (underWay > UNDER_WAY) return;
      part.begin?.();
      part.begin = null;
      underWay += part.wire * (1 - part.share);
    }
  }

  /** @param {RuntimeFile} file @param {Headers} headers */
  headers(file, headers) {
    this.lastByte = performance.now();
    const part = this.#part(file);
    const sent = Number(headers.get("content-length"));
    if (sent > 0 && sent <= file.bytes && part.share === 0) part.wire = sent;
  }

  /** @param {RuntimeFile} file @param {number} decoded  bytes of it so far */
  received(file, decoded) {
    this.lastByte = performance.now();
    const part = this.#part(file);
    part.share = Math.max(part.share, decoded / file.bytes);
    this.#admit();
    if (this.lastByte - this.#told >= TELL_EVERY) this.#report();
  }

  /** @returns {boolean} @param {RuntimeFile} file */
  complete(file) {
    return this.#part(file).share >= 1;
  }

  finish() {
    for (const part of this.#parts.values()) part.share = 1;
    this.#report();
  }

  #report() {
    let loaded = 0;
    let total = 0;
    for (const { wire, share } of this.#parts.values()) {
      loaded += wire * share;
      total += wire;
    }
    this.#told = performance.now();
    this.#loaded = Math.max(this.#loaded, Math.min(Math.round(loaded), total));
    this.#tell(this.#loaded, total);
  }

  /** @param {RuntimeFile} file */
  #part(file) {
    const part = this.#parts.get(file.name);
    if (!part) throw new Error(`${file.name} is not among the files`);
    return part;
  }
}

/**
 * Rejects when nothing at all has arrived for a while. One watch for all files, because a browser that may open only
 * six connections lets some files wait with good reason.
 *
 * @param {Meter} meter @param {readonly RuntimeFile[]} files @param {number} stallAfter
 */
function watch(meter, files, stallAfter) {
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let timer;
  /** @type {Promise<never>} */
  const rejection = new Promise((_, reject) => {
    timer = setInterval(() => {
      if (performance.now() - meter.lastByte < stallAfter) return;
      const name = files.find((file) => !meter.complete(file))?.name ?? "the runtime";
      const seconds = Math.round(stallAfter / 1000);
      reject(
        new DownloadError(
          name,
          `The download stopped: no data for ${seconds} seconds while waiting for ${name}. ` +
            "Check the connection, then try again.",
        ),
      );
    }, Math.min(1000, stallAfter / 4));
  });
  rejection.catch(() => {});
  return { rejection, end: () => clearInterval(timer) };
}
