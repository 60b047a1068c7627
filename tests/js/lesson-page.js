/** A lesson page without a browser: the real Session and Runtime, plain cells, and a worker that does as it is told. */

import assert from "node:assert/strict";

import { Runtime } from "../../static/js/runtime.js";
import {
  CELL_CHECK,
  CELL_EDIT,
  CELL_INTENT,
  CELL_RESTORE,
  CELL_RUN,
  CELL_STOP,
  CELL_VISIT,
  Session,
} from "../../static/js/session.js";

/** @typedef {import("../../static/js/cells.js").CellView} CellView */
/** @typedef {import("../../static/js/cells.js").CellState} CellState */
/** @typedef {import("../../static/js/protocol.js").CellNames} CellNames */

const MANIFEST = { url: "", worker: "", python: "", pyodide: "", files: [], archives: [], packages: [], wheels: [], snapshot: true, own: null };
const EVENTS = [CELL_RUN, CELL_CHECK, CELL_STOP, CELL_EDIT, CELL_INTENT, CELL_VISIT, CELL_RESTORE];

/**
 * Answers boot with ready; a run with done, `raise` with an error, a check without `right` with a wrong answer, `input` with a question, `crash` with the end of Python, `hang` with nothing.
 * Reads a toy language: lines of `name = other + others`, `name += other` or `other`; `?` cannot be read.
 */
export class ObedientWorker extends EventTarget {
  /** @type {string[]} */
  static ran = [];
  /** @type {string[]} */
  static answers = [];
  /** @type {import("../../static/js/protocol.js").Run[]} */
  static exams = [];
  /** What each reading was asked for. @type {string[][]} */
  static outlines = [];
  static boots = 0;

  /** @param {import("../../static/js/protocol.js").Request} request */
  postMessage(request) {
    if (request.type === "boot") {
      ObedientWorker.boots += 1;
      this.#say({ type: "state", state: "ready", ms: 1 });
      return;
    }
    if (request.type === "outline") {
      const wanted = request.cells.filter((_, i) => request.wanted.includes(i));
      ObedientWorker.outlines.push(wanted.map(({ name }) => name));
      this.#say({ type: "outlined", id: request.id, cells: wanted.map(({ source, check }) => read(source, check)) });
      return;
    }
    if (request.type === "answer") {
      ObedientWorker.answers.push(request.text);
      this.#say({ type: "done", id: request.id, ok: true, error: null, ms: 1 });
      return;
    }
    ObedientWorker.ran.push(request.check === null ? request.cell : `check ${request.cell}`);
    if (request.check !== null) ObedientWorker.exams.push(request);
    const { id, source } = request;
    if (source.includes("input")) {
      this.#say({ type: "ask", id, prompt: "Name?" });
      return;
    }
    if (source.includes("hang")) return;
    const failed = request.before.find((cell) => cell.source.includes("raise"))?.name;
    const wrong = request.check !== null && !source.includes("right");
    const raised = failed || source.match(/raise|[?]/) ? "ValueError" : wrong ? "check" : null;
    const kind = source.includes("crash") ? "WorkerError" : raised;
    const error = kind && { kind, message: "no", line: 1, traceback: "", hint: null, ...(failed && { cell: failed }) };
    this.#say({ type: "stream", id, name: "stdout", text: source });
    this.#say({ type: "done", id, ok: !error, error, ms: 1 });
  }

  terminate() {}

  /** @param {import("../../static/js/protocol.js").Reply} data */
  #say(data) {
    setTimeout(() => this.dispatchEvent(new MessageEvent("message", { data })));
  }
}

/** @returns {CellNames | null} @param {string} source @param {string} [check] */
function read(source, check) {
  if (source.includes("?")) return null;
  /** @type {Set<string>} */
  const needs = new Set();
  /** @type {Set<string>} */
  const binds = new Set();
  for (const line of source.split("\n")) {
    const [, name, change, right] = line.match(/^(?:(\w+) ([+]?)= )?(.*)$/) ?? [];
    for (const word of `${right} ${change ? name : ""}`.match(/[a-z]\w*/g) ?? []) if (!binds.has(word)) needs.add(word);
    if (name) binds.add(name);
  }
  const asks = check === undefined ? {} : { asks: (check.match(/[a-z]\w*/g) ?? []).filter((word) => !binds.has(word)) };
  return { ...asks, needs: [...needs], binds: [...binds], touches: [], chances: needs.has("random") ? ["random"] : [] };
}

