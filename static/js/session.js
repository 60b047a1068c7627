/**
 * What happens on a lesson page: the student's wishes, one at a time, each with the cells that it needs first; what
 * follows from Stop and from a restart. Cells tell by bubbling events, which arrive here at the root.
 *
 * A cell that the student runs waits until the one before it has ended with all that it needed. So cells run in the
 * order of the clicks, even where the graph does not see that one needs the other.
 *
 * @typedef {import("./runtime.js").Runtime} Runtime
 * @typedef {import("./protocol.js").Done} Done
 * @typedef {import("./protocol.js").CellSource} CellSource
 * @typedef {import("./cells.js").CellView} CellView
 * @typedef {import("./cells.js").Record} Record
 * @typedef {{cell: Record, source: string, check: boolean, resolve: () => void}} Wish
 * @typedef {{cell: Record, needed: Record[], off: boolean}} Plan   of the wish being granted; off: taken back
 */

import { busy, Cells, open } from "./cells.js";
import { exam } from "./exam.js";
import { missing } from "./graph.js";
import { Outline } from "./outline.js";
import { blame, blameSetup, FOR_ALL, NOT_RUN, refusal, unchecked } from "./refusals.js";
import { Restorer } from "./restore.js";

/** The events of a cell. `detail` of RUN: `{advance: boolean}`; of VISIT: a cell's name; of RESTORE: a boolean. */
export const CELL_RUN = "cell-run";
export const CELL_CHECK = "cell-check";
export const CELL_STOP = "cell-stop";
export const CELL_INTENT = "cell-intent";
export const CELL_EDIT = "cell-edit";
export const CELL_VISIT = "cell-visit";
export const CELL_RESTORE = "cell-restore";

/** Who has not typed for so long (ms) may be about to press Run. */
const PAUSE = 250;

export class Session {
  #runtime;
  #setup;
  #outline;
  #cells;
  #restorer;
  /** @type {Wish[]} */
  #wishes = [];
  #working = false;
  /** @type {Plan | null} */
  #plan = null;
  /** @type {Record | null} the cell whose code runs now */
  #active = null;
  #onSuccess;
  /** Its code is an answer that is being checked. */
  #checking = false;
  /** The generation of Python that the hidden set-up has run in. */
  #prepared = -1;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #pause;

