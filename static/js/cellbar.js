/**
 * The line above a cell's code: Copy, Reset and its undoing, and what the student must know about their own version
 * (the lesson's code has changed; edits cannot be saved).
 *
 * @typedef {import("./codebox.js").CodeBox} CodeBox
 * @typedef {import("./edits.js").Edits} Edits
 */

import { button, h } from "./dom.js";

/** How long (ms) a button says that it has done its work. */
const THANKS = 1_600;

export class CellBar {
  #name;
  #code;
  #starter;
  #edits;
  #say;
  #reset;
  #restore;
  #copy;
  #notice = h("div", { class: "cell-notice", hidden: true });
  /** @type {string | null} what Reset has just replaced, until the next edit */
  #discarded = null;

  /**
   * @param {HTMLElement} bar
   * @param {object} cell
   * @param {string} cell.name
   * @param {CodeBox} cell.code
   * @param {string} cell.starter          the lesson's own code
   * @param {Edits | null} cell.edits      null: not editable
   * @param {boolean} cell.checks          what is run is a check
   * @param {(text: string) => void} cell.say   tells screen readers
   */
  constructor(bar, { name, code, starter, edits, checks, say }) {
    this.#name = name;
    this.#code = code;
    this.#starter = starter;
    this.#edits = edits;
    this.#say = say;
    this.#reset = button("reset", "reset", "Reset", `${name} to the lesson's code`);
    this.#restore = button("restore", "reset", "Undo reset", `of ${name}`);
    this.#copy = button("copy", "copy", "Copy", `the code of ${name}`);
    this.#reset.addEventListener("click", () => void this.#replaceByStarter());
    this.#restore.addEventListener("click", () => void this.#bringBack());
    this.#copy.addEventListener("click", () => void this.#copyCode());
    // Seen while the editor has the focus; screen readers have it in the editor's description.
    const run = checks ? "Ctrl+Enter checks" : "Shift+Enter runs";
    const keys = h("span", { class: "cell-keys", "aria-hidden": "true" }, `${run} · Esc, then Tab leaves`);
    bar.append(keys, h("div", { class: "cell-tools" }, this.#reset, this.#restore, this.#copy));
    bar.after(this.#notice);
    if (edits?.older) this.#offerOlder(edits);
    this.update();
  }

  /** The code has changed: shows Reset or its undoing. */
  update() {
    const { source } = this.#code;
    const pristine = source === this.#starter;
    if (!pristine) this.#discarded = null;
    this.#reset.hidden = pristine || this.#edits === null;
    this.#restore.hidden = this.#discarded === null;
  }

  /** Shows a sentence above the code, and says it. @param {string} text @param {HTMLElement[]} choices */
  notify(text, ...choices) {
    this.#notice.replaceChildren(h("p", {}, text), h("div", { class: "choices" }, ...choices));
    this.#notice.hidden = false;
    this.#say(text);
  }

  /** Takes a sentence back that is true no more; a choice that it had covered is offered again. @param {string} text */
  withdraw(text) {
    if (this.#notice.hidden || this.#notice.querySelector("p")?.textContent !== text) return;
    this.#notice.hidden = true;
    if (this.#edits?.older) this.#offerOlder(this.#edits);
  }

  async #replaceByStarter() {
    const mine = this.#code.source;
    await this.#code.replace(this.#starter);
    this.#discarded = mine;
    this.update();
    this.#restore.focus();
    this.#say(`${this.#name}: the lesson's code is back`);
  }

  async #bringBack() {
    const mine = this.#discarded;
    if (mine === null) return;
    await this.#code.replace(mine);
    this.#reset.focus();
    this.#say(`${this.#name}: your version is back`);
  }

  async #copyCode() {
    const copied = await copyText(this.#code.source);
    const label = this.#copy.querySelector(".label");
    if (!label) return;
    label.textContent = copied ? "Copied" : "Not copied";
    this.#say(copied ? "Copied" : "The browser did not allow copying");
    setTimeout(() => (label.textContent = "Copy"), THANKS);
  }

  /** @param {Edits} edits */
  #offerOlder(edits) {
    const mine = button("use-mine", "reset", "Use mine");
    const lesson = button("use-lesson", "check", "Take the new code");
    const decide = (/** @type {"mine" | "lesson"} */ choice) => async () => {
      this.#notice.hidden = true;
      await this.#code.replace(edits.decide(choice));
      this.update();
      (this.#reset.hidden ? this.#copy : this.#reset).focus();
    };
    mine.addEventListener("click", decide("mine"));
    lesson.addEventListener("click", decide("lesson"));
    this.notify("The lesson’s code has changed since your edit. Your version is kept.", mine, lesson);
  }
}

/** @returns {Promise<boolean>} @param {string} text */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Insecure origins have no clipboard object; the old command still works there after a click.
    const area = h("textarea", { class: "visually-hidden", readonly: true });
    area.value = text;
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    return copied;
  }
}
