/**
 * The service worker of a course: answers from the shelf (shelf.js) when there is no network. Files with a hash in their
 * name come from the shelf first, everything else from the network first, so that a reload always shows the newest
 * deploy. What goes on the shelf is what a page asks for, and later files that its list names.
 *
 * Its address never changes, and a new version takes over at once: it knows no deploy, so it fits the pages of all.
 */

import { gather, keep } from "./keep.js";
import { isHashed, isPage, Shelf, sha256 } from "./shelf.js";

/** So long (ms) may a host say nothing about a page that is on the shelf. */
const PATIENCE = 8_000;

/** The DOM's types know the page's global scope only. @type {any} */
const worker = self;
const shelf = new Shelf(worker.registration.scope);

worker.addEventListener("install", () => worker.skipWaiting());
worker.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(worker.clients.claim()));

worker.addEventListener("fetch", (/** @type {any} */ event) => {
  /** @type {Request} */
  const request = event.request;
  const { method, url, cache, mode, headers } = request;
  if (method !== "GET" || !url.startsWith(shelf.root) || headers.has("range")) return;
  const path = shelf.path(url);
  if (isHashed(path)) {
    event.respondWith(answerFile(path, request, (done) => event.waitUntil(done)));
  } else if (mode === "navigate") event.respondWith(answerPage(path, request));
  else if (cache === "default") event.respondWith(answerLoose(path, request));
});

worker.addEventListener("message", (/** @type {any} */ event) => {
  if (event.data?.type === "keep") event.waitUntil(keepPage(event.data, event.ports[0], event.source?.id));
});

/** @param {string} path @param {Request} request @param {(work: Promise<void>) => void} after */
async function answerFile(path, request, after) {
  // A reader who found a file damaged asks with "reload".
  const anew = request.cache === "reload" || request.cache === "no-store";
  const kept = anew ? undefined : await shelf.get(path);
  if (kept) return kept;
  const response = await fetch(request);
  if (response.ok) after(remember(path, response.clone()));
  return response;
}

/** @param {string} path @param {Response} response */
async function remember(path, response) {
  const hash = await shelf.hashOf(path);
  if (hash && hash === (await sha256(await response.clone().arrayBuffer()))) await shelf.put(path, response);
}

/** @returns {Promise<Response>} @param {string} path @param {Request} request  a navigation */
async function answerPage(path, request) {
  const place = path.replace(/[?#].*$/, "").replace(/(^|\/)index\.html$/, "$1");
  // Asked for by its address, because the HTTP cache must not answer without asking the host; redirects are the browser's.
  const network = fetch(request.url, { cache: "no-cache", redirect: "manual" });
  network.catch(() => {}); // looked at below, or too late
  const kept = await shelf.get(place);
  try {
    const response = await (kept ? Promise.race([network, silence()]) : network);
    if (response.status < 500 || !kept) return response;
  } catch {
    // No network: what follows is for that.
  }
  if (kept) return kept;
  return (await shelf.get(`${place}/`)) ? Response.redirect(`${shelf.root}${place}/`) : missing();
}

/** Pictures and data beside a lesson. @param {string} path @param {Request} request */
async function answerLoose(path, request) {
  const kept = await shelf.get(path);
  if (!kept) return fetch(request);
  try {
    const response = await fetch(request, { cache: "no-cache" });
    return response.status < 500 ? response : kept;
  } catch {
    return kept;
  }
}

/** @returns {Promise<never>} */
function silence() {
  return new Promise((_, reject) => setTimeout(reject, PATIENCE, new Error("the host says nothing")));
}

/** What stands for a page that is not on the shelf when there is no network. */
async function missing() {
  const links = [];
  for (const path of (await shelf.paths("pages")).filter(isPage)) {
    const title = (await (await shelf.get(path))?.text())?.match(/<title>(.*?)<\/title>/s)?.[1] ?? path;
    links.push(`<li><a href="${shelf.root}${path}">${title}</a></li>`);
  }
  const body = links.length
    ? `<p>This page is not kept in your browser. These pages are:</p><ul>${links.join("")}</ul>`
    : "<p>This page is not kept in your browser. Come back to it when you have a network again.</p>";
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>You are offline</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<style>body { font: 1.125rem/1.6 Georgia, serif; max-width: 36rem; margin: 15vh auto; padding: 0 1.25rem }</style>
</head><body><h1>You are offline</h1>${body}</body></html>`;
  return new Response(html, { status: 503, headers: { "Content-Type": "text/html; charset=utf-8" } });
}

/**
 * The page hears whether it is kept now.
 *
 * @param {{page: string, list: string, thrifty: boolean}} wish  paths from the site's root
 * @param {MessagePort} port @param {string | undefined} id  of the page
 */
async function keepPage({ page, list, thrifty }, port, id) {
  const kept = await keep(shelf, page, list, thrifty).catch(() => false); // a full disk, say
  port.postMessage(kept);
  await tidy(list, id);
  if (kept) await gather(shelf, list).catch(() => {});
}

/**
 * Other open pages may be of an earlier deploy, and need its files: they go when the page that asks is the only one.
 *
 * @param {string} list  of that page @param {string | undefined} id  of that page
 */
async function tidy(list, id) {
  /** @type {{id: string, url: string}[]} */
  const pages = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  if (pages.every((page) => page.id === id || !page.url.startsWith(shelf.root))) await shelf.tidy(list);
}
