/**
 * Starts Python inside the worker: orders the manifest's files, and uses each as it arrives. What an earlier worker has
 * been sent is used instead, if the page hands it over.
 *
 * @typedef {import("./protocol.js").RuntimeManifest} RuntimeManifest
 * @typedef {import("./protocol.js").Failure} Failure
 * @typedef {import("./protocol.js").State} State
 * @typedef {import("./protocol.js").Kit} Kit
 * @typedef {import("./supply.js").Supply} Supply
 * @typedef {import("./pack.js").Bytes} Bytes
 */

import { DownloadError } from "./download.js";
import { decode, encode } from "./memory.js";
import { complete, makeSnapshot, startPython } from "./start.js";
import { forget, load, save } from "./store.js";
import { order } from "./supply.js";

/** Marks the moment in the worker's time line, for tests and whoever measures. */
const RESTORED = "restored from a snapshot";

/**
 * @param {RuntimeManifest} manifest          with absolute URLs
 * @param {(state: State) => void} report     told of every step
 * @param {Kit | null} [kept]                 from an earlier worker
 * @returns {Promise<{interpreter: import("./interpreter.js").Interpreter, kit: Promise<Kit> | null}>}
 *   `kit`: for the next worker, if it differs from `kept`. Rejects; `explain` turns the reason into a Failure
 */
export async function boot(manifest, report, kept = null) {
  const step = (/** @type {string} */ text) => report({ type: "state", state: "loading", phase: "start", step: text });
  const progress = (/** @type {number} */ loaded, /** @type {number} */ total) =>
    report({ type: "state", state: "loading", phase: "download", loaded, total });
  const remembered = kept ? kept.snapshot?.arrayBuffer() : manifest.snapshot ? load(manifest) : null;
  const supply = kept ? supplyFrom(kept) : order(manifest, progress, () => spawnSupplier(manifest));
  const { scripts, others, arrived } = supply;
  const started = arrived.then(() => step("Starting Python"));
  const restore = answerFrom(others, manifest.url);
  try {
    const glue = importGlue(scripts);
    const host = hostOf(manifest, supply);
    const starting = async () => {
      const bytes = await remembered;
      if (bytes) {
        try {
          const interpreter = await startPython(glue, supply.assets, host, manifest, { step, snapshot: decode(bytes) });
          performance.mark(RESTORED);
          return { interpreter, kit: kept ? null : kitOf(supply, new Blob([bytes])) };
        } catch {
          await forget(manifest); // whatever it was: without a snapshot, Python starts as it did the first time
        }
      }
      const interpreter = await startPython(glue, supply.assets, host, manifest, { step });
      return { interpreter, kit: kept && !bytes ? null : kitOf(supply, null) };
    };
    const [booted] = await Promise.all([starting(), started]);
    return booted;
  } finally {
    restore();
  }
}

/**
 * Takes a snapshot for later starts, and keeps it for later visits if the browser can.
 *
 * @param {RuntimeManifest} manifest @param {Kit} kit
 * @returns {Promise<Blob | null>} null where none can be had
 */
export async function remember(manifest, kit) {
  try {
    const { scripts, assets } = supplyFrom(kit);
    const bytes = encode(await makeSnapshot(importGlue(scripts), assets, manifest.url));
    await save(manifest, bytes.buffer);
    return new Blob([bytes]);
  } catch {
    return null;
  }
}

/** @returns {Failure} @param {unknown} error */
export function explain(error) {
  if (error instanceof DownloadError) return { message: error.message, file: error.file };
  const reason = String(error instanceof Error ? error.message : error).trim().split("\n").at(-1);
  return {
    message: `Python did not start in this browser (${reason}). Try again; an up-to-date browser may help.`,
    file: null,
  };
}

/** @returns {Promise<Kit>} @param {Supply} supply  all of which has arrived @param {Blob | null} snapshot */
async function kitOf({ scripts: { loader, module }, assets, others }, snapshot) {
  const { python, lectern, numpy, ...compiled } = await complete(assets);
  const files = { python: new Blob([python]), lectern: new Blob([lectern]), numpy: new Blob([numpy]) };
  return { scripts: { loader: await loader, module: await module }, compiled, files, others, snapshot };
}

/** @returns {Supply} @param {Kit} kit */
function supplyFrom({ scripts, compiled, files, others }) {
  const read = async (/** @type {Blob} */ file) => new Uint8Array(await file.arrayBuffer());
  const { python, lectern, numpy } = files;
  const assets = { ...compiled, python: read(python), lectern: read(lectern), numpy: read(numpy) };
  return { scripts, assets, others, arrived: Promise.resolve() };
}

/** @returns {Promise<import("./internals.js").Glue>} @param {Supply["scripts"]} scripts */
async function importGlue({ loader, module }) {
  const [{ loadPyodide }, { default: createPyodideModule }] = await Promise.all([importScript(loader), importScript(module)]);
  return { loadPyodide, createPyodideModule };
}

/**
 * Imports a script that has been downloaded and checked: whatever type the host gave it, and without a second request.
 *
 * @param {Blob | Promise<Blob>} source
 */
async function importScript(source) {
  const url = URL.createObjectURL(await source);
  try {
    return await import(url);
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** @returns {import("./start.js").Host} @param {RuntimeManifest} manifest @param {Supply} supply */
function hostOf({ url, archives }, { others, arrived }) {
  return {
    base: url,
    arrived,
    read: (name) => others.get(name) ?? readNow(url + name),
    sha256: (name) => archives.find((archive) => archive.name === name)?.sha256 ?? "",
  };
}

/** An `import` waits for this, and Python cannot wait for a promise everywhere. @param {string} url */
function readNow(url) {
  const request = new XMLHttpRequest();
  request.open("GET", url, false);
  request.responseType = "arraybuffer";
  request.send();
  if (request.status !== 200) throw new Error(`the server answered ${request.status}`);
  return new Uint8Array(/** @type {ArrayBuffer} */ (request.response));
}

/**
 * Answers Pyodide's requests for packages from what has been downloaded, until the returned function is called.
 *
 * @param {Map<string, Bytes>} files @param {string} base
 */
function answerFrom(files, base) {
  const { fetch } = globalThis;
  let open = true;
  globalThis.fetch = async (input, init) => {
    const href = input instanceof Request ? input.url : String(input);
    const bytes = href.startsWith(base) && open ? files.get(href.slice(base.length)) : undefined;
    return bytes ? new Response(bytes) : fetch(input, init);
  };
  return () => {
    globalThis.fetch = fetch;
    // Python may have taken hold of the answering fetch (`from js import fetch`): from now on it only passes on.
    open = false;
  };
}

/** The same script in the other role; the browser has it already. @param {RuntimeManifest} manifest */
function spawnSupplier({ worker }) {
  return new Worker(worker, { type: "module", name: "supplier" });
}
