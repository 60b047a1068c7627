/** A Runtime whose worker says what a test tells it to say, and nothing else. */

import { Runtime } from "../../static/js/runtime.js";

/** @typedef {import("../../static/js/protocol.js").Reply} Reply */
/** @typedef {import("../../static/js/protocol.js").Request} Request */

export const MANIFEST = {
  url: "https://site.test/runtime/",
  worker: "https://site.test/worker.js",
  python: "3.14",
  pyodide: "314.0.3",
  files: [],
  archives: [],
  packages: [],
  wheels: [], snapshot: true,
  own: null,
};

/** The other side of the protocol: remembers what it was sent, says what the test tells it to say. */
export class ScriptedWorker extends EventTarget {
  /** @type {Request[]} */
  received = [];
  terminated = false;

  /** @param {Request} request */
  postMessage(request) {
    this.received.push(structuredClone(request));
  }

  terminate() {
    this.terminated = true;
  }

  /** @param {Reply} reply */
  say(reply) {
    this.dispatchEvent(new MessageEvent("message", { data: structuredClone(reply) }));
  }

  ready() {
    this.say({ type: "state", state: "ready", ms: 1 });
  }

  /** @param {string} message */
  crash(message) {
    this.dispatchEvent(Object.assign(new Event("error"), { message }));
  }

  /** Answers the latest run. @param {string} [text] */
  finish(text) {
    const id = this.lastRun;
    if (text) this.say({ type: "stream", id, name: "stdout", text });
    this.say({ type: "done", id, ok: true, error: null, ms: 5 });
  }

  get lastRun() {
    return this.received.findLast((request) => request.type === "run")?.id ?? -1;
  }

  get sources() {
    return this.received.flatMap((request) => (request.type === "run" ? [request.source] : []));
  }
}

/** @param {{silence?: number, grace?: number, isolated?: boolean}} [options] */
export function start({ silence, grace, isolated = false } = {}) {
  /** @type {ScriptedWorker[]} */
  const workers = [];
  const runtime = new Runtime(MANIFEST, {
    spawn: () => {
      const worker = new ScriptedWorker();
      workers.push(worker);
      return /** @type {any} */ (worker);
    },
    isolated,
    ...(silence ? { silence } : {}),
    ...(grace ? { grace } : {}),
  });
  /** @type {string[]} */
  const states = [];
  runtime.addEventListener("state", () => states.push(runtime.status.state));
  return { runtime, workers, states, worker: () => /** @type {ScriptedWorker} */ (workers.at(-1)) };
}

export const cell = (/** @type {string} */ source) => ({ cell: "c", source });