/** A cell as the session sees it; writes down all it is told. */
export class PlainCell extends EventTarget {
  /** @type {CellState[]} */
  states = [];
  /** @type {string[]} */
  told = [];
  /** @type {CellView["runtime"]} */
  runtime = { state: "idle", progress: null, failure: null };
  /** @type {CellView["stale"]} */
  stale = null;
  /** @type {readonly string[]} */
  first = [];
  /** @type {CellView["restored"]} */
  restored = null;
  /** @type {import("../../static/js/protocol.js").CellError | null} */
  error = null;
  /** @type {CellView["task"]} */
  task = null;
  /** @type {import("../../static/js/cells.js").Judged | null} */
  judged = null;

  /** @param {string} name @param {string} source */
  constructor(name, source) {
    super();
    this.name = name;
    this.source = source;
  }

  get state() {
    return this.states.at(-1) ?? "idle";
  }

  set state(state) {
    if (state !== this.states.at(-1)) this.states.push(state);
  }

  begin() {
    this.told.push("begin");
  }

  /** @param {any} output */
  receive(output) {
    this.told.push(output.text);
  }

  /** @param {import("../../static/js/protocol.js").Done} done */
  settle(done) {
    this.error = done.error;
    this.told.push(done.error?.kind ?? "ok");
  }

  /** @type {CellView["judge"]} */
  judge(done, judged) {
    this.error = done.error;
    this.judged = judged;
    this.told.push(done.error ? `judged ${done.error.kind}` : "passed");
    if (done.ok && this.task) this.task = { ...this.task, answer: judged.source };
  }

  /** Makes it an exercise. @param {string} check @param {string} solution */
  examine(check, solution = "") {
    this.task = { starter: this.source, check, solution, answer: null };
  }

  /** @param {string} prompt */
  async ask(prompt) {
    this.told.push(`asked ${prompt}`);
    return "Ada";
  }

  enter() {
    this.told.push("enter");
  }

  /** What a student does. @param {string} type @param {unknown} [detail] */
  does(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  /** @param {string} source */
  edit(source) {
    this.source = source;
    this.does(CELL_EDIT);
  }
}

/**
 * @template {string} Name
 * @param {Record<Name, string>} sources
 * @param {{setup?: string, thrifty?: boolean, restore?: {on: boolean}, isolated?: boolean}} [options]
 */
export function page(sources, { setup = "", thrifty = false, restore = { on: true }, isolated = false } = {}) {
  ObedientWorker.ran = [];
  ObedientWorker.exams = [];
  ObedientWorker.answers = [];
  ObedientWorker.outlines = [];
  ObedientWorker.boots = 0;
  const root = new EventTarget();
  const runtime = new Runtime(MANIFEST, { spawn: () => /** @type {any} */ (new ObedientWorker()), isolated });
  const session = new Session({
    runtime,
    root,
    thrifty,
    restore,
    setup: setup ? [{ name: "words", source: setup }] : [],
  });
  const cells = /** @type {Record<Name, PlainCell>} */ ({});
  for (const name of /** @type {Name[]} */ (Object.keys(sources))) {
    const cell = new PlainCell(name, sources[name]);
    cells[name] = cell;
    session.add(cell);
    // Stands for the bubbling of a real element's events.
    for (const type of EVENTS) {
      cell.addEventListener(type, (event) => {
        const copy = new CustomEvent(type, { detail: /** @type {CustomEvent} */ (event).detail });
        Object.defineProperty(copy, "target", { value: cell });
        root.dispatchEvent(copy);
      });
    }
  }
  return { session, runtime, ...cells };
}

/** @param {() => boolean} condition */
export async function until(condition) {
  for (let i = 0; i < 400 && !condition(); i++) await new Promise((resolve) => setTimeout(resolve, 1));
  assert.ok(condition(), `never: ${condition}`);
}
