/**
 * Starts Python from the runtime's files, with the lesson's packages in it. Knows neither network nor page: the
 * worker and the build (under Node) both bring the bytes and start the same Python.
 *
 * @typedef {import("./pack.js").Bytes} Bytes
 * @typedef {import("./internals.js").Glue} Glue
 * @typedef {import("./memory.js").Snapshot} Snapshot
 *
 * @typedef {object} Assets                what a start is made from; all of it can be handed to another worker
 * @property {WebAssembly.Module} wasm
 * @property {Bytes} python                the container of Python
 * @property {Bytes} lectern               the container of `lectern` and the lock
 * @property {Bytes} numpy                 the container of NumPy
 * @property {Map<string, WebAssembly.Module>} libraries   what `import numpy` links, by path
 *
 * @typedef {{[part in keyof Assets]: Assets[part] | Promise<Assets[part]>}} Arriving   each is awaited when it is needed
 *
 * @typedef {object} Lesson
 * @property {string[]} packages           of the lock, each after what it needs
 * @property {string[]} wheels
 * @property {string | null} own           the container of the lesson's own modules and data
 *
 * @typedef {object} Host                  where further files come from; its functions answer at once
 * @property {string} base                 folder of the runtime
 * @property {(name: string) => Bytes} read
 * @property {(name: string) => string} sha256    of an archive; "" if it is not known
 * @property {Promise<unknown>} [arrived]  when the lesson's own packages and wheels can be read
 */

import { declareLoaded, launch, link, takeSnapshot, write } from "./internals.js";
import { Interpreter } from "./interpreter.js";
import { inflate, openDecoder, unpack } from "./pack.js";

export const PACKS = {
  wasm: "pyodide.asm.wasm.zst",
  python: "python.pack.zst",
  lectern: "lectern.pack.zst",
  numpy: "numpy.pack.zst",
};
export const GLUE = { loader: "pyodide.mjs.zst", module: "pyodide.asm.mjs.zst" };

const STDLIB = /^\/lib\/python\d+\.zip$/;
const LOCK = "/lib/lectern/pyodide-lock.json";

/** The libraries that `import numpy` needs; Python itself links the others when they are imported. */
const LIBRARIES = /\/(_multiarray_umath|_umath_linalg)\.[^/]+\.so$/;

/** What each package is called in the sentence "Loading …". */
const TITLES = /** @type {Record<string, string>} */ ({ matplotlib: "Matplotlib", scipy: "SciPy", pandas: "pandas" });

/**
 * Unpacks and compiles each part as it arrives.
 *
 * @param {{[part in keyof typeof PACKS]: Promise<Bytes>}} packed
 * @returns {{[part in keyof Assets]: Promise<Assets[part]>}}
 */
export function prepare(packed) {
  const open = openDecoder();
  const unpacked = async (/** @type {Promise<Bytes>} */ bytes) => inflate((await Promise.all([bytes, open]))[0]);
  const numpy = unpacked(packed.numpy);
  const parts = {
    wasm: unpacked(packed.wasm).then((bytes) => WebAssembly.compile(bytes)),
    python: unpacked(packed.python),
    lectern: unpacked(packed.lectern),
    numpy,
    libraries: numpy.then(compileLibraries),
  };
  for (const part of Object.values(parts)) part.catch(() => {}); // whoever waits for it is told
  return parts;
}

/**
 * @param {Glue | Promise<Glue>} glue @param {Arriving} parts @param {Host} host @param {Lesson} lesson
 * @param {import("./internals.js").Options & {step?: (text: string) => void, snapshot?: Snapshot | null}} [options]
 * @returns {Promise<Interpreter>}
 */
export async function startPython(glue, parts, host, lesson, { step = () => {}, snapshot = null, ...options } = {}) {
  const { packages, wheels, own } = lesson;
  const decoder = openDecoder();
  decoder.catch(() => {}); // looked at below
  const pyodide = snapshot ? await whole(glue, parts, host.base, snapshot) : await fresh(glue, parts, host.base, options);
  serveArchives(pyodide.FS, host);
  const interpreter = await Interpreter.create(pyodide);
  if (snapshot) interpreter.revive();
  await host.arrived;
  if (packages.length) {
    step(`Loading ${packages.map((name) => TITLES[name] ?? name).join(", ")}`);
    await loadPackages(pyodide, packages, host.base);
  }
  for (const name of wheels) {
    step(`Loading ${name.split("-")[0]}`);
    pyodide.unpackArchive(host.read(name), "wheel");
  }
  await decoder;
  if (own) {
    write(pyodide.FS, unpack(inflate(host.read(own))), `${pyodide.FS.cwd()}/`);
    pyodide.pyimport("importlib").invalidate_caches(); // Python has looked into that folder already
  }
  return interpreter;
}

/**
 * Starts a Python that nobody uses and takes its memory, with all imported that a first run needs.
 *
 * @param {Glue | Promise<Glue>} glue @param {Arriving} parts @param {string} base @returns {Promise<Snapshot>}
 */
export async function makeSnapshot(glue, parts, base) {
  const pyodide = await whole(glue, parts, base, null);
  pyodide.runPython("import gc, lectern.bridge; del lectern; gc.collect(); del gc");
  return takeSnapshot(pyodide);
}

/**
 * From the beginning; NumPy may still be on its way.
 *
 * @param {Glue | Promise<Glue>} glue @param {Arriving} parts @param {string} base
 * @param {import("./internals.js").Options} options
 */
async function fresh(glue, parts, base, options) {
  const pyodide = await launch(await glue, { base, wasm: parts.wasm, ...(await core(parts)) }, options);
  write(pyodide.FS, unpack(await parts.numpy));
  link(pyodide, await parts.libraries);
  pyodide.runPython("import importlib; importlib.invalidate_caches()");
  declareLoaded(pyodide, ["numpy"]);
  return pyodide;
}

/**
 * With NumPy there from the first moment, as a snapshot needs it.
 *
 * @param {Glue | Promise<Glue>} glue @param {Arriving} parts @param {string} base @param {Snapshot | null} snapshot
 */
async function whole(glue, parts, base, snapshot) {
  const { wasm, libraries } = parts;
  const [{ stdlib, files, lock }, numpy] = await Promise.all([core(parts), parts.numpy]);
  const everything = { base, wasm, stdlib, files: new Map([...files, ...unpack(numpy)]), lock };
  const pyodide = await launch(await glue, everything, {}, { libraries, snapshot });
  declareLoaded(pyodide, ["numpy"]);
  return pyodide;
}

/** What `import numpy` links, by path. @param {Bytes} numpy  its container */
export async function compileLibraries(numpy) {
  const compiled = [...unpack(numpy)]
    .filter(([path]) => LIBRARIES.test(path))
    .map(async ([path, bytes]) => /** @type {const} */ ([path, await WebAssembly.compile(bytes)]));
  return new Map(await Promise.all(compiled));
}

/** @param {Arriving} parts */
async function core({ python, lectern }) {
  const files = new Map([...unpack(await python), ...unpack(await lectern)]);
  /** @param {string | undefined} path */
  const take = (path) => {
    const bytes = files.get(path ?? "");
    if (!path || !bytes) throw new Error("the pack lacks a part of Python");
    files.delete(path);
    return bytes;
  };
  const lock = new TextDecoder().decode(take(LOCK));
  const stdlib = take([...files.keys()].find((path) => STDLIB.test(path)));
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
