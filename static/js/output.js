/**
 * Shows what a cell says: streams, values and how it ended. Everything goes in as text. Messages are drawn once per
 * frame, so that a talkative program cannot freeze the page.
 *
 * @typedef {import("./protocol.js").Stream | import("./protocol.js").Display} Output
 */

import { h } from "./dom.js";
import { TEXT_MIME } from "./protocol.js";
import { Question } from "./question.js";
import { StreamView } from "./stream-view.js";
import { count } from "./words.js";

/** Lines of a flood that are drawn in one frame: a click does not wait for more than these. */
const PER_FRAME = 500;

/** Elements of one run that stand at a time, give or take one stream's notice; the oldest go first. */
const MOST_PARTS = 500;

export class OutputView {
  #container;
  /** @type {Output[]} */
  #pending = [];
  /** @type {StreamView | null} the stream that the next text of its name is merged into */
  #stream = null;
  /** @type {Set<StreamView>} those that have text which is not drawn yet */
  #behind = new Set();
  #frame = 0;
  #old = false;
  #gone = 0;
  #notice = h("p", { class: "output-notice" });
  /** Of the container, in CSS pixels, as last laid out. */
  #height = 0;
  /** True while the latest run has shown nothing. */
  silent = true;

  /** @param {HTMLElement} container */
  constructor(container) {
    this.#container = container;
    new ResizeObserver((entries) => {
      this.#height = entries.at(-1)?.borderBoxSize[0]?.blockSize ?? this.#height;
      this.#reach();
    }).observe(container);
  }

  /** A run starts: what stands is old, and goes when there is something new. */
  begin() {
    this.#pending = [];
    this.#stream = null;
    this.#behind.clear();
    this.silent = true;
    this.#old = true;
    this.#container.toggleAttribute("data-old", true);
    // Holds the page still between the old output's going and the new one's arrival.
    this.#container.style.minHeight = `${this.#height}px`;
  }

  /** @param {Output} output */
  receive(output) {
    this.#pending.push(output);
    this.#frame ||= requestAnimationFrame(() => this.#draw(PER_FRAME));
  }

  /** @returns {Promise<string>} the student's answer, in a field of its own @param {string} prompt @param {string} cell */
  ask(prompt, cell) {
    this.#draw();
    this.#clearOld();
    this.silent = false;
    const question = new Question(prompt, cell);
    this.#container.append(question.element);
    // Not if the student has gone elsewhere in the meantime.
    const { activeElement } = document;
    const near = activeElement === document.body || this.#container.closest("code-cell")?.contains(activeElement);
    if (near) question.element.querySelector("input")?.focus();
    return question.answer;
  }

  /** The run has ended. @param {HTMLElement | null} fault  what went wrong, drawn */
  settle(fault) {
    // A hidden tab gets no frames, but its run may well end.
    this.#draw();
    this.#clearOld();
    // A run that never began leaves the output before it, and at most one word on why.
    for (const earlier of this.#container.querySelectorAll(":scope > :is(.fault, .question)")) earlier.remove();
    if (fault) this.#container.append(fault);
    this.#container.style.minHeight = "";
    requestAnimationFrame(() => this.#reach());
  }

  /** A word on what was done about how the run ended; replaces the one before. @param {HTMLElement | null} element */
  note(element) {
    this.#container.querySelector(":scope > .restored")?.remove();
    // Once the cell runs again, the old run's story is over.
    if (element && !this.#old) this.#container.append(element);
  }

  /** @param {number} [most]  lines of each stream */
  #draw(most = Infinity) {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    const outputs = this.#pending;
    this.#pending = [];
    if (!outputs.length && !this.#behind.size) return;
    this.#clearOld();
    this.silent = false;
    for (const output of outputs) {
      if (output.type === "display") {
        this.#stream = null;
        this.#container.append(valueElement(output.mime, output.data));
        continue;
      }
      if (this.#stream?.name !== output.name) {
        this.#stream = new StreamView(output.name);
        this.#container.append(...this.#stream.elements);
      }
      this.#stream.append(output.text);
      this.#behind.add(this.#stream);
    }
    this.#trim();
    for (const stream of this.#behind) if (stream.render(most)) this.#behind.delete(stream);
    if (this.#behind.size) this.#frame = requestAnimationFrame(() => this.#draw(PER_FRAME));
  }

  /** Streams that take turns make an element each time; a page with ten thousand is slow for good. */
  #trim() {
    const parts = this.#container.querySelectorAll(":scope > pre");
    const surplus = [...parts].slice(0, Math.max(0, parts.length - MOST_PARTS));
    if (!surplus.length) return;
    for (const part of surplus) {
      if (part.matches(".stream")) part.previousElementSibling?.remove(); // how many of its lines are missing
      part.remove();
    }
    this.#gone += surplus.length;
    this.#notice.textContent = `${count(this.#gone, "earlier output")} not shown`;
    this.#container.prepend(this.#notice);
  }

  /**
   * What scrolls must be reachable by keyboard; what does not is no tab stop. Asked only when the browser lays out the
   * page anyway: to settle a long page for each cell that ends would keep its reader waiting.
   */
  #reach() {
    for (const pre of this.#container.querySelectorAll("pre")) {
      if (pre.scrollWidth > pre.clientWidth) pre.tabIndex = 0;
      else pre.removeAttribute("tabindex");
    }
  }

  #clearOld() {
    if (!this.#old) return;
    this.#old = false;
    this.#container.removeAttribute("data-old");
    this.#container.replaceChildren();
    this.#gone = 0;
  }
}

/** The one table of MIME types that are shown as text. @param {string} mime @param {unknown} data */
function valueElement(mime, data) {
  if (mime === TEXT_MIME) return h("pre", { class: "value", tabindex: "0" }, String(data));
  return h("p", { class: "output-notice" }, `An output of type ${mime} cannot be shown here.`);
}
