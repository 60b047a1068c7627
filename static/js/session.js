/**
 * The one place of state of a lesson page: which cells wait, run, have run, and whether what they show still holds.
 * Cells are told by properties and methods; they tell by bubbling events, which arrive here at the root.
 *
 * @typedef {import("./runtime.js").Runtime} Runtime
 * @typedef {import("./runtime.js").Status} Status
 * @typedef {import("./runtime.js").Output} Output
 * @typedef {import("./protocol.js").Done} Done
 * @typedef {"idle" | "queued" | "running" | "done" | "error" | "stale"} CellState
 * @typedef {"edited" | "restarted"} Stale   why a cell's output no longer holds
 *
 * @typedef {object} CellView               what the session needs of a `<code-cell>`
 * @property {string} name
 * @property {string} source                the code as it stands now
 * @property {CellState} state              written by the session only
 * @property {Stale | null} stale           written by the session only, before `state`
 * @property {Status} runtime               written by the session only
 * @property {() => void} begin             its turn has come
 * @property {(output: Output) => void} receive
 * @property {(done: Done) => void} settle
 * @property {() => void} enter             take the focus, ready to be read, edited or run
 *
 * @typedef {object} Record                 what is known of a cell
 * @property {CellState} state
 * @property {string | null} ran            the source of its latest run, null before the first
 * @property {CellState} ended              how that run ended
 * @property {boolean} lost                 its variables went with a restart
 */

/** The events of a cell. `detail` of RUN: `{advance: boolean}`. */
export const CELL_RUN = "cell-run";
export const CELL_STOP = "cell-stop";
export const CELL_INTENT = "cell-intent";
export const CELL_EDIT = "cell-edit";

export class Session {
  #runtime;
  #setup;
  /** @type {Map<CellView, Record>} */
  #cells = new Map();
  /** @type {{generation: number, outcome: Promise<Done | null>} | null} */
  #prepared = null;

  /**
   * @param {object} options
   * @param {Runtime} options.runtime
   * @param {{name: string, source: string}[]} options.setup   hidden cells that run before any other
   * @param {EventTarget} options.root                         where the cells' events arrive
   * @param {boolean} [options.thrifty]                        Save-Data: fetch nothing before Run is pressed
   */
  constructor({ runtime, setup, root, thrifty = false }) {
    this.#runtime = runtime;
    this.#setup = setup;
    const on = (/** @type {string} */ type, /** @type {(cell: CellView, event: Event) => void} */ act) =>
      root.addEventListener(type, (event) => act(/** @type {any} */ (event.target), event));
    on(CELL_RUN, (cell, event) => {
      if (/** @type {CustomEvent} */ (event).detail?.advance) this.#after(cell)?.enter();
      void this.run(cell);
    });
    on(CELL_STOP, () => this.#runtime.stop());
    on(CELL_EDIT, (cell) => this.#judge(cell));
    on(CELL_INTENT, () => {
      if (!thrifty) this.#runtime.start();
    });
    runtime.addEventListener("state", () => this.#tell());
    runtime.addEventListener("restart", () => this.#lose());
  }

  /** Cells are added in the order of the page. @param {CellView} cell */
  add(cell) {
    this.#cells.set(cell, { state: "idle", ran: null, ended: "idle", lost: false });
    cell.runtime = this.#runtime.status;
    cell.state = "idle";
  }

  /** Runs a cell, after the set-up of a fresh Python. One that waits or runs is left alone. @param {CellView} cell */
  async run(cell) {
    const record = this.#cells.get(cell);
    if (!record || record.state === "queued" || record.state === "running") return;
    this.#set(cell, record, "queued");
    const source = cell.source;
    const done = (await this.#prepare()) ?? (await this.#runtime.run({ cell: cell.name, source }, {
      begin: () => {
        this.#set(cell, record, "running");
        cell.begin();
      },
      emit: (output) => cell.receive(output),
    }));
    record.ran = source;
    record.ended = done.ok ? "done" : "error";
    record.lost = false;
    record.state = record.ended;
    cell.settle(done);
    this.#judge(cell);
  }

  /** @returns {Promise<Done | null>} the Done of a failed set-up, which is then the cell's own */
  #prepare() {
    const { generation, status } = this.#runtime;
    const fresh = this.#prepared?.generation === generation && status.state !== "failed" && status.state !== "idle";
    if (this.#prepared && fresh) return this.#prepared.outcome;
    const runs = this.#setup.map(({ name, source }) => this.#runtime.run({ cell: name, source }));
    const outcome = Promise.all(runs).then((dones) => {
      const failed = dones.find((done) => !done.ok);
      if (!failed?.error) return null;
      if (this.#prepared?.outcome === outcome) this.#prepared = null;
      return blameSetup(failed);
    });
    // Queueing the set-up may have started Python, and with it a new generation.
    this.#prepared = { generation: this.#runtime.generation, outcome };
    return outcome;
  }

  /** An edited cell, or one whose variables are gone, shows what no longer holds. @param {CellView} cell */
  #judge(cell) {
    const record = this.#cells.get(cell);
    if (!record || record.ran === null || record.state === "queued" || record.state === "running") return;
    const edited = cell.source !== record.ran;
    cell.stale = edited ? "edited" : record.lost ? "restarted" : null;
    this.#set(cell, record, cell.stale ? "stale" : record.ended);
  }

  #lose() {
    for (const [cell, record] of this.#cells) {
      if (record.ran === null) continue;
      record.lost = true;
      this.#judge(cell);
    }
  }

  #tell() {
    for (const cell of this.#cells.keys()) cell.runtime = this.#runtime.status;
  }

  /** @param {CellView} cell */
  #after(cell) {
    const cells = [...this.#cells.keys()];
    return cells[cells.indexOf(cell) + 1];
  }

  /** @param {CellView} cell @param {Record} record @param {CellState} state */
  #set(cell, record, state) {
    record.state = state;
    cell.state = state;
  }
}

/** @returns {Done} @param {Done} done */
function blameSetup(done) {
  const error = done.error;
  if (!error || ["Stopped", "RuntimeFailed", "WorkerError"].includes(error.kind)) return done;
  const message = `The lesson's hidden set-up failed: ${error.message}`;
  return { ...done, error: { ...error, message, line: null, hint: "This is a fault of the lesson, not of your code." } };
}
