/**
 * Starts Python from the runtime's files, with the lesson's packages in it. Knows neither network nor page: the
 * worker and the build (under Node) both bring the bytes and start the same Python.
 *
 * @typedef {import("./pack.js").Bytes} Bytes
 * @typedef {import("./internals.js").Glue} Glue
 *
 * @typedef {object} Assets                what a start is made from; all of it can be handed to another worker
 * @property {WebAssembly.Module} wasm
 * @property {Map<string, WebAssembly.Module>} libraries
 * @property {Bytes} python                the container of Python and NumPy
 * @property {Bytes} lectern               the container of `lectern` and the lock
 *
 * @typedef {object} Lesson
 * @property {string[]} packages           of the lock, each after what it needs
 * @property {string[]} wheels
 * @property {string | null} own           the container of the lesson's own modules and data
 *
 * @typedef {object} Host                  where further files come from; all of its functions answer at once
 * @property {string} base                 folder of the runtime
 * @property {(name: string) => Bytes} read
 * @property {(name: string) => string} sha256    of an archive; "" if it is not known
 */

import { declareLoaded, launch, write } from "./internals.js";
import { Interpreter } from "./interpreter.js";
import { inflate, unpack } from "./pack.js";

export const PACKS = { wasm: "pyodide.asm.wasm.zst", python: "python.pack.zst", lectern: "lectern.pack.zst" };
export const GLUE = { loader: "pyodide.mjs", module: "pyodide.asm.mjs" };

const STDLIB = /^\/lib\/python\d+\.zip$/;
const LOCK = "/lib/lectern/pyodide-lock.json";

/** What each package is called in the sentence "Loading …". */
const TITLES = /** @type {Record<string, string>} */ ({ matplotlib: "Matplotlib", scipy: "SciPy", pandas: "pandas" });

/**
 * Unpacks and compiles, as much at once as the browser can.
 *
 * @param {{[part in keyof typeof PACKS]: Promise<Bytes>}} packed
 * @returns {Promise<Assets>}
 */
export async function prepare(packed) {
  const wasm = packed.wasm.then((bytes) => WebAssembly.compile(inflate(bytes)));
  const python = packed.python.then(inflate);
  const libraries = python.then(async (container) => {
    const compiled = [...unpack(container)]
      .filter(([path]) => path.endsWith(".so"))
      .map(async ([path, bytes]) => /** @type {const} */ ([path, await WebAssembly.compile(bytes)]));
    return new Map(await Promise.all(compiled));
  });
  const lectern = packed.lectern.then(inflate);
  const all = await Promise.all([wasm, libraries, python, lectern]);
  return { wasm: all[0], libraries: all[1], python: all[2], lectern: all[3] };
}

/**
 * @param {Glue} glue @param {Assets} assets @param {Host} host @param {Lesson} lesson
 * @param {import("./internals.js").Options & {step?: (text: string) => void}} [options]
 * @returns {Promise<Interpreter>}
 */
export async function startPython(glue, assets, host, { packages, wheels, own }, { step = () => {}, ...options } = {}) {
  const { stdlib, files, lock } = sort(assets);
  const { wasm, libraries } = assets;
  const pyodide = await launch(glue, { base: host.base, wasm, libraries, stdlib, files, lock }, options);
  declareLoaded(pyodide, ["numpy"]);
  serveArchives(pyodide.FS, host);
  const interpreter = await Interpreter.create(pyodide);
  if (packages.length) {
    step(`Loading ${packages.map((name) => TITLES[name] ?? name).join(", ")}`);
    await loadPackages(pyodide, packages, host.base);
  }
  for (const name of wheels) {
    step(`Loading ${name.split("-")[0]}`);
    pyodide.unpackArchive(host.read(name), "wheel");
  }
  if (own) {
    write(pyodide.FS, unpack(host.read(own)), `${pyodide.FS.cwd()}/`);
    pyodide.pyimport("importlib").invalidate_caches(); // Python has looked into that folder already
  }
  return interpreter;
}

/** @param {Assets} assets */
function sort({ python, lectern, libraries }) {
  const files = new Map([...unpack(python), ...unpack(lectern)]);
  /** @param {string | undefined} path */
  const take = (path) => {
    const bytes = files.get(path ?? "");
    if (!path || !bytes) throw new Error("the pack lacks a part of Python");
    files.delete(path);
    return bytes;
  };
  const lock = new TextDecoder().decode(take(LOCK));
  const stdlib = take([...files.keys()].find((path) => STDLIB.test(path)));
  for (const path of libraries.keys()) files.delete(path);
  return { stdlib, files, lock };
}

/**
 * Gives Python (`lectern.bridge`) the means to fetch what is not in the pack. Nothing of it is held by Python, so that
 * an interpreter can be stored and brought back.
 *
 * @param {any} FS @param {Host} host
 */
function serveArchives(FS, host) {
  /** @type {any} */ (globalThis).lectern = {
    read: host.read,
    sha256: host.sha256,
    mount: (/** @type {Bytes} */ packed) => write(FS, unpack(inflate(packed))),
  };
}

/** @param {import("./internals.js").Pyodide} pyodide @param {string[]} packages @param {string} base */
async function loadPackages(pyodide, packages, base) {
  /** @type {string[]} */
  const complaints = [];
  await pyodide.loadPackage(packages, {
    messageCallback: () => {},
    errorCallback: (message) => complaints.push(message),
  });
  // loadPackage resolves even if a package could not be loaded; only its list tells.
  const missing = packages.filter((name) => !(name in pyodide.loadedPackages));
  if (missing.length) {
    throw new Error(`${missing.join(", ")} could not be loaded from ${base}: ${complaints.join("; ")}`);
  }
}