  /**
   * @param {object} options
   * @param {Runtime} options.runtime
   * @param {CellSource[]} options.setup                       hidden cells that run before any other
   * @param {EventTarget} options.root                         where the cells' events arrive
   * @param {boolean} [options.thrifty]                        Save-Data: fetch nothing before Run is pressed
   * @param {(view: CellView) => void} [options.onSuccess]     a cell has ended well
   * @param {import("./restore.js").Setting} [options.restore] whether variables are brought back after a restart
   */
  constructor({ runtime, setup, root, thrifty = false, onSuccess = () => {}, restore = { on: true } }) {
    this.#runtime = runtime;
    this.#setup = setup;
    this.#onSuccess = onSuccess;
    this.#outline = new Outline(runtime);
    this.#cells = new Cells(this.#outline);
    this.#restorer = new Restorer(restore, {
      cells: () => this.#cells.all,
      chances: (name) => this.#outline.chances(name),
      prepare: () => this.#prepare(),
      run: (cell, { source, answers }) => {
        const left = [...answers];
        return this.#runtime.run({ cell, source }, { ask: async () => left.shift() ?? "" });
      },
      ran: (name, good) => this.#cells.repeated(name, good),
    });
    const on = (/** @type {string} */ type, /** @type {(cell: CellView, detail: any) => void} */ act) =>
      root.addEventListener(type, (event) => act(/** @type {any} */ (event.target), /** @type {CustomEvent} */ (event).detail));
    on(CELL_RUN, (cell, detail) => {
      if (detail?.advance) this.#after(cell)?.enter();
      void this.run(cell);
    });
    on(CELL_CHECK, (cell) => void this.run(cell, { check: true }));
    on(CELL_STOP, (cell) => this.#stop(cell));
    on(CELL_EDIT, (cell) => {
      this.#cells.assess();
      clearTimeout(this.#pause);
      this.#pause = setTimeout(() => this.#foresee(cell), PAUSE);
    });
    on(CELL_VISIT, (_, name) => this.#cells.get(name)?.view.enter());
    on(CELL_RESTORE, (cell, wanted) => this.#restore(cell, wanted));
    on(CELL_INTENT, () => {
      if (!thrifty) this.#runtime.start();
    });
    runtime.addEventListener("state", () => {
      for (const { view } of this.#cells.all) view.runtime = runtime.status;
    });
    runtime.addEventListener("restart", () => this.#lose());
  }

  /** Cells are added in the order of the page. @param {CellView} view */
  add(view) {
    this.#cells.add(view);
    view.runtime = this.#runtime.status;
  }

  /**
   * Runs a cell, after all it needs. One that waits or runs is left alone.
   *
   * @param {CellView} view @param {{check?: boolean}} [how]   check: only once it has passed as an answer
   */
  async run(view, { check = false } = {}) {
    const cell = this.#cells.get(view.name);
    if (!cell || busy(cell)) return;
    this.#runtime.start(); // before anything is drawn
    this.#cells.set(cell, "queued");
    await new Promise((/** @type {(value: void) => void} */ resolve) => {
      this.#wishes.push({ cell, source: view.source, check, resolve });
      void this.#work();
    });
  }

  async #work() {
    if (this.#working) return;
    this.#working = true;
    try {
      for (;;) {
        if (this.#restorer.due) await this.#restorer.work();
        const wish = this.#restorer.due ? undefined : this.#wishes.shift();
        if (wish) await this.#grant(wish);
        else if (!this.#restorer.due) return;
      }
    } finally {
      this.#working = false;
    }
  }

  /** @param {Wish} wish */
  async #grant(wish) {
    const plan = (this.#plan = { cell: wish.cell, needed: /** @type {Record[]} */ ([]), off: false });
    const { error } = await this.#serve(wish, plan);
    this.#plan = null;
    wish.resolve();
    // What had waited when Stop was pressed has been refused already; what has come since is a new wish.
    if (error && error.kind !== "Stopped" && FOR_ALL.has(error.kind)) this.#refuseAll(error);
  }

  /** @returns {Promise<Done>} @param {Wish} wish @param {Plan} plan */
  async #serve(wish, plan) {
    const { cell, source } = wish;
    const verdict = wish.check ? await this.#examine(wish, plan) : null;
    if (verdict && !verdict.ok) return verdict;
    const unready = (await this.#prepare()) ?? (await this.#look(wish));
    if (plan.off) return refusal(NOT_RUN);
    if (unready) return this.#cells.refuse(cell, unready);
    const first = missing(cell.name, this.#cells.all, this.#outline.graph);
    const needed = (plan.needed = this.#cells.all.filter(({ name }) => first.includes(name)));
    for (const each of needed) if (!busy(each)) this.#cells.set(each, "queued");
    for (const [i, each] of needed.entries()) {
      cell.view.first = first.slice(i);
      const done = await this.#execute(each, each.source);
      this.#fulfil(each);
      if (plan.off) return refusal(NOT_RUN);
      if (done.ok) continue;
      cell.view.first = [];
      for (const rest of needed.slice(i + 1)) this.#unqueue(rest);
      return this.#cells.refuse(cell, blame(each.name, done));
    }
    cell.view.first = [];
    return this.#execute(cell, source);
  }

  /** Checks an answer; one that passes waits for its turn to run. @returns {Promise<Done>} @param {Wish} wish @param {Plan} plan */
  async #examine(wish, plan) {
    const { cell, source } = wish;
    const { task } = cell.view;
    const unready = task ? await this.#look(wish) : null;
    if (plan.off || !task) return refusal(NOT_RUN);
    if (unready) return this.#cells.refuse(cell, unready);
    const basis = this.#outline.basis(cell.name);
    const { request, judged } = exam(cell, task, source, { setup: this.#setup, cells: this.#cells.all, basis });
    this.#checking = true;
    const { began, done } = await this.#perform(cell, request);
    this.#checking = false;
    if (!began) return this.#cells.refuse(cell, done);
    const verdict = this.#cells.judged(cell, unchecked(done, this.#setup), judged);
    if (verdict.ok) this.#cells.set(cell, "queued");
    return verdict;
  }

  /** @param {Record} cell @param {string} source */
  async #execute(cell, source) {
    const { began, done, answers } = await this.#perform(cell, { cell: cell.name, source });
    if (!began) return this.#cells.refuse(cell, done);
    if (done.ok) this.#onSuccess(cell.view);
    return this.#cells.ran(cell, { source, answers }, done);
  }

  /** Runs code, and lets the cell show what it says. @param {Record} cell @param {Parameters<Runtime["run"]>[0]} request */
  async #perform(cell, request) {
    const { view } = cell;
    let began = false;
    /** @type {string[]} */
    const answers = [];
    const done = await this.#runtime.run(request, {
      begin: () => {
        began = true;
        this.#active = cell;
        this.#cells.set(cell, "running");
        view.begin();
      },
      emit: (output) => view.receive(output),
      ask: async (prompt) => {
        const text = await view.ask(prompt);
        answers.push(text);
        return text;
      },
    });
    this.#active = null;
    return { began, done, answers };
  }

  /** The student's wish to run a cell is settled: it has just run because another needed it, say. @param {Record} cell */
  #fulfil(cell) {
    for (const wish of this.#wishes.filter((each) => each.cell === cell)) {
      this.#wishes.splice(this.#wishes.indexOf(wish), 1);
      wish.resolve();
    }
  }

  /** @param {Record} cell */
  #unqueue(cell) {
    if (this.#wishes.some((wish) => wish.cell === cell)) return;
    this.#cells.release(cell);
  }

  /** @param {CellView} view  whose Stop was pressed */
  #stop(view) {
    const cell = this.#cells.get(view.name);
    // What runs unseen (the set-up, a cell that is repeated) has no Stop of its own; the cells that wait for it do.
    const unseen = !this.#active && this.#runtime.status.state === "running";
    if (cell?.state === "queued" && !unseen) {
      this.#takeBack(cell);
      return;
    }
    this.#refuseAll(NOT_RUN);
    this.#runtime.stop();
  }

  /** A cell that only waits does not run, nor does the one that needs it; what runs goes on. @param {Record} cell */
  #takeBack(cell) {
    this.#fulfil(cell);
    this.#cells.refuse(cell, refusal(NOT_RUN));
    const plan = this.#plan;
    if (!plan || plan.off || (plan.cell !== cell && !plan.needed.includes(cell))) return;
    plan.off = true;
    plan.cell.view.first = [];
    if (plan.cell !== cell) this.#cells.refuse(plan.cell, refusal(NOT_RUN));
    for (const each of plan.needed) if (each.state === "queued") this.#unqueue(each);
  }

  /** @param {import("./protocol.js").CellError} error */
  #refuseAll(error) {
    for (const { cell, resolve } of this.#wishes.splice(0)) {
      this.#cells.refuse(cell, refusal(error));
      resolve();
    }
  }

  /** Runs the hidden set-up, once per Python. @returns {Promise<Done | null>} the Done of one that failed */
  async #prepare() {
    if (this.#prepared === this.#runtime.generation) return null;
    for (const { name, source } of this.#setup) {
      const done = await this.#runtime.run({ cell: name, source });
      if (!done.ok) return blameSetup(done);
    }
    this.#prepared = this.#runtime.generation;
    return null;
  }

  /** Has an edited cell read before its Run is pressed, which then need not wait for it. @param {CellView} view */
  #foresee(view) {
    const cell = this.#cells.get(view.name);
    if (cell && !this.#working && this.#runtime.status.state === "ready") void this.#look({ cell, source: view.source });
  }

  /** @returns {Promise<Done | null>} @param {Pick<Wish, "cell" | "source">} wish  whose code may have been edited since Run was pressed */
  #look({ cell, source }) {
    const cells = this.#cells.all.map((each) => ({
      name: each.name,
      source: each === cell ? source : each.source,
      ...(each.view.task && { check: each.view.task.check }),
    }));
    const unanswered = this.#cells.all.filter(open).map(({ name }) => name);
    return this.#outline.read([...this.#setup, ...cells], cell.name, new Set(unanswered));
  }

  /** Python was restarted: by Stop, by the student's choice, or because it broke. */
  #lose() {
    // What had to be stopped is not repeated unasked, not even as it was before.
    if (this.#active && !this.#checking) this.#active.good = null;
    this.#restorer.lost(this.#active?.view ?? null);
    this.#active = null;
    this.#cells.lose();
    void this.#work();
  }

  /** @param {CellView} cell @param {boolean} wanted */
  #restore(cell, wanted) {
    this.#restorer.choose(wanted, cell);
    if (wanted) void this.#work();
    // To a student who says so after the fact, it means: give me a Python without them. But not while it is at work.
    else if (!this.#active && this.#wishes.length === 0) this.#runtime.restart();
  }

  /** @param {CellView} cell */
  #after(cell) {
    const views = this.#cells.all.map(({ view }) => view);
    return views[views.indexOf(cell) + 1];
  }
}
