/**
 * `<code-cell>`: readable code with its recorded output, which `attach` makes editable and runnable. It decides
 * nothing about state: it tells the session what the student did, and shows what the session says.
 *
 * @typedef {import("./cells.js").CellState} CellState
 * @typedef {import("./graph.js").Stale} Stale
 * @typedef {import("./restore.js").Restored} Restored
 * @typedef {import("./runtime.js").Status} Status
 * @typedef {import("./runtime.js").Output} Output
 * @typedef {import("./protocol.js").Done} Done
 *
 * @typedef {object} CellContext
 * @property {string} hash                             of the lesson's code of this cell
 * @property {import("./progress.js").Progress} progress
 * @property {ReadonlyMap<string, string>} symbols     identifier → class that colours it
 * @property {number} bytes                            what the first run loads
 */

import { CellBar } from "./cellbar.js";
import { Charts } from "./charts.js";
import { CodeBox } from "./codebox.js";
import { Edits } from "./edits.js";
import { faultElement } from "./fault.js";
import { Figures } from "./figures.js";
import { OutputView } from "./output.js";
import { ATTENTION_MIME, CHART_MIME } from "./protocol.js";
import { restoredElement } from "./restored.js";
import { RunLine } from "./runline.js";
import { CELL_EDIT, CELL_INTENT, CELL_RESTORE, CELL_RUN, CELL_STOP, CELL_VISIT } from "./session.js";

const NO_EDITOR = "The editor could not be loaded. Check the connection and click again, or reload the page.";

export class CodeCell extends HTMLElement {
  /** @type {CodeBox | null} */
  #code = null;
  /** @type {CellBar | null} */
  #bar = null;
  /** @type {RunLine | null} */
  #line = null;
  /** @type {OutputView | null} */
  #output = null;
  #figures = new Figures(this);
  /** @type {Charts | null} */
  #charts = null;
  /** @type {CellState} */
  #state = "idle";
  /** @type {Status} */
  #runtime = { state: "idle", progress: null, failure: null };
  /** @type {Done | null} */
  #done = null;
  #wanted = false;
  #kept = false;
  /** @type {readonly string[]} */
  #first = [];
  /** @type {Stale | null} */
  stale = null;

  get name() {
    return this.getAttribute("name") ?? "";
  }

  get runnable() {
    return this.getAttribute("kind") === "run";
  }

  get source() {
    return this.#code?.source ?? "";
  }

  /** Brings the cell to life. @param {CellContext} context */
  attach({ hash, progress, symbols, bytes }) {
    const { name } = this;
    const bar = /** @type {HTMLElement} */ (this.querySelector(".cell-bar"));
    const box = /** @type {HTMLElement} */ (this.querySelector(".cell-code"));
    const code = new CodeBox(box, {
      name,
      editable: this.runnable,
      symbols,
      onChange: (source) => this.#changed(source),
      onRun: (advance) => this.#tell(CELL_RUN, { advance }),
      onMount: () => this.#bar?.withdraw(NO_EDITOR),
      onUnavailable: () => this.#bar?.notify(NO_EDITOR),
    });
    this.#code = code;
    this.#charts = new Charts(this);
    const starter = code.source;
    if (this.runnable) {
      this.#line = new RunLine(name, bytes, {
        run: () => this.#tell(CELL_RUN, { advance: false }),
        stop: () => this.#tell(CELL_STOP),
        intent: () => this.#want(),
      });
      box.after(this.#line.element);
      this.#output = new OutputView(/** @type {HTMLElement} */ (this.querySelector("[data-output]")));
      const onLost = () => this.#bar?.notify("This browser does not save the page's edits: they last until you leave it.");
      this.#edits = new Edits(progress, { name, hash, starter, onLost });
      addEventListener("pagehide", () => this.#edits?.flush());
      if (this.#edits.source !== starter) code.restore(this.#edits.source);
    }
    this.#bar = new CellBar(bar, { name, code, starter, edits: this.#edits, say: (text) => this.#line?.say(text) });
    this.#show();
  }

  /** @type {Edits | null} */
  #edits = null;

  get state() {
    return this.#state;
  }

  set state(state) {
    this.#state = state;
    this.dataset.state = state;
    // A restart takes the variables, not the truth of a picture: the code that stands there did draw it.
    if (state !== "queued" && state !== "running") this.#figures.mark(this.stale === "edited" || this.stale === "above");
    this.#show();
  }

  get first() {
    return this.#first;
  }

  set first(cells) {
    this.#first = cells;
    this.#show();
  }

  /** @param {Restored | null} restored */
  set restored(restored) {
    const actions = {
      choose: (/** @type {boolean} */ on) => this.#tell(CELL_RESTORE, on),
      visit: (/** @type {string} */ cell) => this.#tell(CELL_VISIT, cell),
    };
    this.#output?.note(restored && restoredElement(restored, actions));
  }

  get runtime() {
    return this.#runtime;
  }

  set runtime(status) {
    this.#runtime = status;
    if (status.state === "ready" || status.state === "failed") this.#wanted = false;
    this.#show();
  }

  /** The lesson works offline. @param {boolean} kept */
  set kept(kept) {
    this.#kept = kept;
    this.#show();
  }

  begin() {
    this.toggleAttribute("data-ran", true);
    this.#code?.mark(null);
    this.#output?.begin();
    this.#figures.begin();
    this.#charts?.begin();
  }

  /** @param {Output} output */
  receive(output) {
    if (output.type === "display" && output.mime === ATTENTION_MIME) this.#figures.show(output.data, output.buffers);
    else if (output.type === "display" && output.mime === CHART_MIME) this.#charts?.show(output.key ?? "", output.data);
    else this.#output?.receive(output);
  }

  /** @param {string} prompt */
  ask(prompt) {
    return this.#output?.ask(prompt, this.name) ?? Promise.resolve("");
  }

  /** @param {Done} done */
  settle(done) {
    this.#done = done;
    if (done.ok) {
      this.#figures.settle();
      this.#charts?.settle();
    }
    this.#code?.mark(done.error?.line ?? null);
    this.#output?.settle(
      done.error &&
        faultElement(done.error, {
          goTo: (line) => void this.#code?.goTo(line),
          retry: () => this.#tell(CELL_RUN, { advance: false }),
          visit: (cell) => this.#tell(CELL_VISIT, cell),
        }),
    );
  }

  /** Takes the focus, and comes into view. */
  enter() {
    this.#code?.focus();
  }

  /** @param {string} source */
  #changed(source) {
    this.#edits?.changed(source);
    this.#bar?.update();
    this.#tell(CELL_EDIT);
  }

  #want() {
    // Progress belongs to the cell whose Run was wanted first.
    const { state } = this.#runtime;
    this.#wanted ||= state === "idle" || state === "failed";
    this.#tell(CELL_INTENT);
  }

  #show() {
    this.#line?.update({
      state: this.#state,
      runtime: this.#runtime,
      stale: this.stale,
      first: this.#first,
      done: this.#done,
      silent: (this.#output?.silent ?? true) && this.#figures.fed === 0 && !this.#charts?.fed,
      wanted: this.#wanted,
      kept: this.#kept,
    });
  }

  /** @param {string} type @param {unknown} [detail] */
  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { bubbles: true, detail }));
  }
}
