/**
 * Brings a student's variables back after a restart: runs the cells that had ended well again, unseen, in the order in
 * which they had run. Never the one that had to be stopped, nor one that hangs or fails when it is repeated.
 *
 * @typedef {import("./graph.js").History} History
 * @typedef {import("./graph.js").GoodRun} GoodRun
 * @typedef {import("./protocol.js").Chance} Chance
 * @typedef {import("./protocol.js").Done} Done
 *
 * @typedef {object} Restored         what became of the variables, for the cell that was stopped to tell
 * @property {"running" | "done" | "failed" | "off"} phase   off: the student does not want it
 * @property {readonly string[]} cells                       that run again; of "off", that could
 * @property {readonly {cell: string, why: readonly Chance[]}[]} unsure   among them, those that may end differently
 * @property {string | null} failed                          the cell that could not be repeated
 *
 * @typedef {{restored: Restored | null}} Holder   the view of a cell
 * @typedef {{on: boolean}} Setting                remembered by whoever gives it
 *
 * @typedef {object} Page
 * @property {() => History[]} cells                                 in the order of the page
 * @property {(name: string) => readonly Chance[]} chances
 * @property {() => Promise<Done | null>} prepare                    runs the hidden set-up
 * @property {(name: string, good: GoodRun) => Promise<Done>} run   unseen, with the same answers where it asks
 * @property {(name: string, good: GoodRun) => void} ran
 */

import { restorable } from "./graph.js";

/** In place of a failed cell's name. */
const NO_PYTHON = Symbol("Python could not be had");

export class Restorer {
  #setting;
  #page;
  /** @type {Holder | null} */
  #holder = null;
  /** @type {History | null} the cell that is being repeated */
  #current = null;
  /** Python was restarted, and `work` has not answered it yet. */
  due = false;

  /** @param {Setting} setting @param {Page} page */
  constructor(setting, page) {
    this.#setting = setting;
    this.#page = page;
  }

  /** All variables are gone. @param {Holder | null} holder  the cell that was running, if one was */
  lost(holder) {
    if (this.#current) this.#current.good = null;
    this.#holder = holder ?? this.#holder;
    this.due = true;
  }

  /** @param {boolean} on @param {Holder} holder  the cell that was asked */
  choose(on, holder) {
    this.#setting.on = on;
    if (!on) this.#current = null; // the restart that may follow is not the fault of the cell that is being repeated
    this.#holder = holder;
    this.due = true;
  }

  /** Ends early, and is due again, if Python is restarted meanwhile. */
  async work() {
    this.due = false;
    const cells = restorable(this.#page.cells());
    const unsure = cells
      .map((cell) => ({ cell, why: this.#page.chances(cell) }))
      .filter(({ why }) => why.length > 0);
    const tell = (/** @type {Restored["phase"]} */ phase, /** @type {string | null} */ failed = null) => {
      if (this.#holder) this.#holder.restored = { phase, cells, unsure, failed };
      if (phase !== "running") this.#holder = null;
    };
    if (!cells.length) {
      if (this.#holder) this.#holder.restored = null;
      return;
    }
    if (!this.#setting.on) {
      tell("off");
      return;
    }
    tell("running");
    const failed = (await this.#page.prepare()) ? NO_PYTHON : await this.#repeat(cells);
    if (this.due) return;
    if (failed !== NO_PYTHON) tell(failed === null ? "done" : "failed", failed);
    // The next Run tells that, and runs what it needs.
    else if (this.#holder) this.#holder.restored = null;
  }

  /** @returns {Promise<string | typeof NO_PYTHON | null>} the cell that failed @param {readonly string[]} names */
  async #repeat(names) {
    for (const name of names) {
      const cell = this.#page.cells().find((each) => each.name === name);
      if (!cell?.good) continue;
      const { good } = cell;
      this.#current = cell;
      const done = await this.#page.run(name, good);
      this.#current = null;
      if (this.due) return null;
      if (done.error?.kind === "RuntimeFailed") return NO_PYTHON; // no fault of the cell: it is good for the next try
      if (!done.ok) {
        cell.good = null;
        return name;
      }
      this.#page.ran(name, good);
    }
    return null;
  }
}
