/**
 * Starts Python inside the worker: orders the manifest's files, and uses each as it arrives. What an earlier worker was
 * made from is used instead, if the page hands it over or the browser has kept it.
 *
 * @typedef {import("./protocol.js").RuntimeManifest} RuntimeManifest
 * @typedef {import("./protocol.js").Failure} Failure
 * @typedef {import("./protocol.js").State} State
 * @typedef {import("./protocol.js").Kit} Kit
 * @typedef {import("./supply.js").Supply} Supply
 * @typedef {import("./pack.js").Bytes} Bytes
 */

import { download, DownloadError } from "./download.js";
import { decode, encode } from "./memory.js";
import { inflate, openDecoder } from "./pack.js";
import { compileLibraries, GLUE, makeSnapshot, PACKS, startPython } from "./start.js";
import { forget, load, read, save } from "./store.js";
import { order } from "./supply.js";

/** Marks the moment in the worker's time line, for tests and whoever measures. */
const RESTORED = "restored from a snapshot";

/**
 * @param {RuntimeManifest} manifest          with absolute URLs
 * @param {(state: State) => void} report     told of every step
 * @param {Kit | null} [kept]                 from an earlier worker
 * @param {boolean} [anew]                    throw away what an earlier visit has kept
 * @returns {Promise<{interpreter: import("./interpreter.js").Interpreter, kit: Promise<Kit> | null}>}
 *   `kit`: for the next worker, if it differs from `kept`. Rejects; `explain` turns the reason into a Failure
 */
export async function boot(manifest, report, kept = null, anew = false) {
  const step = (/** @type {string} */ text) => report({ type: "state", state: "loading", phase: "start", step: text });
  const progress = (/** @type {number} */ loaded, /** @type {number} */ total) =>
    report({ type: "state", state: "loading", phase: "download", loaded, total });
  const start = async (/** @type {Supply} */ supply, /** @type {Promise<ArrayBuffer> | undefined} */ memory) => {
    const { scripts, others, arrived } = supply;
    const restore = answerFrom(others, manifest.url);
    const started = arrived.then(() => step("Starting Python"));
    const starting = async () => {
      const glue = importGlue(scripts);
      glue.catch(() => {}); // whoever waits is told
      const snapshot = memory ? decode(await memory) : null;
      const interpreter = await startPython(glue, supply.assets, hostOf(manifest, supply), manifest, { step, snapshot });
      if (snapshot) performance.mark(RESTORED);
      return interpreter;
    };
    try {
      const [interpreter] = await Promise.all([starting(), started]);
      return interpreter;
    } finally {
      restore();
    }
  };
  if (anew) void forget(manifest);
  const stored = kept || anew || !manifest.snapshot ? null : await load(manifest);
  if (kept?.snapshot) {
    try {
      return { interpreter: await start(supplyFrom(kept), kept.snapshot.arrayBuffer()), kit: null };
    } catch {
      await forget(manifest); // whatever it was: without a snapshot, Python starts as it did the first time
    }
  }
  if (stored) {
    try {
      const supply = supplyFromStore(stored, manifest, progress);
      const memory = read(stored, "snapshot").then(({ buffer }) => buffer);
      return { interpreter: await start(supply, memory), kit: kitOf(supply, stored.parts.snapshot) };
    } catch (error) {
      if (error instanceof DownloadError) throw error;
      await forget(manifest);
    }
  }
  const supply = kept ? supplyFrom(kept) : order(manifest, progress, () => spawnSupplier(manifest));
  const interpreter = await start(supply, undefined);
  return { interpreter, kit: kept && !kept.snapshot ? null : kitOf(supply, null) };
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
    const snapshot = new Blob([encode(await makeSnapshot(importGlue(scripts), assets, manifest.url))]);
    await save(manifest, { snapshot, wasm: await wasmOf(manifest), ...kit.files, ...kit.scripts });
    return snapshot;
  } catch {
    return null;
  }
}

/** A compiled module cannot be stored, and its bytes are gone; the browser has the file. @param {RuntimeManifest} manifest */
async function wasmOf({ url, files }) {
  const [packed] = await Promise.all([
    download(url, files.filter(({ name }) => name === PACKS.wasm), { onProgress: () => {} }),
    openDecoder(),
  ]);
  return new Blob([...packed.values()].map(inflate));
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
async function kitOf({ scripts: { loader, module }, assets: { wasm, libraries }, others, files }, snapshot) {
  const { python, lectern, numpy } = /** @type {Kit["files"]} */ (files);
  return {
    scripts: { loader: await loader, module: await module },
    compiled: { wasm: await wasm, libraries: await libraries },
    files: { python, lectern, numpy },
    others,
    snapshot,
  };
}

/** @returns {Supply} @param {Kit} kit */
function supplyFrom({ scripts, compiled, files, others }) {
  const unpacked = mapValues(files, async (file) => new Uint8Array(await file.arrayBuffer()));
  return { scripts, assets: { ...compiled, ...unpacked }, others, arrived: Promise.resolve(), files };
}

/**
 * All that is the same for every lesson of the site is there; what is the lesson's own comes from where it always comes.
 *
 * @returns {Supply} @param {import("./store.js").Kept} kept @param {RuntimeManifest} manifest
 * @param {(loaded: number, total: number) => void} progress
 */
function supplyFromStore(kept, { url, files }, progress) {
  const whole = (/** @type {"loader" | "module"} */ part) => read(kept, part).then(() => kept.parts[part]);
  const numpy = read(kept, "numpy");
  const assets = {
    wasm: read(kept, "wasm").then((bytes) => WebAssembly.compile(bytes)),
    python: read(kept, "python"),
    lectern: read(kept, "lectern"),
    numpy,
    libraries: numpy.then(compileLibraries),
  };
  /** @type {Map<string, Bytes>} */
  const others = new Map();
  const there = new Set([...Object.values(PACKS), ...Object.values(GLUE)]);
  const missing = files.filter(({ name }) => !there.has(name));
  const arrived = missing.length
    ? download(url, missing, { onProgress: progress, onFile: (name, bytes) => others.set(name, bytes) })
    : Promise.resolve();
  const scripts = { loader: whole("loader"), module: whole("module") };
  const supply = { scripts, assets, others, arrived, files: kept.parts };
  for (const part of [...Object.values(supply.scripts), ...Object.values(assets), arrived]) part.catch(() => {}); // whoever waits is told
  return supply;
}

/** @template {string} K @template T, U @returns {Record<K, U>} @param {Record<K, T>} record @param {(value: T) => U} map */
function mapValues(record, map) {
  return /** @type {Record<K, U>} */ (Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(/** @type {T} */ (value))])));
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

/** So long (ms) may a file take for which Python waits: a megabyte on the slowest of lines. */
const PATIENCE = 120_000;

/** An `import` waits for this, and Python cannot wait for a promise everywhere. @param {string} url */
function readNow(url) {
  const request = new XMLHttpRequest();
  request.open("GET", url, false);
  request.responseType = "arraybuffer";
  request.timeout = PATIENCE;
  try {
    request.send();
  } catch (error) {
    // The browser's own words name an address and no reason.
    const late = error instanceof DOMException && error.name === "TimeoutError";
    throw new Error(late ? "it took longer than two minutes" : "the connection broke off");
  }
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
