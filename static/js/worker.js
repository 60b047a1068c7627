/**
 * The worker: carries messages between the page and Python, and does nothing else; or it is the helper that supplies such
 * a worker (supply.js). Never touches the DOM.
 *
 * @typedef {import("./protocol.js").Request} Request
 * @typedef {import("./protocol.js").Reply} Reply
 */

import { boot, explain, remember } from "./boot.js";
import { deliver } from "./supply.js";

/** @type {import("./interpreter.js").Interpreter | null} */
let interpreter = null;
/** @type {(text: string) => void} */
let answer = () => {};

self.addEventListener("message", (event) => {
  /** @type {Request | import("./protocol.js").Make | import("./supply.js").Order} */
  const request = event.data;
  if (request.type === "fetch") void deliver(request.manifest, (message, transfer) => self.postMessage(message, { transfer }));
  else if (request.type === "boot") void start(request);
  else if (request.type === "make") void remember(request.manifest, request.kit).then((snapshot) => post({ type: "made", snapshot }));
  else if (request.type === "answer") answer(request.text);
  else if (request.type === "outline") post({ type: "outlined", id: request.id, cells: interpreter?.outline(request.cells, request.wanted) ?? [] });
  else void run(request);
});

// When the interpreter itself breaks between two turns of the event loop (the stack runs out inside a callback, say),
// Pyodide rejects a promise that nobody holds, and the run would wait for ever. The page hears of uncaught errors.
self.addEventListener("unhandledrejection", (event) => {
  if (event.reason?.pyodide_fatal_error) reportError(event.reason);
});

// A student's `from js import close` would end the worker without a word to the page, and the cell would run for ever.
self.close = () => {
  throw new Error("close() would end Python itself. A cell is ended by Stop, or by raising SystemExit.");
};

/** @param {Reply} reply */
function post(reply) {
  const buffers = reply.type === "display" ? (reply.buffers ?? []) : [];
  // The DOM's types know only the page's postMessage; the worker's has no origin. Arrays move instead of being copied.
  /** @type {(message: Reply, moved: ArrayBuffer[]) => void} */ (self.postMessage)(reply, buffers.map(({ buffer }) => buffer));
}

/** @param {import("./protocol.js").Boot} request */
async function start({ manifest, kit, anew, interrupt }) {
  const started = performance.now();
  try {
    const booted = await boot(manifest, post, kit, anew);
    interpreter = booted.interpreter;
    if (interrupt) interpreter.interruptBy(interrupt);
    post({ type: "state", state: "ready", ms: performance.now() - started });
    // What cannot be handed on has to be fetched again: no failure of this Python, which runs.
    booted.kit?.then((kit) => post({ type: "kit", kit })).catch(() => {});
  } catch (error) {
    post({ type: "state", state: "failed", failure: explain(error) });
  }
}

/** @param {import("./protocol.js").Run} request */
async function run(request) {
  // The page sends no run before `ready`; this answer keeps the law if it ever did.
  if (!interpreter) {
    const message = "The worker was asked to run before Python was ready";
    const error = { kind: "WorkerError", message, line: null, traceback: "", hint: null };
    post({ type: "done", id: request.id, ok: false, error, ms: 0 });
    return;
  }
  const put = (/** @type {string} */ prompt) =>
    new Promise((/** @type {(text: string) => void} */ resolve) => {
      answer = resolve;
      post({ type: "ask", id: request.id, prompt });
    });
  // Tasks of asyncio may ask at once. Each waits for the answer to the one before, or that would go to the wrong one.
  let last = Promise.resolve("");
  const ask = (/** @type {string} */ prompt) => (last = last.then(() => put(prompt)));
  post(await interpreter.run(request, post, ask));
}
