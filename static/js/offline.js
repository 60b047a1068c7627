/**
 * Makes the open lesson work offline, and says so. Loaded after the first successful Run, or when an earlier visit has
 * left a service worker; whatever goes wrong here is silent, because the page works without it.
 *
 * @typedef {import("./lesson-data.js").LessonData} LessonData
 */

import { CodeCell } from "./cell.js";
import { h } from "./dom.js";
import { Shelf } from "./shelf.js";

/**
 * @param {LessonData} lesson
 * @param {CodeCell | null} cell   that has just run, if one has
 * @param {boolean} thrifty        Save-Data: fetch no more than must be
 * @returns {Promise<boolean>} whether the lesson works offline now
 */
export async function keepLesson({ base, offline: list }, cell, thrifty) {
  // `serve` builds anew all the time, and its pages must show it.
  if (!list || "served" in document.documentElement.dataset) return false;
  try {
    // Never from the HTTP cache: a worker that an author has withdrawn must go at the next visit.
    const options = /** @type {const} */ ({ scope: base, updateViaCache: "none" });
    const worker = await activated(await navigator.serviceWorker.register(`${base}service-worker.js`, options));
    const page = location.pathname.slice(base.length).replace(/index\.html$/, "");
    const { port1, port2 } = new MessageChannel();
    /** @type {Promise<boolean>} */
    const answer = new Promise((resolve) => (port1.onmessage = ({ data }) => resolve(data === true)));
    worker.postMessage({ type: "keep", page, list, thrifty }, [port2]);
    const kept = await answer;
    port1.close();
    if (kept) show(cell);
    return kept;
  } catch {
    return false;
  }
}

/**
 * Removes the service worker that an earlier deploy has left, and all that it kept: an author has switched offline use off
 * since. The worker's own successor (sitebuilder/retire.js) does the same, but waits for as long as the old one is busy.
 *
 * @param {string} base
 */
export async function forgetLessons(base) {
  const scope = new URL(base, location.href).href;
  const left = await navigator.serviceWorker.getRegistration(scope);
  if (left?.scope !== scope) return; // that of a course around this one
  await left.unregister();
  await new Shelf(scope).clear();
}

/** Beside the result that the reader is looking at; later, beside every Run. @param {CodeCell | null} ran */
function show(ran) {
  document.documentElement.dataset.offline = "kept";
  const note = h("p", { class: "offline-note", role: "status" }, "This lesson now works offline");
  ran?.querySelector(".cell-run")?.append(note);
  for (const cell of document.querySelectorAll("code-cell")) if (cell instanceof CodeCell) cell.kept = true;
}

/** @returns {Promise<ServiceWorker>} @param {ServiceWorkerRegistration} registration */
function activated({ active, waiting, installing }) {
  const worker = active ?? waiting ?? installing;
  return new Promise((resolve, reject) => {
    const look = () => {
      if (worker?.state === "activated") resolve(worker);
      else if (!worker || worker.state === "redundant") reject(new Error("the service worker was not installed"));
    };
    worker?.addEventListener("statechange", look);
    look();
  });
}
