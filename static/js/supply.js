/**
 * Gets what a start needs, beside the worker that runs Python: downloads, vouches, unpacks and compiles in a worker of
 * its own, because a program that starts reads nothing from the network meanwhile. Both ends are here.
 *
 * @typedef {import("./protocol.js").RuntimeManifest} RuntimeManifest
 * @typedef {import("./protocol.js").Failure} Failure
 * @typedef {import("./pack.js").Bytes} Bytes
 * @typedef {import("./start.js").Assets} Assets
 * @typedef {import("./protocol.js").Kit["files"]} Files
 *
 * @typedef {object} Scripts               Pyodide's two modules
 * @property {Blob} loader
 * @property {Blob} module
 *
 * @typedef {object} Supply                all that a start needs: here already, or on its way
 * @property {{[part in keyof Scripts]: Scripts[part] | Promise<Scripts[part]>}} scripts
 * @property {import("./start.js").Arriving} assets
 * @property {Map<string, Bytes>} others   the lesson's packages and wheels, once `arrived` is settled
 * @property {Promise<unknown>} arrived    all is there; rejects if something cannot be had
 * @property {Partial<Files>} files        the containers once more, for a later start; there when `arrived` is
 *
 * @typedef {{[part in keyof (Scripts & Assets)]: (Scripts & Assets)[part]}} Parts
 *
 * @typedef {{type: "fetch", manifest: RuntimeManifest}} Order
 * @typedef {{type: "part", part: keyof Parts, value: any, file: Blob | null}} Part
 * @typedef {{type: "other", name: string, bytes: Bytes}} Other
 * @typedef {{type: "progress", loaded: number, total: number}} Progress
 * @typedef {{type: "end", failure: Failure | null}} End
 */

import { download, DownloadError } from "./download.js";
import { inflate, openDecoder } from "./pack.js";
import { GLUE, PACKS, prepare } from "./start.js";

/**
 * Orders everything from a second worker, which ends when all is here.
 *
 * @param {RuntimeManifest} manifest @param {(loaded: number, total: number) => void} onProgress
 * @param {() => Worker} spawn
 * @returns {Supply}
 */
export function order(manifest, onProgress, spawn) {
  const worker = spawn();
  /** @type {Map<string, (value: any) => void>} */
  const awaited = new Map();
  const part = (/** @type {keyof Parts} */ name) => new Promise((resolve) => awaited.set(name, resolve));
  /** @type {Map<string, Bytes>} */
  const others = new Map();
  /** @type {Partial<Files>} */
  const files = {};
  const arrived = new Promise((resolve, reject) => {
    worker.addEventListener("message", ({ data }) => {
      /** @type {Part | Other | Progress | End} */
      const message = data;
      if (message.type === "part") {
        if (message.file) files[/** @type {keyof Files} */ (message.part)] = message.file;
        awaited.get(message.part)?.(message.value);
      }
      else if (message.type === "other") others.set(message.name, message.bytes);
      else if (message.type === "progress") onProgress(message.loaded, message.total);
      else if (message.failure) reject(new DownloadError(message.failure.file ?? "", message.failure.message));
      else resolve(null);
    });
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      reject(new Error(event.message || "a worker did not start"));
    });
  });
  arrived.finally(() => worker.terminate()).catch(() => {}); // whoever waits is told
  const supply = {
    scripts: { loader: part("loader"), module: part("module") },
    assets: {
      wasm: part("wasm"),
      python: part("python"),
      lectern: part("lectern"),
      numpy: part("numpy"),
      libraries: part("libraries"),
    },
    others,
    arrived,
    files,
  };
  worker.postMessage(/** @type {Order} */ ({ type: "fetch", manifest }));
  return supply;
}

/**
 * What the second worker does: sends each part as soon as it is ready, then the end.
 *
 * @param {RuntimeManifest} manifest
 * @param {(message: Part | Other | Progress | End, transfer: Transferable[]) => void} send
 */
export async function deliver({ url, files }, send) {
  /** @type {Map<string, (bytes: Bytes) => void>} */
  const awaited = new Map();
  /** @type {(name: string) => Promise<Bytes>} */
  const arrival = (name) => new Promise((resolve) => awaited.set(name, resolve));
  const script = async (/** @type {string} */ name) => {
    const [packed] = await Promise.all([arrival(name), openDecoder()]);
    return new Blob([inflate(packed)], { type: "text/javascript" });
  };
  const { wasm, python, lectern, numpy } = PACKS;
  const parts = {
    loader: script(GLUE.loader),
    module: script(GLUE.module),
    ...prepare({ wasm: arrival(wasm), python: arrival(python), lectern: arrival(lectern), numpy: arrival(numpy) }),
  };
  /** @type {Promise<unknown>} */
  const libraries = parts.libraries; // they are read from NumPy's bytes, which are gone once sent
  const sent = Object.entries(parts).map(async ([part, arriving]) => {
    const [value] = await Promise.all([arriving, part === "numpy" ? libraries : null]);
    const bytes = value instanceof Uint8Array ? [value] : [];
    // Made here: the copying takes 30 ms, which the worker of Python would take from the first result.
    const file = bytes.length ? new Blob(bytes) : null;
    send({ type: "part", part: /** @type {keyof Parts} */ (part), value, file }, bytes.map(({ buffer }) => buffer));
  });
  const all = download(url, files, {
    onProgress: (loaded, total) => send({ type: "progress", loaded, total }, []),
    onFile: (name, bytes) => {
      const receive = awaited.get(name);
      if (receive) receive(bytes);
      else send({ type: "other", name, bytes }, [bytes.buffer]);
    },
  });
  try {
    await Promise.all([all, ...sent]);
    send({ type: "end", failure: null }, []);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    send({ type: "end", failure: { message, file: error instanceof DownloadError ? error.file : null } }, []);
  }
}
