/**
 * What an exercise has beyond a cell: the verdict on an answer, hints that open one by one, the solution behind a
 * deliberate click. Loaded when the reader comes near.
 *
 * @typedef {import("./cells.js").Judged} Judged
 * @typedef {import("./cells.js").Task} Task
 * @typedef {import("./protocol.js").Done} Done
 * @typedef {import("./work.js").Work} Work
 * @typedef {import("./codebox.js").CodeBox} CodeBox
 */

import { h, icon } from "./dom.js";
import { Solution } from "./solution.js";
import { verdictElement } from "./verdict.js";

export class Exercise {
  #work;
  #code;
  #region;
  #mark = h("span", { class: "exercise-mark", hidden: true });
  #solution;
  /** @type {string | null} the code that the region speaks of */
  #spokenOf = null;

  /**
   * @param {HTMLElement} cell
   * @param {object} parts
   * @param {string} parts.name
   * @param {Omit<Task, "answer">} parts.task
   * @param {Work} parts.work
   * @param {CodeBox} parts.code
   * @param {ReadonlyMap<string, string>} parts.symbols
   */
  constructor(cell, { name, task, work, code, symbols }) {
    this.#work = work;
    this.#code = code;
    this.#region = /** @type {HTMLElement} */ (cell.querySelector("[data-feedback]"));
    cell.querySelector(".cell-name")?.after(this.#mark);
    for (const hint of cell.querySelectorAll("details.hint")) {
      // A hint that was open once stays known, so the next one stays in sight.
      hint.addEventListener("toggle", () => hint.toggleAttribute("data-known", true), { once: true });
    }
    this.#solution = new Solution({ name, source: task.solution, starter: task.starter, work, code, symbols });
    cell.querySelector(".exercise-help")?.append(this.#solution.element);
  }

  /** @param {Done} done @param {Judged} judged */
  judge(done, judged) {
    const solution = judged.source === this.#solution.source;
    const verdict = verdictElement(done.error, { ...judged, attempts: this.#work.attempts, solution });
    this.#spokenOf = judged.source;
    this.#region.dataset.verdict = verdict.kind;
    this.#region.replaceChildren(...verdict.elements);
    this.#solution.update();
  }

  /** The code or what it depends on has changed. @param {import("./graph.js").Stale | null} stale */
  update(stale) {
    const { answer, outdated } = this.#work;
    const { source } = this.#code;
    const right = this.#region.dataset.verdict === "right";
    this.#region.toggleAttribute("data-old", right && (source !== this.#spokenOf || stale === "above"));
    this.#mark.hidden = answer === null;
    if (answer === null) return;
    const text = outdated
      ? "Solved before the exercise changed"
      : source !== answer
        ? "Solved with another version"
        : stale === "above"
          ? "Solved before a cell above changed"
          : "Solved";
    if (this.#mark.textContent !== text) this.#mark.replaceChildren(icon("check"), text);
    this.#mark.toggleAttribute("data-old", text !== "Solved");
  }
}
