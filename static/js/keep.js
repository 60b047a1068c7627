/**
 * Puts the open lesson on the shelf, whole or not at all. Python's files are taken from the browser's HTTP cache, where
 * the first Run has left them, and never downloaded again; what is fetched besides are a few small scripts
 * and, unless the reader saves data, the archives of modules that cells may import. Runs in the
 * service worker (Chromium 150 crashes a page that fetches "only-if-cached" while a tool intercepts its requests).
 *
 * @typedef {import("./shelf.js").Shelf} Shelf
 * @typedef {(bytes: ArrayBuffer) => boolean | Promise<boolean>} Check
 */

import { isHashed, listNamed, sha256 } from "./shelf.js";

/** Ways to a file, as `fetch` calls them: out of the HTTP cache alone, or from the network where that has none or a wrong one. */
const HELD = /** @type {const} */ (["only-if-cached"]);
const HELD_OR_FETCHED = /** @type {const} */ (["only-if-cached", "no-cache"]);
const FETCHED = /** @type {const} */ (["no-cache"]);

/**
 * @param {Shelf} shelf
 * @param {string} page   path of the open page from the site's root
 * @param {string} list   path of the list that it names
 * @param {boolean} thrifty   the reader saves data: archives that no cell has asked for are left out
 * @returns {Promise<boolean>} whether the page is on the shelf with all that it needs
 */
export async function keep(shelf, page, list, thrifty) {
  const kept = await shelf.get(page);
  if (kept && listNamed(await kept.text()) === list) return true;

  /** What has no hash in its name waits until all is there: it may replace what another deploy needs. @type {Map<string, Response>} */
  const loose = new Map();
  /** @type {(path: string, sources: readonly RequestCache[], sound: Check) => Promise<boolean>} */
  const take = async (path, sources, sound) => {
    if (isHashed(path) && (await shelf.get(path))) return true;
    const response = await fetchSound(shelf.root + path, sources, sound);
    if (response && isHashed(path)) await shelf.put(path, response);
    else if (response) loose.set(path, response);
    return response !== null;
  };
  if (!(await take(list, HELD_OR_FETCHED, async (bytes) => list.includes((await sha256(bytes)).slice(0, 12))))) return false;
  const contents = await shelf.contents(list);
  if (!contents) return false;
  const { needed, imported, further } = contents;
  const all = async (/** @type {Record<string, string>} */ files, /** @type {readonly RequestCache[]} */ sources) => {
    const taken = Object.entries(files).map(([path, hash]) => take(path, sources, async (bytes) => (await sha256(bytes)) === hash));
    return (await Promise.all(taken)).every(Boolean);
  };
  const [large, small] = split(needed, (path) => path.startsWith("runtime/"));
  if (!(await all(large, HELD)) || !(await all(small, HELD_OR_FETCHED))) return false;
  await all(imported, thrifty ? HELD : HELD_OR_FETCHED);
  await all(further, HELD);
  // Its own address may have a newer page by now.
  if (!(await take(page, HELD_OR_FETCHED, (bytes) => listNamed(text(bytes)) === list))) return false;
  // The way from lesson to lesson; of this deploy, or it is left alone.
  await take("", FETCHED, (bytes) => filesNamed(text(bytes)).every((path) => path in needed || path in further));

  const last = loose.get(page);
  loose.delete(page);
  for (const [path, response] of loose) await shelf.put(path, response);
  if (last) await shelf.put(page, last);
  return last !== undefined;
}

/**
 * Puts on the shelf what cells have fetched before this worker could see it: a model, say, that was on its way when the
 * lesson was kept. Out of the HTTP cache, where that still has it, so also without a network.
 *
 * @param {Shelf} shelf @param {string} list  of the open page
 */
export async function gather(shelf, list) {
  for (const [path, hash] of Object.entries((await shelf.contents(list))?.further ?? {})) {
    if (!isHashed(path) || (await shelf.get(path))) continue;
    const response = await fetchSound(shelf.root + path, HELD, async (bytes) => (await sha256(bytes)) === hash);
    if (response) await shelf.put(path, response);
  }
}

/** @returns {Promise<Response | null>} @param {string} url @param {readonly RequestCache[]} sources @param {Check} sound */
async function fetchSound(url, sources, sound) {
  for (const cache of sources) {
    try {
      const response = await fetch(url, { cache, mode: "same-origin" });
      if (response.ok && !response.redirected && (await sound(await response.clone().arrayBuffer()))) return response;
    } catch {
      // Not in the HTTP cache, or no network.
    }
  }
  return null;
}

/** @returns {[Record<string, string>, Record<string, string>]} @param {Record<string, string>} files @param {(path: string) => boolean} test */
function split(files, test) {
  const entries = Object.entries(files);
  return [Object.fromEntries(entries.filter(([path]) => test(path))), Object.fromEntries(entries.filter(([path]) => !test(path)))];
}

/** The files of the bundle that a page names. @param {string} html */
function filesNamed(html) {
  return [...html.matchAll(/"(?:\.\.?\/)*(assets\/[\w.-]+)"/g)].map((match) => match[1] ?? "");
}

/** @param {ArrayBuffer} bytes */
function text(bytes) {
  return new TextDecoder().decode(bytes);
}
