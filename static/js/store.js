/**
 * Where the worker keeps its snapshot between visits: one for each site, in IndexedDB, for exactly one runtime, boot code
 * and browser. Nothing here ever rejects: a browser that cannot keep it starts Python without.
 *
 * @typedef {import("./protocol.js").RuntimeManifest} RuntimeManifest
 * @typedef {{key: string, sha256: string, bytes: ArrayBuffer}} Kept
 */

const DATABASE = "lectern-python";
const STORE = "snapshots";

/** A browser that has not answered after so long (ms) is not waited for: a normal start takes a second or two. */
const PATIENCE = 1_500;

/** @returns {Promise<ArrayBuffer | null>} what `save` was given, unharmed @param {RuntimeManifest} manifest */
export async function load(manifest) {
  const patience = new Promise((/** @type {(value: null) => void} */ resolve) => setTimeout(resolve, PATIENCE, null));
  return Promise.race([find(manifest), patience]).catch(() => null);
}

/** @returns {Promise<boolean>} whether it will be there at the next visit @param {RuntimeManifest} manifest @param {ArrayBuffer} bytes */
export async function save(manifest, bytes) {
  try {
    /** @type {Kept} */
    const kept = { key: keyOf(manifest), sha256: await digest(bytes), bytes };
    await act("readwrite", (store) => store.put(kept, siteOf(manifest)));
    return true;
  } catch {
    return false;
  }
}

/** @param {RuntimeManifest} manifest */
export async function forget(manifest) {
  await act("readwrite", (store) => store.delete(siteOf(manifest))).catch(() => {});
}

/** @param {RuntimeManifest} manifest */
async function find(manifest) {
  /** @type {Partial<Kept> | undefined} */
  const kept = await act("readonly", (store) => store.get(siteOf(manifest)));
  if (!kept) return null;
  const sound = kept.key === keyOf(manifest) && kept.bytes && (await digest(kept.bytes)) === kept.sha256;
  if (sound) return kept.bytes ?? null;
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

/** @param {ArrayBuffer} bytes  throws where the origin is insecure: then nothing can be vouched for, so nothing is kept */
async function digest(bytes) {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
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
