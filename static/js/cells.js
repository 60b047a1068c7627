/**
 * The one place of state of a lesson page: what is known of each cell, and from that what it shows.
 *
 * @typedef {import("./runtime.js").Status} Status
 * @typedef {import("./runtime.js").Output} Output
 * @typedef {import("./protocol.js").Done} Done
 * @typedef {import("./graph.js").Stale} Stale
 * @typedef {import("./graph.js").GoodRun} GoodRun
 * @typedef {import("./restore.js").Restored} Restored
 * @typedef {"idle" | "queued" | "running" | "done" | "error" | "stale"} CellState
 *
 * @typedef {object} CellView               what the session needs of a `<code-cell>`
 * @property {string} name
 * @property {string} source                the code as it stands now
 * @property {CellState} state              written here only
 * @property {Stale | null} stale           written here only, before `state`
 * @property {readonly string[]} first      the cells that still run before it; written by the session only
 * @property {Restored | null} restored     what became of the variables after it was stopped; written by the session only
 * @property {Status} runtime               written by the session only
 * @property {() => void} begin             its turn has come
 * @property {(output: Output) => void} receive
 * @property {(prompt: string) => Promise<string>} ask   the student's answer
 * @property {(done: Done) => void} settle
 * @property {() => void} enter             take the focus, ready to be read, edited or run
 * @property {Task | null} task             of an exercise
 * @property {(done: Done, judged: Judged) => void} judge   of an exercise: its answer was checked
 *
 * @typedef {object} Task
 * @property {string} starter
 * @property {string} check
 * @property {string} solution
 * @property {string | null} answer         the student's answer that passed last
 *
 * @typedef {object} Judged
 * @property {string} source                the answer
 * @property {readonly string[]} above      the cells that ran before it
 * @property {readonly string[]} lent       the exercises among them whose solution stood in for an answer
 *
 * @typedef {import("./graph.js").History & {view: CellView, state: CellState, refused: boolean}} Record
 *   `refused`: the latest Run came to nothing, so what is known of the run before stays true
 */

import { judge } from "./graph.js";

export class Cells {
  /** @type {Map<string, Record>} */
  #known = new Map();
  #outline;
  #turn = 0;

  /** @param {import("./outline.js").Outline} outline */
  constructor(outline) {
    this.#outline = outline;
  }

  /** In the order of the page. */
  get all() {
    return [...this.#known.values()];
  }

  /** @param {string} name */
  get(name) {
    return this.#known.get(name);
  }

  /** @param {CellView} view */
  add(view) {
    this.#known.set(view.name, {
      view,
      name: view.name,
      get source() {
        return view.source;
      },
      state: "idle",
      refused: false,
      ran: null,
      failed: false,
      lost: false,
      turn: 0,
      used: [],
      good: null,
    });
    view.state = "idle";
  }

  /** @param {Record} cell @param {CellState} state */
  set(cell, state) {
    cell.state = state;
    cell.view.state = state;
  }

  /** The cell has run. @param {Record} cell @param {{source: string, answers: string[]}} run @param {Done} done */
  ran(cell, { source, answers }, done) {
    const used = this.#outline.graph.get(cell.name) ?? [];
    Object.assign(cell, { ran: source, failed: !done.ok, lost: false, refused: false, used, turn: ++this.#turn });
    if (done.ok) cell.good = { source, answers, used, turn: cell.turn };
    return this.#end(cell, placed(cell, source, done));
  }

  /** An answer was checked. Where it failed, what is known of the run before stays. @param {Record} cell @param {Done} done @param {Judged} judged */
  judged(cell, done, judged) {
    cell.refused = !done.ok;
    cell.state = "idle";
    cell.view.judge(placed(cell, judged.source, done), judged);
    this.assess();
    return done;
  }

  /** The cell does not run. One that has run before, and now was stopped while it waited, is what it was. @param {Record} cell @param {Done} done  why */
  refuse(cell, done) {
    if (cell.ran !== null && done.error?.kind === "Stopped") {
      this.release(cell);
      return done;
    }
    cell.refused = true;
    return this.#end(cell, done);
  }

  /** The cell waits no more, because what it waited for has come to nothing. @param {Record} cell */
  release(cell) {
    cell.state = "idle";
    this.assess();
  }

  /**
   * A cell that ran well has run again, unseen. What had used it and stands, like the cell that was stopped, has not
   * become older by it.
   *
   * @param {string} name @param {GoodRun} good
   */
  repeated(name, good) {
    const cell = this.#known.get(name);
    if (!cell) return;
    const after = this.all.filter(({ lost, used, turn }) => !lost && used.includes(name) && turn > cell.turn);
    cell.lost = false;
    for (const one of [cell, good, ...after]) one.turn = ++this.#turn;
    this.assess();
  }

  /** All variables are gone. */
  lose() {
    for (const cell of this.#known.values()) cell.lost = cell.ran !== null;
    this.assess();
  }

  /** Shows of every cell whether it still holds. */
  assess() {
    const verdicts = judge(this.all, this.#outline.graph);
    for (const cell of this.#known.values()) {
      if (busy(cell)) continue;
      const stale = cell.refused ? null : verdicts.get(cell.name);
      cell.view.stale = stale ?? null;
      if (stale) this.set(cell, "stale");
      else if (cell.refused) this.set(cell, "error");
      else this.set(cell, cell.ran === null ? "idle" : cell.failed ? "error" : "done");
    }
  }

  /** @returns {Done} @param {Record} cell @param {Done} done */
  #end(cell, done) {
    cell.state = "idle";
    cell.view.settle(done);
    this.assess();
    return done;
  }
}

/** The lines of code that was edited while it ran are not the lines on the page. @param {Record} cell @param {string} source @param {Done} done */
function placed(cell, source, done) {
  return done.error && cell.source !== source ? { ...done, error: { ...done.error, line: null } } : done;
}

/** Whether an exercise has no answer that other cells could use. @param {Record} cell */
export function open({ view: { task }, ran, source }) {
  return task !== null && ran === null && task.answer !== source;
}

/** @param {Record} cell */
export function busy({ state }) {
  return state === "queued" || state === "running";
}
