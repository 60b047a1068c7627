/** The page's state, with the real Runtime and a worker that answers every run at once or when told. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Runtime } from "../../static/js/runtime.js";
import { CELL_EDIT, CELL_INTENT, CELL_RUN, CELL_STOP, Session } from "../../static/js/session.js";

/** @typedef {import("../../static/js/session.js").CellView} CellView */
/** @typedef {import("../../static/js/session.js").CellState} CellState */

const MANIFEST = { url: "", worker: "", python: "", pyodide: "", files: [], archives: [], packages: [], wheels: [] };

/** Answers boot with ready; a run with done, `raise` with an error, `hang` with nothing. */
class ObedientWorker extends EventTarget {
  /** @type {string[]} */
  static ran = [];

  /** @param {import("../../static/js/protocol.js").Request} request */
  postMessage(request) {
    if (request.type === "boot") {
      this.#say({ type: "state", state: "ready", ms: 1 });
      return;
    }
    ObedientWorker.ran.push(request.cell);
    const { id, source } = request;
    if (source === "hang") return;
    const error = { kind: "ValueError", message: "no", line: 1, traceback: "", hint: null };
    this.#say({ type: "stream", id, name: "stdout", text: source });
    this.#say({ type: "done", id, ok: source !== "raise", error: source === "raise" ? error : null, ms: 1 });
  }

  terminate() {}

  /** @param {import("../../static/js/protocol.js").Reply} data */
  #say(data) {
    setTimeout(() => this.dispatchEvent(new MessageEvent("message", { data })));
  }
}

/** A cell as the session sees it; writes down all it is told. */
class PlainCell extends EventTarget {
  /** @type {CellState[]} */
  states = [];
  /** @type {string[]} */
  told = [];
  /** @type {CellView["runtime"]} */
  runtime = { state: "idle", progress: null, failure: null };
  /** @type {CellView["stale"]} */
  stale = null;

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
    this.told.push(done.error?.kind ?? "ok");
  }

  enter() {
    this.told.push("enter");
  }
}

/** @param {Record<string, string>} sources @param {{setup?: string, thrifty?: boolean}} [options] */
function page(sources, { setup = "", thrifty = false } = {}) {
  ObedientWorker.ran = [];
  const root = new EventTarget();
  const runtime = new Runtime(MANIFEST, { spawn: () => /** @type {any} */ (new ObedientWorker()) });
  const session = new Session({
    runtime,
    root,
    thrifty,
    setup: setup ? [{ name: "words", source: setup }] : [],
  });
  const cells = Object.entries(sources).map(([name, source]) => new PlainCell(name, source));
  for (const cell of cells) {
    session.add(cell);
    // Stands for the bubbling of a real element's events.
    for (const type of [CELL_RUN, CELL_STOP, CELL_EDIT, CELL_INTENT]) {
      cell.addEventListener(type, (event) => {
        const copy = new CustomEvent(type, { detail: /** @type {CustomEvent} */ (event).detail });
        Object.defineProperty(copy, "target", { value: cell });
        root.dispatchEvent(copy);
      });
    }
  }
  const [a, b] = /** @type {[PlainCell, PlainCell]} */ (cells);
  return { session, runtime, a, b };
}

/** @param {() => boolean} condition */
async function until(condition) {
  for (let i = 0; i < 200 && !condition(); i++) await new Promise((resolve) => setTimeout(resolve, 1));
  assert.ok(condition(), `never: ${condition}`);
}

test("a cell goes from idle over queued and running to done, and shows what it said", async () => {
  const { session, a } = page({ a: "hello" });
  await session.run(a);
  assert.deepEqual(a.states, ["idle", "queued", "running", "done"]);
  assert.deepEqual(a.told, ["begin", "hello", "ok"]);
});

test("a raising cell ends as error", async () => {
  const { session, a } = page({ a: "raise" });
  await session.run(a);
  assert.equal(a.state, "error");
  assert.deepEqual(a.told, ["begin", "raise", "ValueError"]);
});

test("hidden set-up runs first, once per Python", async () => {
  const { session, runtime, a, b } = page({ a: "1", b: "2" }, { setup: "0" });
  await Promise.all([session.run(a), session.run(b)]);
  await session.run(a);
  assert.deepEqual(ObedientWorker.ran, ["words", "a", "b", "a"]);
  a.source = "hang";
  const hanging = session.run(a);
  await until(() => a.state === "running");
  runtime.stop();
  await hanging;
  await session.run(b);
  assert.deepEqual(ObedientWorker.ran, ["words", "a", "b", "a", "a", "words", "b"]);
});

test("a failing set-up is told as the lesson's fault, and tried again at the next run", async () => {
  const { session, a } = page({ a: "1" }, { setup: "raise" });
  await session.run(a);
  assert.deepEqual(a.told, ["ValueError"]);
  assert.equal(a.state, "error");
  await session.run(a);
  assert.deepEqual(ObedientWorker.ran, ["words", "words"]);
});

test("after a stop the cells that had run are stale, the stopped one shows why", async () => {
  const { session, a, b } = page({ a: "1", b: "hang" });
  await session.run(a);
  const hanging = session.run(b);
  await until(() => b.state === "running");
  b.dispatchEvent(new CustomEvent(CELL_STOP));
  await hanging;
  assert.equal(a.state, "stale");
  assert.equal(a.stale, "restarted");
  assert.equal(b.state, "error");
  assert.deepEqual(b.told, ["begin", "Stopped"]);
  await session.run(a);
  assert.equal(a.state, "done");
  assert.equal(a.stale, null);
});

test("an edit makes a cell's output stale; taking the edit back makes it hold again", async () => {
  const { session, a } = page({ a: "1" });
  a.dispatchEvent(new CustomEvent(CELL_EDIT));
  assert.equal(a.state, "idle", "an edit before the first run is no news");
  await session.run(a);
  a.source = "2";
  a.dispatchEvent(new CustomEvent(CELL_EDIT));
  assert.equal(a.state, "stale");
  assert.equal(a.stale, "edited");
  a.source = "1";
  a.dispatchEvent(new CustomEvent(CELL_EDIT));
  assert.equal(a.state, "done");
});

test("a cell edited while it runs is stale when it is done", async () => {
  const { session, a } = page({ a: "1" });
  const run = session.run(a);
  await until(() => a.state === "running");
  a.source = "2";
  a.dispatchEvent(new CustomEvent(CELL_EDIT));
  await run;
  assert.equal(a.state, "stale");
});

test("Run on a cell that waits or runs changes nothing", async () => {
  const { session, a } = page({ a: "1" });
  await Promise.all([session.run(a), session.run(a)]);
  assert.deepEqual(ObedientWorker.ran, ["a"]);
});

test("run and advance hands the focus to the next cell; after the last one it stays", async () => {
  const { a, b } = page({ a: "1", b: "2" });
  a.dispatchEvent(new CustomEvent(CELL_RUN, { detail: { advance: true } }));
  assert.deepEqual(b.told, ["enter"]);
  b.dispatchEvent(new CustomEvent(CELL_RUN, { detail: { advance: true } }));
  await until(() => a.state === "done" && b.state === "done");
});

for (const { thrifty, state } of [
  { thrifty: false, state: "loading" },
  { thrifty: true, state: "idle" },
]) {
  test(`pointing at Run leaves the runtime ${state} with Save-Data ${thrifty ? "on" : "off"}`, () => {
    const { runtime, a } = page({ a: "1" }, { thrifty });
    a.dispatchEvent(new CustomEvent(CELL_INTENT));
    assert.equal(runtime.status.state, state);
    assert.equal(a.runtime.state, state, "cells are told");
  });
}
