/**
 * All that we know of Pyodide beyond its documentation: how its parts ask for each other while it starts. One file, so
 * that an upgrade has one place to look; tests/js/internals.test.js pins what is relied on here.
 *
 * Pyodide's own start fetches its wasm, standard library and packages one after the other and compiles NumPy's
 * libraries when they are imported. Here everything is at hand before it starts.
 *
 * @typedef {import("./pack.js").Bytes} Bytes
 * @typedef {import("pyodide").PyodideInterface} Pyodide
 *
 * @typedef {object} Glue                  what the modules pyodide.mjs and pyodide.asm.mjs export
 * @property {(config: any) => Promise<Pyodide>} loadPyodide
 * @property {(settings: any) => Promise<any>} createPyodideModule
 *
 * @typedef {object} Parts
 * @property {string} base                         folder of the runtime, for packages: a URL or, in Node, a path
 * @property {WebAssembly.Module | Promise<WebAssembly.Module>} wasm   may still be compiled while the glue starts
 * @property {Bytes} stdlib                        the zip of the standard library
 * @property {Map<string, Bytes>} files            all other files, by their path
 * @property {string} lock                         the text of pyodide-lock.json
 *
 * @typedef {Map<string, WebAssembly.Module>} Libraries
 *
 * @typedef {object} Whole                 of a start that is to be kept as a snapshot, or begins from one
 * @property {Libraries | Promise<Libraries>} libraries   linked before Python's main, always in the same order
 * @property {import("./memory.js").Snapshot | null} snapshot   null: one will be taken
 *
 * @typedef {object} Options
 * @property {Record<string, string>} [env]
 * @property {(line: string) => void} [stdout]
 * @property {(line: string) => void} [stderr]
 */

import { refill, sparse } from "./memory.js";

/** Asked of `fetch` by Pyodide for its standard library. No such place exists: `fetch` is answered from the pack. */
const STDLIB = "pack://stdlib";

/** How Python's own dlopen links a library. */
const LINKING = { global: false, nodelete: true, loadAsync: false };

/**
 * @param {Glue} glue @param {Parts} parts @param {Options} [options] @param {Whole | null} [whole]
 * @returns {Promise<Pyodide>}
 */
export async function launch({ loadPyodide, createPyodideModule }, parts, { env = {}, ...streams } = {}, whole = null) {
  /** @type {(reason: unknown) => void} */
  let fail = () => {};
  /** @type {Promise<never>} */
  const broken = new Promise((_, reject) => (fail = reject));
  broken.catch(() => {});
  const release = takeOver(parts.stdlib);
  const forgetShims = compileShimsOnce();
  const snapshot = whole?.snapshot;
  try {
    const started = loadPyodide({
      ...streams,
      indexURL: parts.base,
      packageBaseUrl: parts.base,
      lockFileContents: parts.lock,
      stdLibURL: STDLIB,
      env: { PYTHONDONTWRITEBYTECODE: "1", ...env },
      fsInit: (/** @type {any} */ FS) => write(FS, parts.files),
      ...(whole && (snapshot ? { _loadSnapshot: snapshot.header } : { _makeSnapshot: true })),
      createPyodideModule: async (/** @type {any} */ settings) => {
        release();
        /** @type {WebAssembly.Instance | undefined} */
        let instance;
        /** @type {Libraries} */
        let libraries = new Map();
        const compiled = Promise.all([parts.wasm, whole?.libraries]).then(([wasm, linked = libraries]) => {
          libraries = linked; // they are needed at once when the program is there
          return wasm;
        });
        settings.instantiateWasm = instantiate(compiled, fail, (made) => {
          instance = made;
          if (snapshot) grow(made, snapshot.size);
        });
        if (!whole) return createPyodideModule(settings);
        settings.onRuntimeInitialized = () => {
          linkInto(settings, libraries);
          const { length } = /** @type {WebAssembly.Table} */ (instance?.exports.__indirect_function_table);
          if (snapshot && snapshot.table !== length) throw new Error(`${length} functions; the snapshot has ${snapshot.table}`);
          settings.linked = length;
        };
        const module = await createPyodideModule(settings);
        // Pyodide reads its own state from the header, and would copy the memory that followed it.
        if (snapshot) refill(module.HEAPU8, snapshot);
        return module;
      },
    });
    return /** @type {Pyodide} */ (await Promise.race([started, broken]));
  } finally {
    release();
    forgetShims();
  }
}

/**
 * What Python's memory holds now. No JavaScript object may be in the hands of its program.
 *
 * @param {Pyodide} pyodide  launched for it @returns {import("./memory.js").Snapshot}
 */
