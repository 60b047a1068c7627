/**
 * Starts Python inside the worker: downloads the manifest's files all at once, unpacks and compiles each as it arrives,
 * then starts. What an earlier worker has prepared is used instead, if the page hands it over.
 *
 * @typedef {import("./protocol.js").RuntimeManifest} RuntimeManifest
 * @typedef {import("./protocol.js").Failure} Failure
 * @typedef {import("./protocol.js").State} State
 * @typedef {import("./protocol.js").Kit} Kit
 * @typedef {import("./pack.js").Bytes} Bytes
 */

import { download, DownloadError } from "./download.js";
import { GLUE, PACKS, prepare, startPython } from "./start.js";

/**
 * @param {RuntimeManifest} manifest          with absolute URLs
 * @param {(state: State) => void} report     told of every step
 * @param {Kit | null} [kept]                 from an earlier worker
 * @returns {Promise<{interpreter: import("./interpreter.js").Interpreter, kit: Kit}>}
 *   rejects; `explain` turns the reason into a Failure
 */
export async function boot(manifest, report, kept = null) {
  const step = (/** @type {string} */ text) => report({ type: "state", state: "loading", phase: "start", step: text });
  const kit = kept ?? (await fetchKit(manifest, report));
  step("Starting Python");
  const restore = answerFrom(kit.others, manifest.url);
  try {
    const glue = { ...(await importSource(kit.loader)), createPyodideModule: (await importSource(kit.module)).default };
    const interpreter = await startPython(glue, kit.assets, hostOf(manifest, kit), manifest, { step });
    return { interpreter, kit };
  } finally {
    restore();
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

/** @param {RuntimeManifest} manifest @param {(state: State) => void} report @returns {Promise<Kit>} */
async function fetchKit(manifest, report) {
  /** @type {Map<string, (bytes: Bytes) => void>} */
  const awaited = new Map();
  /** @type {(name: string) => Promise<Bytes>} */
  const arrival = (name) => new Promise((resolve) => awaited.set(name, resolve));
  const assets = prepare({
    wasm: arrival(PACKS.wasm),
    python: arrival(PACKS.python),
    lectern: arrival(PACKS.lectern),
  });
  assets.catch(() => {}); // looked at below, after the download's own faults
  const files = await download(manifest.url, manifest.files, {
    onProgress: (loaded, total) => report({ type: "state", state: "loading", phase: "download", loaded, total }),
    onFile: (name, bytes) => awaited.get(name)?.(bytes),
  });
  const source = (/** @type {string} */ name) => new Blob([files.get(name) ?? ""], { type: "text/javascript" });
  const [loader, module] = [source(GLUE.loader), source(GLUE.module)];
  for (const name of [...Object.values(PACKS), ...Object.values(GLUE)]) files.delete(name);
  return { loader, module, assets: await assets, others: files };
}

/**
 * Imports a script that has been downloaded and checked: whatever type the host gave it, and without a second request.
 *
 * @param {Blob} source
 */
async function importSource(source) {
  const url = URL.createObjectURL(source);
  try {
    return await import(url);
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** @returns {import("./start.js").Host} @param {RuntimeManifest} manifest @param {Kit} kit */
function hostOf({ url, archives }, { others }) {
  return {
    base: url,
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
