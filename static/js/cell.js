/**
 * `<code-cell>`: readable code with its recorded output, which `attach` makes editable and runnable. It decides
 * nothing about state: it tells the session what the student did, and shows what the session says.
 *
 * @typedef {import("./cells.js").CellState} CellState
 * @typedef {import("./cells.js").Task} Task
 * @typedef {import("./cells.js").Judged} Judged
 * @typedef {import("./exercise.js").Exercise} Exercise
 * @typedef {import("./graph.js").Stale} Stale
 * @typedef {import("./restore.js").Restored} Restored
 * @typedef {import("./runtime.js").Status} Status
 * @typedef {import("./runtime.js").Output} Output
 * @typedef {import("./protocol.js").Done} Done
 *
 * @typedef {object} CellContext
 * @property {import("./lesson-data.js").CellData} data
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
import { RunLine } from "./runline.js";
import { CELL_CHECK, CELL_EDIT, CELL_INTENT, CELL_RESTORE, CELL_RUN, CELL_STOP, CELL_VISIT } from "./session.js";
import { Work } from "./work.js";

/** The event of an exercise that was solved. */
export const CELL_SOLVED = "cell-solved";

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
  /** The latest Done is that of a check. */
  #judged = false;
  #wanted = false;
  #kept = false;
  /** What an exercise has more. @type {{task: Omit<Task, "answer">, work: Work, load: () => Promise<void>, view: Exercise | null} | null} */
  #more = null;
  /** @type {readonly string[]} */
  #first = [];
  /** @type {Stale | null} */
  stale = null;
  /** @type {Restored | null} */
  #restored = null;

  get name() {
    return this.getAttribute("name") ?? "";
  }

  get runnable() {
    return this.getAttribute("kind") !== "read";
  }

  get task() {
    return this.#more && { ...this.#more.task, answer: this.#more.work.answer };
  }

  get source() {
    return this.#code?.source ?? "";
  }

  /** Brings the cell to life. @param {CellContext} context */
  attach({ data, progress, symbols, bytes }) {
    const { name } = this;
    const { hash, exercise, fetches = 0 } = data;
    const checks = exercise !== undefined;
    const check = () => this.#tell(CELL_CHECK);
    const bar = /** @type {HTMLElement} */ (this.querySelector(".cell-bar"));
    const box = /** @type {HTMLElement} */ (this.querySelector(".cell-code"));
    const code = new CodeBox(box, {
      name,
      editable: this.runnable,
      checks,
      symbols,
      onChange: (source) => this.#changed(source),
      onRun: (advance) => (checks ? check() : this.#tell(CELL_RUN, { advance })),
      onMount: () => this.#bar?.withdraw(NO_EDITOR),
      onUnavailable: () => this.#bar?.notify(NO_EDITOR),
    });
    this.#code = code;
    this.#charts = new Charts(this);
    const starter = code.source;
    if (this.runnable) {
      this.#line = new RunLine(name, { bytes, fetches }, {
        run: () => this.#tell(CELL_RUN, { advance: false }),
        stop: () => this.#tell(CELL_STOP),
        intent: () => this.#want(),
        ...(checks && { check }),
      });
      box.after(this.#line.element);
      this.#output = new OutputView(/** @type {HTMLElement} */ (this.querySelector("[data-output]")));
      const onLost = () => this.#bar?.notify("This browser does not save the page's edits: they last until you leave it.");
      this.#edits = new Edits(progress, { name, hash, starter, onLost });
      addEventListener("pagehide", () => this.#edits?.flush());
      if (this.#edits.source !== starter) code.restore(this.#edits.source);
    }
    const say = (/** @type {string} */ text) => this.#line?.say(text);
    this.#bar = new CellBar(bar, { name, code, starter, edits: this.#edits, checks, say });
    if (exercise) this.#examine({ starter, ...exercise }, new Work(progress, { name, starter, hash: exercise.hash }), { code, symbols });
    this.#show();
  }

  /**
   * Makes the cell an exercise. Verdict, hints and solution are loaded when the reader comes near.
   *
   * @param {Omit<Task, "answer">} task @param {Work} work
   * @param {{code: CodeBox, symbols: ReadonlyMap<string, string>}} parts
   */
  #examine(task, work, parts) {
    const load = async () => {
      const { Exercise } = await import("./exercise.js");
      if (!this.#more || this.#more.view) return;
      this.#more.view = new Exercise(this, { name: this.name, task, work, ...parts });
      this.#show();
    };
    const more = (this.#more = { task, work, load, view: null });
    const near = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        near.disconnect();
        more.load().catch(() => {}); // tried again when there is a verdict to show
      },
      { rootMargin: "100% 0px" },
    );
    near.observe(this);
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
    if (state !== "queued" && state !== "running") {
      const old = this.stale === "edited" || this.stale === "above";
      this.#figures.mark(old);
      this.#charts?.mark(old);
    }
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
    this.#restored = restored;
    void this.#tellRestored().catch(() => {}); // a word less
  }

  /** Only who has pressed Stop loads what draws this. By then there may be newer to tell. */
  async #tellRestored() {
    const { restoredElement } = await import("./restored.js");
    const actions = {
      choose: (/** @type {boolean} */ on) => this.#tell(CELL_RESTORE, on),
      visit: (/** @type {string} */ cell) => this.#tell(CELL_VISIT, cell),
    };
    this.#output?.note(this.#restored && restoredElement(this.#restored, actions));
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

  /** @param {Done} done @param {Judged} judged */
  judge(done, judged) {
    const more = this.#more;
    if (!more) return;
    more.work.judged(done, judged.source);
    this.#judged = true;
    const { error } = done;
    this.#settle(done, error?.kind === "check" || error?.kind === "BrokenCheck" ? null : error);
    more
      .load()
      .then(() => more.view?.judge(done, judged))
      .catch(() => this.#verdictInWords(error))
      .finally(() => this.#show());
    if (done.ok) this.#tell(CELL_SOLVED);
  }

  /** A verdict that cannot be drawn can still be said. @param {import("./protocol.js").CellError | null} error */
  #verdictInWords(error) {
    this.querySelector("[data-feedback]")?.replaceChildren(error ? error.message : "That’s right.");
  }

  /** @param {Output} output */
  receive(output) {
    if (output.type === "display" && output.mime === ATTENTION_MIME) this.#figures.show(output.data, output.buffers);
    else if (output.type === "display" && output.mime === CHART_MIME) this.#charts?.show(output.key ?? "", output.data);
    else if (output.type === "fetching") this.#line?.fetching(output.loaded, output.total);
    else this.#output?.receive(output);
  }

  /** @param {string} prompt */
  ask(prompt) {
    return this.#output?.ask(prompt, this.name) ?? Promise.resolve("");
  }

  /** @param {Done} done */
  settle(done) {
    this.#judged = false;
    this.#settle(done, done.error);
  }

  /** @param {Done} done @param {import("./protocol.js").CellError | null} fault  what the cell itself shows of it */
  #settle(done, fault) {
    this.#done = done;
    if (done.ok) {
      this.#figures.settle();
      this.#charts?.settle();
    }
    this.#code?.mark(done.error?.line ?? null);
    this.#output?.settle(
      fault &&
        faultElement(fault, {
          goTo: (line) => void this.#code?.goTo(line),
          retry: () => this.#tell(this.#judged ? CELL_CHECK : CELL_RUN, { advance: false }),
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
      judged: this.#judged,
      silent: (this.#output?.silent ?? true) && this.#figures.fed === 0 && !this.#charts?.fed,
      wanted: this.#wanted,
      kept: this.#kept,
    });
    this.#more?.view?.update(this.stale);
  }

  /** @param {string} type @param {unknown} [detail] */
  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { bubbles: true, detail }));
  }
}