export function takeSnapshot(pyodide) {
  // Python holds the list of packages, and Pyodide stores it only while it is empty.
  for (const name of Object.keys(pyodide.loadedPackages)) delete pyodide.loadedPackages[name];
  const bytes = /** @type {any} */ (pyodide).makeMemorySnapshot();
  const start = new Uint32Array(bytes.buffer, 0, 2)[1] ?? 0;
  const { linked } = /** @type {any} */ (pyodide)._module;
  return sparse(bytes.slice(0, start), linked, bytes.subarray(start));
}

/** Writes files where Python finds them. @param {any} FS @param {Map<string, Bytes>} files @param {string} [below] */
export function write(FS, files, below = "") {
  const folders = new Set();
  for (const [name, bytes] of files) {
    const path = below + name;
    const folder = path.slice(0, path.lastIndexOf("/"));
    if (!folders.has(folder)) FS.mkdirTree(folder);
    folders.add(folder);
    FS.writeFile(path, bytes, { canOwn: true });
  }
}

/** Tells Pyodide that packages are there which it has not loaded itself. @param {Pyodide} pyodide @param {string[]} names */
export function declareLoaded(pyodide, names) {
  for (const name of names) pyodide.loadedPackages[name] = "default channel";
}

/**
 * Until the returned function is called: `fetch` answers for the standard library, and Pyodide leaves the wasm to us
 * (a global WasmOffsetConverter is its own sign for that).
 *
 * @param {Bytes} stdlib
 */
function takeOver(stdlib) {
  const world = /** @type {any} */ (globalThis);
  const { fetch } = world;
  world.WasmOffsetConverter = Object;
  world.fetch = async (/** @type {any} */ input, /** @type {any} */ init) =>
    String(input).startsWith(STDLIB) ? { ok: true, arrayBuffer: async () => stdlib } : fetch(input, init);
  return () => {
    if (!("WasmOffsetConverter" in world)) return;
    delete world.WasmOffsetConverter;
    world.fetch = fetch;
  };
}

/**
 * Until the returned function is called: where a browser lacks WebAssembly.Function, Emscripten compiles a module of a
 * hundred bytes for each of some 250 JavaScript functions that it gives to wasm. They are alike by signature.
 */
function compileShimsOnce() {
  const { Module } = WebAssembly;
  /** @type {Map<string, WebAssembly.Module>} */
  const known = new Map();
  WebAssembly.Module = /** @type {any} */ (
    new Proxy(Module, {
      construct(target, /** @type {[any]} */ given) {
        const [bytes] = given;
        if (!(bytes instanceof Uint8Array) || bytes.length > 200) return new target(...given);
        const key = bytes.join();
        const module = known.get(key) ?? new target(...given);
        known.set(key, module);
        return module;
      },
    })
  );
  return () => {
    WebAssembly.Module = Module;
  };
}

/**
 * Emscripten's hook. A failure (too little memory, say) must reach somebody: Pyodide would wait for ever.
 *
 * @param {Promise<WebAssembly.Module>} compiled @param {(reason: unknown) => void} fail
 * @param {(instance: WebAssembly.Instance) => void} onInstance  before Emscripten looks at its memory
 */
function instantiate(compiled, fail, onInstance) {
  return (/** @type {any} */ imports, /** @type {(i: WebAssembly.Instance, m: WebAssembly.Module) => void} */ receive) => {
    // Pyodide's mark for "a JavaScript error is set": a value that equals nothing else. Its own is made in wasm.
    const mark = Symbol("error marker");
    imports.env.Jsv_GetError_import = () => mark;
    imports.env.JsvError_Check = (/** @type {unknown} */ value) => value === mark;
    compiled
      .then(async (wasm) => {
        const instance = await WebAssembly.instantiate(wasm, imports);
        onInstance(instance);
        receive(instance, wasm);
      })
      .catch(fail);
    return {};
  };
}

/**
 * Links compiled libraries, so that importing them finds them linked. Emscripten looks through all symbols of the program
 * after each, 10 ms a time, unless undefined ones are allowed; once, after the last, is enough.
 *
 * @param {Pyodide} pyodide @param {Map<string, WebAssembly.Module>} libraries  by the path of their file
 */
export function link(pyodide, libraries) {
  linkInto(/** @type {any} */ (pyodide)._module, libraries);
}

/** @param {any} module  Emscripten's @param {Map<string, WebAssembly.Module>} libraries */
function linkInto(module, libraries) {
  const last = [...libraries.keys()].at(-1);
  for (const [path, library] of libraries) {
    const linking = { ...LINKING, allowUndefined: path !== last };
    module.preloadedWasm[path] = module.loadWebAssemblyModule(library, linking, path);
    module.loadDynamicLibrary(path, linking);
  }
}

/** @param {WebAssembly.Instance} instance @param {number} size  in bytes */
function grow({ exports }, size) {
  const memory = /** @type {WebAssembly.Memory} */ (exports.memory);
  const lacking = size - memory.buffer.byteLength;
  if (lacking > 0) memory.grow(Math.ceil(lacking / 65_536));
}
