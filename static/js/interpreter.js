/**
 * One Python interpreter with the package `lectern` in it: runs a cell, hands on what the cell says, returns how it
 * ended. Knows no page and no worker, because the build runs lessons through the same file under Node.
 *
 * @typedef {import("pyodide").PyodideInterface} Pyodide
 * @typedef {import("./protocol.js").Run} Run
 * @typedef {import("./protocol.js").Stream} Stream
 * @typedef {import("./protocol.js").Display} Display
 * @typedef {import("./protocol.js").Done} Done
 */

export class Interpreter {
  #bridge;

  /** @param {any} bridge  Python's module `lectern.bridge`; held for the interpreter's whole life */
  constructor(bridge) {
    this.#bridge = bridge;
  }

  /** @param {Pyodide} pyodide  booted, with `lectern` where Python finds it */
  static async create(pyodide) {
    return new Interpreter(pyodide.pyimport("lectern.bridge"));
  }

  /**
   * Runs one cell. `emit` receives every Stream and Display, in order, before the promise settles with the one Done.
   * Never rejects: if the interpreter itself breaks, the Done says so with the kind "WorkerError".
   *
   * @param {Omit<Run, "type">} request
   * @param {(output: Stream | Display) => void} emit
   * @returns {Promise<Done>}
   */
  async run(request, emit) {
    const started = performance.now();
    /** @type {Done | null} */
    let done = null;
    const receive = (/** @type {string} */ json) => {
      /** @type {Stream | Display | Done} */
      const message = JSON.parse(json);
      if (message.type === "done") done = message;
      else emit(message);
    };
    let broke = "Python ended the cell without saying how";
    /** @type {any} */
    let coroutine = null;
    try {
      const { id, cell, source, check } = request;
      coroutine = this.#bridge.run(JSON.stringify({ id, cell, source, check }), receive);
      await coroutine;
    } catch (error) {
      broke = String(error instanceof Error ? error.message : error);
    } finally {
      coroutine?.destroy?.();
    }
    return done ?? broken(request.id, broke, performance.now() - started);
  }

  /** Forgets every variable of the student, as a fresh interpreter would. */
  reset() {
    this.#bridge.reset();
  }
}

/** @returns {Done} @param {number} id @param {string} message @param {number} ms */
function broken(id, message, ms) {
  return {
    type: "done",
    id,
    ok: false,
    error: { kind: "WorkerError", message, line: null, traceback: "", hint: null },
    ms,
  };
}
