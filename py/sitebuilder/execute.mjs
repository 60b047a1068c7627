/**
 * Runs lessons in the shipped runtime, through the interpreter that the browser uses. Reads
 * {mark, runtime, start, lessons: [{packages, wheels, own, cells: [{name, source}]}]} as JSON from stdin; `own` is the
 * container of the lesson's own files in base64, or null.
 *
 * Prints one JSON object per line, after the mark, which a cell does not know: for each lesson {type: "cell", name}
 * before a cell, the interpreter's own stream, display and done messages, and {type: "end"}. A lesson ends early at a
 * cell that raises.
 */

import { Console } from "node:console";
import { readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const { mark, runtime, start: script, lessons } = JSON.parse(readFileSync(0, "utf8"));
globalThis.console = new Console(process.stderr); // a cell can log to it (`from js import console`)
const { GLUE, PACKS, prepare, startPython } = await import(pathToFileURL(script).href);

/** What the lesson's own files are called here. */
const OWN = "own.pack";

/** One preparation for all lessons. @type {Promise<[import("../../static/js/internals.js").Glue, import("../../static/js/start.js").Assets]>} */
const prepared = Promise.all([glue(), prepare(mapValues(PACKS, async (name) => bytesOf(name)))]);

for (const lesson of lessons) {
  const python = await start(lesson).catch((/** @type {Error} */ error) => {
    console.error(error.message); // Python's own words; the wasm frames around them help nobody
    process.exit(1);
  });
  for (const [id, { name, source }] of lesson.cells.entries()) {
    say({ type: "cell", name });
    const done = await python.run({ id, cell: name, source, check: null, before: [] }, say);
    say(done);
    if (!done.ok) break;
  }
  say({ type: "end" });
}

/** A fresh interpreter with a lesson's packages and files. @param {{packages: string[], wheels: string[], own: string | null}} lesson */
async function start({ own, ...lesson }) {
  const files = new Uint8Array(Buffer.from(own ?? "", "base64"));
  const read = (/** @type {string} */ name) => (name === OWN ? files : bytesOf(name));
  const host = { base: runtime, read, sha256: () => "" }; // the build has checked these files
  return startPython(...(await prepared), host, { ...lesson, own: own && OWN }, {
    env: { PYTHONHASHSEED: "0" }, // sets print in the same order in every build
    stdout: console.error, // what bypasses Python's sys.stdout; our stdout carries messages
    stderr: console.error,
  });
}

/** The modules that are Pyodide itself. @returns {Promise<import("../../static/js/internals.js").Glue>} */
async function glue() {
  const [loader, module] = [GLUE.loader, GLUE.module].map((name) => import(pathToFileURL(join(runtime, name)).href));
  return { loadPyodide: (await loader).loadPyodide, createPyodideModule: (await module).default };
}

/** @template T @param {Record<string, string>} names @param {(name: string) => T} of */
function mapValues(names, of) {
  return Object.fromEntries(Object.entries(names).map(([key, name]) => [key, of(name)]));
}

/** @param {string} name  of a file of the runtime */
function bytesOf(name) {
  return new Uint8Array(readFileSync(join(runtime, name))); // Pyodide does not know Node's Buffer
}

/** Written at once: a cell that never ends must not hold back what was said before it. @param {unknown} message */
function say(message) {
  let rest = Buffer.from(`\n${mark}${JSON.stringify(message)}\n`); // a cell may have left a line open
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (/** @type {any} */ error) {
      if (error.code !== "EAGAIN") throw error; // the reader is slower than we are
    }
  }
}
