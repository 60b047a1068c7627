/**
 * Where the worker keeps what it started from, for later visits: Python's memory and all that goes with it, unpacked. One
 * for each site, in IndexedDB, for exactly one runtime, boot code and browser. A browser that cannot keep it starts Python
 * without.
 *
 * @typedef {import("./protocol.js").RuntimeManifest} RuntimeManifest
 * @typedef {import("./pack.js").Bytes} Bytes
 *
 * @typedef {"snapshot" | "wasm" | "python" | "lectern" | "numpy" | "loader" | "module"} Part
 * @typedef {Record<Part, Blob>} Parts
 * @typedef {{key: string, parts: Parts, sums: Record<Part, string>}} Kept
 */

const DATABASE = "lectern-python";
const STORE = "snapshots";

/** A browser that has not answered after so long (ms) is not waited for: a normal start takes a second or two. */
const PATIENCE = 1_000;

/** Never rejects. @returns {Promise<Kept | null>} @param {RuntimeManifest} manifest */
export async function load(manifest) {
  const patience = new Promise((/** @type {(value: null) => void} */ resolve) => setTimeout(resolve, PATIENCE, null));
  return Promise.race([find(manifest), patience]).catch(() => null);
}

/** The bytes of a part. Rejects if they are not those that were saved. @param {Kept} kept @param {Part} part */
export async function read({ parts, sums }, part) {
  const bytes = new Uint8Array(await parts[part].arrayBuffer());
  if (sum(bytes) !== sums[part]) throw new Error(`what was kept of ${part} has changed`);
  return bytes;
}

/** Never rejects. @param {RuntimeManifest} manifest @param {Parts} parts */
export async function save(manifest, parts) {
  try {
    const sums = /** @type {Kept["sums"]} */ ({});
    for (const [part, blob] of /** @type {[Part, Blob][]} */ (Object.entries(parts))) {
      sums[part] = sum(new Uint8Array(await blob.arrayBuffer()));
    }
    /** @type {Kept} */
    const kept = { key: keyOf(manifest), parts, sums };
    await act("readwrite", (store) => store.put(kept, siteOf(manifest)));
  } catch {
    // No room, or no storage at all.
  }
}

/** Never rejects. @param {RuntimeManifest} manifest */
export async function forget(manifest) {
  await act("readwrite", (store) => store.delete(siteOf(manifest))).catch(() => {});
}

/**
 * Tells bytes from the same bytes after decay: one word that has changed always changes it. Who can write to the storage
 * could change a SHA-256 as well, and that would take a tenth of a second.
 *
 * @param {Bytes} bytes  the whole of their buffer
 */
export function sum(bytes) {
  const words = new Uint32Array(bytes.buffer, 0, bytes.length >>> 2);
  const whole = words.length & ~3;
  let [a, b, c, d] = [1, 2, 3, bytes.length];
  // Four at a time, for a multiplication takes several turns of the clock; each step can be undone, so nothing is lost.
  for (let i = 0; i < whole; i += 4) {
    a = Math.imul(a ^ /** @type {number} */ (words[i]), 0x9e3779b1);
    b = Math.imul(b ^ /** @type {number} */ (words[i + 1]), 0x85ebca77);
    c = Math.imul(c ^ /** @type {number} */ (words[i + 2]), 0xc2b2ae3d);
    d = Math.imul(d ^ /** @type {number} */ (words[i + 3]), 0x27d4eb2f);
  }
  for (const byte of bytes.subarray(whole * 4)) a = Math.imul(a ^ byte, 0x9e3779b1);
  return [a, b, c, d].map((lane) => (lane >>> 0).toString(16).padStart(8, "0")).join("");
}

/** @returns {Promise<Kept | null>} @param {RuntimeManifest} manifest */
async function find(manifest) {
  /** @type {Partial<Kept> | undefined} */
  const kept = await act("readonly", (store) => store.get(siteOf(manifest)));
  if (!kept) return null;
  if (kept.key === keyOf(manifest) && kept.parts && kept.sums) return /** @type {Kept} */ (kept);
  await forget(manifest);
  return null;
}

/** Names in the runtime's and the worker's addresses change with their content. @param {RuntimeManifest} manifest */
function keyOf({ url, worker }) {
  return `${url} ${worker} ${navigator.userAgent}`;
}

/** Several courses may share an origin. @param {RuntimeManifest} manifest */
function siteOf({ url }) {
  return new URL("../../", url).pathname;
}

/** @returns {Promise<any>} @param {IDBTransactionMode} mode @param {(store: IDBObjectStore) => IDBRequest} act */
async function act(mode, act) {
  const opening = indexedDB.open(DATABASE, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
  const database = await settled(opening);
  try {
    const transaction = database.transaction(STORE, mode);
    const request = act(transaction.objectStore(STORE));
    await new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = transaction.onerror = () => reject(transaction.error ?? request.error);
    });
    return request.result;
  } finally {
    database.close();
  }
}

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
function settled(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
