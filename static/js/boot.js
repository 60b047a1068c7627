/**
 * Starts Python inside the worker: downloads the manifest's files, hands them to Pyodide so that nothing is fetched
 * twice, loads the lesson's packages. The only file that knows how Pyodide asks for its parts.
 *
 * @typedef {import("./protocol.js").RuntimeManifest} RuntimeManifest
 * @typedef {import("./protocol.js").Failure} Failure
 * @typedef {import("./protocol.js").State} State
 * @typedef {Map<string, Uint8Array<ArrayBuffer>>} Files
 */

import { download, DownloadError } from "./download.js";
import { Interpreter } from "./interpreter.js";

const WASM = "pyodide.asm.wasm";
const LECTERN = "lectern.zip";

/** What each package is called in the sentence "Loading …". */
const TITLES = /** @type {Record<string, string>} */ ({ numpy: "NumPy" });

/**
 * @param {RuntimeManifest} manifest          with absolute URLs
 * @param {(state: State) => void} report     told of every step
 * @returns {Promise<Interpreter>}            rejects; `explain` turns the reason into a Failure
 */
export async function boot(manifest, report) {
  const step = (/** @type {string} */ text) => report({ type: "state", state: "loading", phase: "start", step: text });

  // Compiling begins with the first bytes of the wasm and runs beside the rest of the download.
  /** @type {Promise<WebAssembly.Module | null>} */
  let compiling = Promise.resolve(null);
  const files = await download(manifest.url, manifest.files, {
    onProgress: (loaded, total) => report({ type: "state", state: "loading", phase: "download", loaded, total }),
    streams: new Set([WASM]),
    onResponse: (_, response) => {
      // A host that serves wasm with another type makes this fail; the verified bytes are compiled instead.
      compiling = WebAssembly.compileStreaming(response).catch(() => null);
    },
  });

  step("Starting Python");
  const wasm = files.get(WASM);
  const module = (await compiling) ?? (wasm ? await WebAssembly.compile(wasm) : null);
  const [{ loadPyodide }, { default: createPyodideModule }] = await Promise.all([
    import(`${manifest.url}pyodide.mjs`),
    import(`${manifest.url}pyodide.asm.mjs`),
  ]);
  const { restore, broken } = answerFrom(files, manifest.url, module);
  try {
    /** @type {import("pyodide").PyodideInterface} */
    const pyodide = await Promise.race([
      broken,
      loadPyodide({
        indexURL: manifest.url,
        packageBaseUrl: manifest.url,
        createPyodideModule,
        env: { PYTHONDONTWRITEBYTECODE: "1" },
      }),
    ]);
    await loadPackages(pyodide, manifest, files, step);
    step("Preparing the lesson");
    return await Interpreter.create(pyodide, files.get(LECTERN) ?? (await fetchBytes(manifest.url + LECTERN)));
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

/**
 * @param {import("pyodide").PyodideInterface} pyodide
 * @param {RuntimeManifest} manifest @param {Files} files @param {(text: string) => void} step
 */
async function loadPackages(pyodide, manifest, files, step) {
  const { packages, wheels } = manifest;
  if (packages.length) {
    step(`Loading ${packages.map((name) => TITLES[name] ?? name).join(", ")}`);
    /** @type {string[]} */
    const complaints = [];
    await pyodide.loadPackage(packages, {
      messageCallback: () => {},
      errorCallback: (message) => complaints.push(message),
    });
    // loadPackage resolves even if a package could not be loaded; only its list tells.
    const missing = packages.filter((name) => !(name in pyodide.loadedPackages));
    if (missing.length) throw new Error(`${missing.join(", ")} could not be loaded: ${complaints.join("; ")}`);
  }
  for (const name of wheels) {
    step(`Loading ${name.split("-")[0]}`);
    pyodide.unpackArchive(files.get(name) ?? (await fetchBytes(manifest.url + name)), "wheel");
  }
}

/**
 * Answers Pyodide's requests from what has been downloaded, until `restore` puts the globals back. `broken` rejects if
 * the wasm cannot be instantiated (too little memory, say): Pyodide only logs that and waits for ever.
 *
 * @param {Files} files @param {string} base @param {WebAssembly.Module | null} module
 */
function answerFrom(files, base, module) {
  const { fetch } = globalThis;
  const { instantiateStreaming } = WebAssembly;
  globalThis.fetch = async (input, init) => {
    const href = input instanceof Request ? input.url : String(input);
    const name = href.startsWith(base) ? href.slice(base.length) : "";
    if (name === WASM && module) return new Response(null);
    const bytes = files.get(name);
    return bytes ? new Response(bytes) : fetch(input, init);
  };
  /** @type {(reason: unknown) => void} */
  let reject = () => {};
  /** @type {Promise<never>} */
  const broken = new Promise((_, no) => (reject = no));
  broken.catch(() => {});
  if (module) {
    WebAssembly.instantiateStreaming = async (_, imports) => {
      const instance = await WebAssembly.instantiate(module, imports).catch((error) => {
        reject(error);
        throw error;
      });
      return { module, instance };
    };
  }
  const restore = () => {
    globalThis.fetch = fetch;
    WebAssembly.instantiateStreaming = instantiateStreaming;
    // Python may have taken hold of the answering fetch (`from js import fetch`): from now on it only passes on.
    files.clear();
  };
  return { restore, broken };
}

/** @param {string} url */
async function fetchBytes(url) {
  const response = await fetch(url);
  const name = url.slice(url.lastIndexOf("/") + 1);
  if (!response.ok) throw new DownloadError(name, `The server answered ${response.status} for ${name}. Try again later.`);
  return new Uint8Array(await response.arrayBuffer());
}
