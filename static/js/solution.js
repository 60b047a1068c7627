/**
 * The solution of an exercise: shown on a deliberate click, put into the editor on another. The student's own version
 * is kept until they ask for it.
 *
 *     closed ──Show, after an attempt──────────────▶ open
 *            ──Show, before──▶ asked ──Show it──▶ open
 *
 * @typedef {import("./codebox.js").CodeBox} CodeBox
 * @typedef {import("./work.js").Work} Work
 */

import { h } from "./dom.js";

export class Solution {
  #name;
  #starter;
  #work;
  #code;
  #symbols;
  #show;
  #label = h("span", { class: "label" });
  #asked = h("div", { class: "solution-asked", role: "group", hidden: true });
  #shown = h("div", { class: "solution-shown", hidden: true });
  #take = h("button", { type: "button", "data-action": "take-over" }, "Put it into the editor");
  #back = h("button", { type: "button", "data-action": "bring-back" }, "Put my version back");
  #kept = h("p", {}, "Your version is kept.");
  source;
  element;

  /**
   * @param {object} parts
   * @param {string} parts.name
   * @param {string} parts.source
   * @param {string} parts.starter
   * @param {Work} parts.work
   * @param {CodeBox} parts.code
   * @param {ReadonlyMap<string, string>} parts.symbols
   */
  constructor({ name, source, starter, work, code, symbols }) {
    this.#name = name;
    this.source = source;
    this.#starter = starter;
    this.#work = work;
    this.#code = code;
    this.#symbols = symbols;
    this.#show = h(
      "button",
      { type: "button", class: "help-summary", "data-action": "solution", "aria-expanded": "false" },
      this.#label,
      h("span", { class: "visually-hidden" }, ` of ${name}`),
    );
    this.#show.addEventListener("click", () => this.#toggle());
    this.#ask();
    this.#take.addEventListener("click", () => void this.#takeOver());
    this.#back.addEventListener("click", () => void this.#bringBack());
    this.element = h("div", { class: "solution" }, this.#show, this.#asked, this.#shown);
    this.update();
  }

  /** Something was tried, taken over or brought back. */
  update() {
    const open = !this.#shown.hidden;
    this.#label.textContent = open ? "Hide the solution" : "Show the solution";
    this.#show.setAttribute("aria-expanded", String(open || !this.#asked.hidden));
    if (this.#work.earned && !this.#asked.hidden) this.#asked.hidden = true;
    const kept = this.#work.mine !== null;
    this.#kept.hidden = this.#back.hidden = !kept;
    this.#take.hidden = kept;
  }

  #ask() {
    const yes = h("button", { type: "button", "data-action": "give-up" }, "Show it anyway");
    const no = h("button", { type: "button", "data-action": "try-first" }, "I’ll try first");
    const question = h("p", { id: `give-up-${this.#name}` }, "You have not checked an answer of yours yet. One try teaches more than this will.");
    this.#asked.setAttribute("aria-labelledby", question.id);
    this.#asked.append(question, h("div", { class: "solution-actions" }, no, yes));
    yes.addEventListener("click", () => void this.#open());
    no.addEventListener("click", () => {
      this.#asked.hidden = true;
      this.update();
      this.#code.focus();
    });
  }

  #toggle() {
    if (!this.#shown.hidden) {
      this.#shown.hidden = true;
      this.update();
    } else if (this.#work.earned) {
      void this.#open();
    } else {
      this.#asked.hidden = !this.#asked.hidden;
      this.update();
      if (!this.#asked.hidden) this.#asked.querySelector("button")?.focus();
    }
  }

  async #open() {
    const code = await coloured(this.source, this.#symbols);
    const pre = h("pre", { class: "code", tabindex: "0", role: "group", "aria-label": `Solution of ${this.#name}` }, code);
    this.#shown.replaceChildren(pre, h("div", { class: "solution-actions" }, this.#take, this.#kept, this.#back));
    this.#asked.hidden = true;
    this.#shown.hidden = false;
    this.update();
    this.#show.focus();
  }

  async #takeOver() {
    const mine = this.#code.source;
    await this.#code.replace(this.source);
    // Neither the starter nor the solution itself is lost by being replaced.
    this.#work.mine = mine === this.#starter || mine === this.source ? null : mine;
    this.update();
    if (this.#back.hidden) this.#show.focus();
    else this.#back.focus();
  }

  async #bringBack() {
    if (this.#work.mine === null) return;
    await this.#code.replace(this.#work.mine);
    this.#work.mine = null;
    this.update();
    this.#take.focus();
  }
}

/** @returns {Promise<HTMLElement>} @param {string} source @param {ReadonlyMap<string, string>} symbols */
async function coloured(source, symbols) {
  const code = h("code");
  try {
    const { highlighted } = await import("./editor.js");
    code.append(...highlighted(source, symbols));
  } catch {
    code.textContent = source;
  }
  return code;
}
