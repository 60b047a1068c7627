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
  #pyodide;
  #bridge;

  /** @param {Pyodide} pyodide @param {any} bridge  Python's module `lectern.bridge`; held for the interpreter's whole life */
  constructor(pyodide, bridge) {
    this.#pyodide = pyodide;
    this.#bridge = bridge;
  }

  /** @param {Pyodide} pyodide  booted, with `lectern` where Python finds it */
  static async create(pyodide) {
    return new Interpreter(pyodide, pyodide.pyimport("lectern.bridge"));
  }

  /**
   * Runs one cell. `emit` receives every Stream and Display, in order, before the promise settles with the one Done.
   * Never rejects: if the interpreter itself breaks, the Done says so with the kind "WorkerError".
   *
   * @param {Omit<Run, "type"> & {type?: "run"}} request
   * @param {(output: Stream | Display) => void} emit
   * @param {(prompt: string) => Promise<string>} [ask]   serves input(), where Python can be suspended
   * @returns {Promise<Done>}
   */
  async run(request, emit, ask) {
    const started = performance.now();
    /** @type {Done | null} */
    let done = null;
    const receive = (/** @type {string} */ json, /** @type {Display["buffers"]} */ buffers) => {
      /** @type {Stream | Display | Done} */
      const message = JSON.parse(json);
      if (message.type === "display" && buffers) message.buffers = buffers;
      if (message.type === "done") done = message;
      else emit(message);
    };
    let broke = "Python ended the cell without saying how";
    /** @type {any} */
    let coroutine = null;
    try {
      coroutine = this.#bridge.run(JSON.stringify(request), receive, ask);
      await coroutine;
    } catch (error) {
      broke = String(error instanceof Error ? error.message : error);
    } finally {
      coroutine?.destroy?.();
    }
    return done ?? broken(request.id, broke, performance.now() - started);
  }

  /**
   * Reads cells without running them. Never throws: what cannot be read is null.
   *
   * @param {import("./protocol.js").Outline["cells"]} cells
   * @param {number[]} [wanted]   the indices of those to be read; all, if it is left out
   * @returns {(import("./protocol.js").CellNames | null)[]}
   */
  outline(cells, wanted) {
    try {
      return JSON.parse(this.#bridge.outline(JSON.stringify({ cells, wanted })));
    } catch {
      return (wanted ?? cells).map(() => null); // an interpreter that is broken says so at the next run
    }
  }

  /** A page that shares memory raises KeyboardInterrupt by a byte in it. @param {SharedArrayBuffer} memory */
  interruptBy(memory) {
    this.#pyodide.setInterruptBuffer(new Uint8Array(memory));
  }

  /** After a snapshot: renews what must not be the same each time. Throws if Python does not work. */
  revive() {
    this.#bridge.revive();
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
