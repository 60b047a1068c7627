/**
 * Runs lessons in the shipped runtime, through the interpreter that the browser uses. Reads
 * {mark, runtime, interpreter, lessons: [{packages, wheels, cells: [{name, source}]}]} as JSON from stdin.
 *
 * Prints one JSON object per line, after the mark, which a cell does not know: for each lesson {type: "cell", name} before a cell, the interpreter's own
 * stream, display and done messages, and {type: "end"}. A lesson ends early at a cell that raises.
 */

import { Console } from "node:console";
import { readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const { mark, runtime, interpreter, lessons } = JSON.parse(readFileSync(0, "utf8"));
globalThis.console = new Console(process.stderr); // a cell can log to it (`from js import console`)
const { loadPyodide } = await import(pathToFileURL(join(runtime, "pyodide.mjs")).href);
const { Interpreter } = await import(pathToFileURL(interpreter).href);

for (const lesson of lessons) {
  const python = await start(lesson).catch((/** @type {Error} */ error) => {
    console.error(error.message); // Python's own words; the wasm frames around them help nobody
    process.exit(1);
  });
  for (const [id, { name, source }] of lesson.cells.entries()) {
    say({ type: "cell", name });
    const done = await python.run({ id, cell: name, source, check: null }, say);
    say(done);
    if (!done.ok) break;
  }
  say({ type: "end" });
}

/** A fresh interpreter with a lesson's packages. @param {{packages: string[], wheels: string[]}} lesson */
async function start({ packages, wheels }) {
  const pyodide = await loadPyodide({
    indexURL: runtime,
    env: { PYTHONHASHSEED: "0", PYTHONDONTWRITEBYTECODE: "1" }, // sets print in the same order in every build
    stdout: console.error, // what bypasses Python's sys.stdout; our stdout carries messages
    stderr: console.error,
  });
  await pyodide.loadPackage(packages, { messageCallback: () => {}, errorCallback: console.error });
  // loadPackage resolves even if a package could not be loaded; only its list tells.
  const missing = packages.filter((name) => !(name in pyodide.loadedPackages));
  if (missing.length > 0) throw new Error(`${missing.join(", ")} could not be loaded from ${runtime}`);
  for (const name of wheels) pyodide.unpackArchive(bytesOf(name), "wheel");
  return Interpreter.create(pyodide, bytesOf("lectern.zip"));
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
