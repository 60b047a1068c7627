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
 * @typedef {import("./protocol.js").Request} Request
 * @typedef {import("./protocol.js").Stream | import("./protocol.js").Display} Output
 * @typedef {import("./protocol.js").Done} Done
 * @typedef {import("./protocol.js").CellError} CellError
 *
 * @typedef {object} Status
 * @property {"idle" | "loading" | "ready" | "running" | "failed"} state
 * @property {import("./protocol.js").Downloading | import("./protocol.js").Starting | null} progress  while loading
 * @property {import("./protocol.js").Failure | null} failure                                        when failed
 *
 * @typedef {object} Job
 * @property {import("./protocol.js").Run} run
 * @property {(output: Output) => void} emit
 * @property {() => void} begin
 * @property {(done: Done) => void} settle
 *
 * @typedef {Pick<Worker, "postMessage" | "terminate" | "addEventListener">} WorkerLike
 */

/** A start that says nothing for so long (ms) has died without an error; the slowest phones need half of it. */
const SILENCE = 90_000;

export class Runtime extends EventTarget {
  #manifest;
  #spawn;
  #silence;
  /** @type {WorkerLike | null} */
  #worker = null;
  /** What the first worker made of its downloads, for those after it. @type {import("./protocol.js").Kit | null} */
  #kit = null;
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
   * @param {{spawn?: (url: string) => WorkerLike, silence?: number}} [options]
   */
  constructor(manifest, { spawn = spawnModule, silence = SILENCE } = {}) {
    super();
    this.#manifest = manifest;
    this.#spawn = spawn;
    this.#silence = silence;
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
   * @param {{cell: string, source: string, check?: string | null}} request
   * @param {{emit?: (output: Output) => void, begin?: () => void}} [listener]  `begin`: it is this run's turn
   * @returns {Promise<Done>}
   */
  run({ cell, source, check = null }, { emit = () => {}, begin = () => {} } = {}) {
    return new Promise((settle) => {
      this.#waiting.push({ run: { type: "run", id: ++this.#lastId, cell, source, check }, emit, begin, settle });
      this.start();
      this.retry();
      this.#next();
    });
  }

  /** Ends the running cell and empties the queue. If Python was at work, it is replaced by a fresh one. */
  stop() {
    if (!this.#current) {
      this.#settleAll(stopped("Not run: stopped while it was waiting.", null));
      return;
    }
    const hint = "Run the cells above again, then this one.";
    this.#settleAll(stopped("Stopped. Python was restarted, so all variables are gone.", hint));
    this.#boot();
  }

  #boot() {
    const hadVariables = this.generation > 0;
    this.#discard();
    this.generation += 1;
    if (hadVariables) this.dispatchEvent(new Event("restart"));
    this.#become({ state: "loading", progress: null, failure: null });
    const worker = this.#spawn(this.#manifest.worker);
    this.#worker = worker;
    // A terminated worker's messages may still be under way: they are no longer ours.
    const ours = () => worker === this.#worker;
    worker.addEventListener("message", (event) => {
      if (ours()) this.#receive(/** @type {MessageEvent<Reply>} */ (event).data);
    });
    worker.addEventListener("error", (event) => {
      event.preventDefault?.();
      if (ours()) this.#crashed(/** @type {ErrorEvent} */ (event).message);
    });
    worker.addEventListener("messageerror", () => {
      if (ours()) this.#crashed("a message could not be read");
    });
    /** @type {Request} */
    const request = { type: "boot", manifest: this.#manifest, kit: this.#kit };
    worker.postMessage(request);
    this.#watch();
  }

  /** @param {Reply} reply  or anything else: the student's Python can reach `postMessage` too */
  #receive(reply) {
    switch (reply?.type) {
      case "stream":
      case "display":
        if (reply.id === this.#current?.run.id) this.#current.emit(reply);
        return;
      case "done":
        this.#finish(reply);
        return;
      case "kit":
        this.#kit ??= reply.kit;
        return;
      case "state":
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

  #next() {
    if (this.status.state !== "ready") return;
    const job = this.#waiting.shift();
    if (!job) return;
    this.#current = job;
    this.#become({ state: "running", progress: null, failure: null });
    job.begin();
    this.#worker?.postMessage(job.run);
  }

  /** @param {Done} done */
  #finish(done) {
    const job = this.#current;
    if (done.id !== job?.run.id) return;
    if (done.error?.kind === "WorkerError") {
      this.#crashed(done.error.message);
      return;
    }
    this.#current = null;
    job.settle(done);
    this.#become({ state: "ready", progress: null, failure: null });
    this.#next();
  }

  /** @param {string | undefined} said */
  #crashed(said) {
    const reason = said?.replace(/^Uncaught (\w*Error: )?/, "").trim();
    if (this.status.state === "loading") {
      const detail = reason ? ` (${reason})` : "";
      this.#fail({ message: `Python did not start${detail}. Check the connection, then try again.`, file: null });
      return;
    }
    this.#settleAll({
      kind: "WorkerError",
      message: `Python broke down and was restarted, so all variables are gone${reason ? `: ${reason}` : "."}`,
      line: null,
      traceback: "",
      hint: "Run the cells above again. If it happens again, the program nests deeper or holds more than a browser can.",
    });
    this.#boot();
  }

  /** @param {import("./protocol.js").Failure} failure */
  #fail(failure) {
    this.#discard();
    this.#kit = null; // it may be what failed
    this.#settleAll({ kind: "RuntimeFailed", message: failure.message, line: null, traceback: "", hint: null });
    this.#become({ state: "failed", progress: null, failure });
  }

  #watch() {
    clearTimeout(this.#watchdog);
    this.#watchdog = setTimeout(() => {
      const seconds = Math.round(this.#silence / 1000);
      this.#fail({ message: `Python did not start: no sign of life for ${seconds} seconds. Try again.`, file: null });
    }, this.#silence);
  }

  #discard() {
    clearTimeout(this.#watchdog);
    this.#worker?.terminate();
    this.#worker = null;
  }

  /** @param {CellError} error */
  #settleAll(error) {
    const jobs = [...(this.#current ? [this.#current] : []), ...this.#waiting];
    this.#current = null;
    this.#waiting = [];
    for (const { run, settle } of jobs) settle({ type: "done", id: run.id, ok: false, error, ms: 0 });
  }

  /** @param {Status} status */
  #become(status) {
    this.status = status;
    this.dispatchEvent(new Event("state"));
  }
}

/** @returns {CellError} @param {string} message @param {string | null} hint */
function stopped(message, hint) {
  return { kind: "Stopped", message, line: null, traceback: "", hint };
}

/** @param {string} url */
function spawnModule(url) {
  return new Worker(url, { type: "module", name: "python" });
}
