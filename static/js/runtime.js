/**
 * The page's side of the worker: starts it on intent, sends one run at a time, settles every run exactly once. Tells
 * its state by a `state` event and the loss of all variables by a `restart` event.
 *
 *     idle ──start──▶ loading ──ready──▶ ready ⇄ running
 *                        │ ▲               stop, crash: back to loading with a fresh worker
 *                      failed ──retry/run──┘
 *
 * @typedef {import("./protocol.js").RuntimeManifest} RuntimeManifest
 * @typedef {import("./protocol.js").Reply} Reply
 * @typedef {import("./protocol.js").Stream | import("./protocol.js").Display | import("./protocol.js").Fetching} Output
 * @typedef {import("./protocol.js").Done} Done
 * @typedef {import("./protocol.js").CellError} CellError
 *
 * @typedef {object} Status
 * @property {"idle" | "loading" | "ready" | "running" | "failed"} state
 * @property {import("./protocol.js").Downloading | import("./protocol.js").Starting | null} progress  while loading
 * @property {import("./protocol.js").Failure | null} failure                                        when failed
 *
 * @typedef {object} Job
 * @property {import("./protocol.js").Run | import("./protocol.js").Outline} request
 * @property {(output: Output) => void} emit
 * @property {() => void} begin
 * @property {(prompt: string) => Promise<string>} ask
 * @property {(reply: any) => void} settle    gets the Done of a run, the Outlined of an outline, or a Done that tells why not
 *
 * @typedef {Pick<import("./protocol.js").Run, "check" | "before" | "starter">} Exercise   what turns a run into a check
 *
 * @typedef {import("./python.js").WorkerLike} WorkerLike
 */

import { Python } from "./python.js";
import { NOT_RUN, refusal } from "./refusals.js";

/** A start that says nothing for so long (ms) has died without an error; the slowest phones need half of it. */
const SILENCE = 90_000;

/** A program that has not reacted to Python's interrupt after so long (ms) is ended with its worker. */
const GRACE = 1_000;

const SIGINT = 2;

export class Runtime extends EventTarget {
  #manifest;
  #spawn;
  #silence;
  #grace;
  /** @type {Uint8Array | null} one byte of memory shared with the worker, where the page is cross-origin isolated */
  #interrupt;
  /** @type {ReturnType<typeof setTimeout> | undefined} set while a cell is asked to stop */
  #stopping;
  /** @type {Python | null} */
  #python = null;
  /** The last start fell silent: what the browser has kept of Python may be the reason. */
  #distrust = false;
  /** The next one, which nobody uses yet. @type {Python | null} */
  #spare = null;
  /** What the first worker made of its downloads, for those after it. @type {import("./protocol.js").Kit | null} */
  kit = null;
  /** @type {Job | null} */
  #current = null;
  /** @type {Job[]} */
  #waiting = [];
  #lastId = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #watchdog;
  /** @type {Status} */
  status = { state: "idle", progress: null, failure: null };
  /** Counts workers: what ran in an earlier generation has left no variables in this one. */
  generation = 0;

  /**
   * @param {RuntimeManifest} manifest
   * @param {{spawn?: (url: string) => WorkerLike, silence?: number, grace?: number, isolated?: boolean}} [options]
   */
  constructor(
    manifest,
    { spawn = spawnModule, silence = SILENCE, grace = GRACE, isolated = globalThis.crossOriginIsolated === true } = {},
  ) {
    super();
    this.#manifest = manifest;
    this.#spawn = spawn;
    this.#silence = silence;
    this.#grace = grace;
    this.#interrupt = isolated ? new Uint8Array(new SharedArrayBuffer(1)) : null;
  }

  /** The student is about to run something: fetch and start now. Harmless at any other time. */
  start() {
    if (this.status.state === "idle") this.#boot();
  }

  /** Tries again after a failure. */
  retry() {
    if (this.status.state === "failed") this.#boot();
  }

