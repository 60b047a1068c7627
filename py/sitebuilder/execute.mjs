/**
 * Runs lessons in the shipped runtime, through the interpreter that the browser uses. Reads
 * {mark, runtime, start, graph, models, lessons: [{packages, wheels, own, items: Item[]}]} as JSON from stdin; `own` is the
 * container of the lesson's own files in base64, or null.
 *
 * Of an exercise, first its answers are checked, each as the page does it: in a namespace of its own, after the cells that
 * it needs. Then its source, the solution, runs like a cell, because cells below may use it. A cell runs in slices.
 *
 * Prints one JSON object per line, after the mark, which a cell does not know: for each lesson {type: "answer", item,
 * number} or {type: "slice", item, number} before each of these, the interpreter's own stream, display and done messages,
 * and {type: "end"}. What needs a cell that has raised is left out.
 *
 * @typedef {object} Item        a cell or an exercise
 * @property {string} name
 * @property {string} source     of an exercise, its solution
 * @property {boolean} setup     whether everything needs it
 * @property {string[]} slices   of the source
 * @property {string} check
 * @property {string[]} answers  to the exercise; the first is its starter
 */

import { Console } from "node:console";
import { mkdtempSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { zstdDecompressSync } from "node:zlib";

const { mark, runtime, start: script, graph, models, lessons } = JSON.parse(readFileSync(0, "utf8"));
globalThis.console = new Console(process.stderr); // a cell can log to it (`from js import console`)
const { GLUE, PACKS, prepare, startPython } = await import(pathToFileURL(script).href);
/** @type {typeof import("../../static/js/graph.js")} */
const { ancestors, connect } = await import(pathToFileURL(graph).href);

/** Stands for an exercise's check among the cells; no cell has a space in its name. */
const CHECK = "the check";

/** What the lesson's own files are called here. */
const OWN = "own.pack";

/** One preparation for all lessons. */
const prepared = /** @type {const} */ ([glue(), prepare(mapValues(PACKS, async (name) => bytesOf(name)))]);

for (const lesson of lessons) {
  const python = await start(lesson).catch((/** @type {Error} */ error) => {
    console.error(error.message); // Python's own words; the wasm frames around them help nobody
    process.exit(1);
  });
  await rehearse(python, lesson.items);
  say({ type: "end" });
}

/** @param {import("../../static/js/interpreter.js").Interpreter} python @param {Item[]} items */
async function rehearse(python, items) {
  let id = 0;
  /** @type {Set<string>} */
  const lost = new Set(); // what raised, or was left out
  for (const [item, { name, source, slices, check, answers }] of items.entries()) {
    const ready = (/** @type {Set<string>} */ needed) => [...needed].every((above) => !lost.has(above));
    for (const [number, answer] of answers.entries()) {
      const needed = neededBy(python, items, item, answer, check);
      if (!ready(needed)) continue;
      const before = items.filter((above) => needed.has(above.name)).map(({ name, source }) => ({ name, source }));
      say({ type: "answer", item, number });
      say(await python.run({ id: id++, cell: name, source: answer, check, before, starter: answers[0] }, record));
    }
    if (!ready(neededBy(python, items, item, source, ""))) lost.add(name);
    for (const [number, slice] of slices.entries()) {
      if (lost.has(name)) break;
      say({ type: "slice", item, number });
      const done = await python.run({ id: id++, cell: name, source: slice, check: null, before: [] }, record);
      say(done);
      if (!done.ok) lost.add(name);
    }
  }
}

/**
 * The cells above that an item and its check need if this is the item's source: as the page finds them.
 *
 * @param {import("../../static/js/interpreter.js").Interpreter} python @param {Item[]} items @param {number} here
 * @param {string} source @param {string} check
 */
function neededBy(python, items, here, source, check) {
  const own = items[here]?.name ?? "";
  const cells = items.map(({ name, source: written }) => ({ name, source: name === own ? source : written }));
  cells.splice(here + 1, 0, { name: CHECK, source: check });
  const names = python.outline(cells); // those below too: the hint of a missing name says where it is
  const graph = connect(cells.map(({ name }, i) => ({ name, names: names[i] ?? null })));
  const found = new Set([...ancestors(own, graph), ...ancestors(CHECK, graph)]);
  found.delete(own);
  for (const { name, setup } of items.slice(0, here)) if (setup) found.add(name);
  return found;
}

/** A fresh interpreter with a lesson's packages and files. @param {{packages: string[], wheels: string[], own: string | null}} lesson */
async function start({ own, ...lesson }) {
  const files = new Uint8Array(Buffer.from(own ?? "", "base64"));
  const read = (/** @type {string} */ name) => (name === OWN ? files : bytesOf(name));
  const host = { base: runtime, read, sha256: () => "" }; // the build has checked these files
  return startPython(...prepared, host, { ...lesson, own: own && OWN }, {
    env: { PYTHONHASHSEED: "0" }, // sets print in the same order in every build
    stdout: console.error, // what bypasses Python's sys.stdout; our stdout carries messages
    stderr: console.error,
  });
}

/** The modules that are Pyodide itself. @returns {Promise<import("../../static/js/internals.js").Glue>} */
async function glue() {
  const folder = mkdtempSync(join(tmpdir(), "lectern-")); // Node imports from files
  try {
    const [loader, module] = [GLUE.loader, GLUE.module].map((name) => {
      const file = join(folder, basename(name, ".zst"));
      writeFileSync(file, zstdDecompressSync(readFileSync(join(runtime, name))));
      return import(pathToFileURL(file).href);
    });
    return { loadPyodide: (await loader).loadPyodide, createPyodideModule: (await module).default };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @template T @param {Record<string, string>} names @param {(name: string) => T} of */
function mapValues(names, of) {
  return Object.fromEntries(Object.entries(names).map(([key, name]) => [key, of(name)]));
}

/** @param {string} name  of a file of the runtime, or of a model beside it: "../<folder>/<file>" */
function bytesOf(name) {
  const [, model = "", file = ""] = /^\.\.\/(\w+)\/([\w.-]+)$/.exec(name) ?? [];
  return new Uint8Array(readFileSync(model ? join(models[model], file) : join(runtime, name))); // no Buffer: Pyodide does not know it
}

/** Large arrays are for the page that runs the cell: no recorded page carries them. @param {any} output */
function record({ buffers, ...output }) {
  say(output);
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