  /**
   * Queues one run. The promise always resolves, with the run's one Done.
   *
   * @param {Pick<import("./protocol.js").Run, "cell" | "source"> & Partial<Exercise>} request
   * @param {Partial<Pick<Job, "emit" | "begin" | "ask">>} [listener]  `begin`: it is this run's turn; `ask`: input()
   * @returns {Promise<Done>}
   */
  run({ cell, source, check = null, before = [], starter }, { emit = () => {}, begin = () => {}, ask = async () => "" } = {}) {
    return new Promise((settle) => {
      const request = /** @type {const} */ ({ type: "run", id: ++this.#lastId, cell, source, check, before, starter });
      this.#add({ request, emit, begin, ask, settle });
    });
  }

  /**
   * Queues a reading of cells. The promise always resolves, with a Done if it came to nothing.
   *
   * @param {import("./protocol.js").Outline["cells"]} cells @param {number[]} wanted
   * @returns {Promise<import("./protocol.js").Outlined | Done>}
   */
  outline(cells, wanted) {
    return new Promise((settle) => {
      /** @type {import("./protocol.js").Outline} */
      const request = { type: "outline", id: ++this.#lastId, cells, wanted };
      this.#add({ request, emit: () => {}, begin: () => {}, ask: async () => "", settle });
    });
  }

  /** Ends the running cell and empties the queue. Where Python cannot be interrupted, it is replaced by a fresh one. */
  stop() {
    for (const job of this.#waiting.splice(0)) refuse(job, NOT_RUN);
    if (!this.#current) return;
    if (!this.#interrupt || this.#stopping !== undefined) {
      this.restart();
      return;
    }
    this.#interrupt[0] = SIGINT;
    // Not all code is interrupted: a long NumPy call, or an `except:` in a loop.
    this.#stopping = setTimeout(() => this.restart(), this.#grace);
  }

  /**
   * Starts the Python that will follow this one, from a snapshot, so that Stop need not wait for it. It takes the memory
   * of another. Where Python can be interrupted none is needed.
   */
  prepare() {
    if (this.status.state !== "ready" || this.#interrupt || this.#spare || !this.kit?.snapshot) return;
    this.#spare = this.#launch();
  }

  /** A fresh Python, whatever the present one is doing. */
  restart() {
    this.#settleAll(stopped("Stopped. Python was restarted."));
    this.#boot();
  }

  /** @param {Job} job */
  #add(job) {
    this.#waiting.push(job);
    this.start();
    this.retry();
    this.#next();
  }

  #boot() {
    const hadVariables = this.generation > 0;
    this.#discard();
    this.generation += 1;
    if (hadVariables) this.dispatchEvent(new Event("restart"));
    this.#become({ state: "loading", progress: null, failure: null });
    try {
      this.#python = this.#spare ?? this.#launch();
    } catch {
      this.#fail({ message: "Python may not start here: this page is allowed no worker. Open the page in a tab of its own.", file: null });
      return;
    }
    this.#spare = null;
    this.#watch();
    if (this.#python.said) this.#receive(this.#python.said);
  }

  #launch() {
    /** @type {import("./protocol.js").Boot} */
    const boot = { type: "boot", manifest: this.#manifest, kit: this.kit };
    if (this.#distrust) boot.anew = true;
    if (this.#interrupt) boot.interrupt = /** @type {SharedArrayBuffer} */ (this.#interrupt.buffer);
    return new Python(this.#spawn(this.#manifest.worker), boot, {
      reply: (python, reply) => (python === this.#python ? this.#receive(reply) : this.#hear(reply)),
      crash: (python, said) => (python === this.#python ? this.#crashed(said) : this.#dismiss()),
    });
  }

  /** @param {Reply} reply  of the spare */
  #hear(reply) {
    if (reply.type === "kit") this.kit = reply.kit; // its snapshot was no good
    else if (reply.type === "state" && reply.state === "failed") this.#dismiss();
  }

  #dismiss() {
    this.#spare?.end();
    this.#spare = null;
  }

  /** @param {Reply} reply  or anything else: the student's Python can reach `postMessage` too */
  #receive(reply) {
    switch (reply?.type) {
      case "stream":
      case "display":
      case "fetching":
        if (reply.id === this.#current?.request.id) this.#current.emit(reply);
        return;
      case "ask":
        if (reply.id === this.#current?.request.id) void this.#ask(this.#current, reply.prompt);
        return;
      case "outlined":
      case "done":
        this.#finish(reply);
        return;
      case "kit":
        this.kit = reply.kit;
        return;
      case "state":
        if (this.status.state !== "loading") return; // said out of turn, by the student's Python
        if (reply.state === "failed") {
          this.#fail(reply.failure);
        } else if (reply.state === "ready") {
          clearTimeout(this.#watchdog);
          this.#become({ state: "ready", progress: null, failure: null });
          this.#next();
        } else {
          this.#watch();
          this.#become({ state: "loading", progress: reply, failure: null });
        }
    }
  }

  /** @param {Job} job @param {string} prompt */
  async #ask(job, prompt) {
    const text = await job.ask(prompt);
    if (job === this.#current) this.#python?.post({ type: "answer", id: job.request.id, text });
  }

  #next() {
    if (this.status.state !== "ready") return;
    const job = this.#waiting.shift();
    if (!job) return;
    this.#current = job;
    this.#python?.post(job.request); // first of all: it computes while the page draws that it does
    this.#become({ state: "running", progress: null, failure: null });
    job.begin();
  }

  /** @param {Done | import("./protocol.js").Outlined} reply */
  #finish(reply) {
    const job = this.#current;
    if (reply.id !== job?.request.id) return;
    if (reply.type === "done" && reply.error?.kind === "WorkerError") {
      this.#crashed(reply.error.message);
      return;
    }
    const interrupted = this.#unstop() && reply.type === "done" && reply.error?.kind === "KeyboardInterrupt";
    this.#current = null;
    if (interrupted) refuse(job, stopped("Stopped. All variables are kept as they were at that moment."), reply.ms);
    else job.settle(reply);
    this.#become({ state: "ready", progress: null, failure: null });
    this.#next();
  }

  /** @param {string | undefined} said */
  #crashed(said) {
    const reason = said?.replace(/^Uncaught (\w*Error: )?/, "").replace(/[:\s]+$/, "");
    if (this.status.state === "loading") {
      // Without a reason, it was the worker's own script that could not be had.
      const message = reason
        ? `Python did not start (${reason}). Check the connection, then try again.`
        : "Python did not start. Reload the page: the site may just have been published anew. If it stays so, check the connection.";
      this.#fail({ message, file: null });
      return;
    }
    this.#settleAll({
      kind: "WorkerError",
      message: `Python broke down and was restarted${reason ? `: ${reason}` : "."}`,
      line: null,
      traceback: "",
      hint: "If it happens again, the program calls itself without end, nests deeper or holds more than a browser can.",
    });
    this.#boot();
  }

  /** @param {import("./protocol.js").Failure} failure */
  #fail(failure) {
    this.#discard();
    this.kit = null; // it may be what failed
    this.#dismiss();
    this.#settleAll({ kind: "RuntimeFailed", message: failure.message, line: null, traceback: "", hint: null });
    this.#become({ state: "failed", progress: null, failure });
  }

  #watch() {
    clearTimeout(this.#watchdog);
    this.#watchdog = setTimeout(() => {
      const seconds = Math.round(this.#silence / 1000);
      this.#distrust = true;
      this.#fail({ message: `Python did not start: no sign of life for ${seconds} seconds. Try again.`, file: null });
    }, this.#silence);
  }

  /** The cell that was asked to stop has ended, one way or the other. @returns {boolean} whether one was */
  #unstop() {
    const asked = this.#stopping !== undefined;
    clearTimeout(this.#stopping);
    this.#stopping = undefined;
    // Python may have ended just before the interrupt; it must not hit the next cell.
    if (this.#interrupt) this.#interrupt[0] = 0;
    return asked;
  }

  #discard() {
    clearTimeout(this.#watchdog);
    this.#unstop();
    this.#python?.end();
    this.#python = null;
  }

  /** @param {CellError} error */
  #settleAll(error) {
    const jobs = [...(this.#current ? [this.#current] : []), ...this.#waiting];
    this.#current = null;
    this.#waiting = [];
    for (const job of jobs) refuse(job, error);
  }

  /** @param {Status} status */
  #become(status) {
    this.status = status;
    this.dispatchEvent(new Event("state"));
  }
}

/** @param {Job} job @param {CellError} error @param {number} [ms] */
function refuse({ request, settle }, error, ms = 0) {
  settle({ ...refusal(error), id: request.id, ms });
}

/** @returns {CellError} @param {string} message */
function stopped(message) {
  return { ...NOT_RUN, message };
}

/** @param {string} url */
function spawnModule(url) {
  return new Worker(url, { type: "module", name: "python" });
}
