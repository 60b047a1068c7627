/**
 * The code of a cell: highlighted text that becomes an editor when the student wants to type, at the same size and in
 * the same place. Owns line numbers and the mark on a failing line, which both forms share.
 *
 *     static ──click, Enter──────────────▶ editor, caret where the reader pointed
 *            ──Tab, and a short rest────▶ editor that Tab still passes through, until Enter, a click or typing
 *
 * @typedef {import("./editor.js").Editor} Editor
 *
 * @typedef {object} CodeBoxOptions
 * @property {string} name
 * @property {boolean} editable
 * @property {boolean} checks                     what is run is a check
 * @property {ReadonlyMap<string, string>} symbols
 * @property {(source: string) => void} onChange
 * @property {(advance: boolean) => void} onRun
 * @property {() => void} onMount                 the editor stands
 * @property {() => void} onUnavailable           the editor could not be loaded
 */

import { h } from "./dom.js";

/** How long (ms) the focus must rest on the code before the editor is loaded: tabbing through costs nothing. */
const REST = 350;

const KEYS = { run: "Shift+Enter runs and goes on, Control+Enter runs", check: "Control+Enter checks your answer" };

export class CodeBox {
  #box;
  #pre;
  #code;
  #gutter = h("div", { class: "cell-lines", "aria-hidden": "true" });
  #options;
  /** @type {Editor | null} */
  #editor = null;
  /** @type {Promise<void> | null} */
  #mounting = null;

  /** @param {HTMLElement} box  holds `<pre class="code"><code>` @param {CodeBoxOptions} options */
  constructor(box, options) {
    this.#box = box;
    this.#options = options;
    this.#pre = /** @type {HTMLElement} */ (box.querySelector("pre"));
    this.#code = /** @type {HTMLElement} */ (box.querySelector("code"));
    box.prepend(this.#gutter);
    this.#number();
    if (!options.editable) return;
    this.#pre.setAttribute("role", "group");
    this.#pre.setAttribute("aria-label", `Code of ${options.name}`);
    this.#pre.setAttribute("aria-describedby", this.#keys("static", "Enter edits, ", "."));
    this.#pre.addEventListener("click", (event) => this.#clicked(event));
    this.#pre.addEventListener("keydown", (event) => this.#pressed(event));
    this.#pre.addEventListener("focus", () => this.#rested());
  }

  /** @returns {string} the code as it stands */
  get source() {
    return this.#editor?.source ?? this.#code.textContent ?? "";
  }

  /** Shows a restored edit. Uncoloured, until the editor takes over when the cell comes into view. @param {string} source */
  restore(source) {
    this.#code.textContent = source;
    this.#number();
    const seen = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      seen.disconnect();
      void this.mount();
    });
    seen.observe(this.#box);
  }

  /** Replaces the text, undoably. @param {string} source */
  async replace(source) {
    await this.mount();
    if (this.#editor) this.#editor.replace(source);
    else this.#code.textContent = source;
    this.#number();
  }

  /** @param {number | null} line  1-based; null takes the mark away */
  mark(line) {
    const valid = line !== null && line >= 1 && line <= this.source.split("\n").length;
    if (valid) this.#box.dataset.faultLine = String(line);
    else delete this.#box.dataset.faultLine;
    this.#box.style.setProperty("--fault-line", valid ? String(line) : "");
  }

  /** Puts the caret at the start of a line. @param {number} line */
  async goTo(line) {
    const offset = this.source.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    await this.mount({ offset, focus: true });
  }

  /** Takes the focus without loading anything. */
  focus() {
    if (this.#editor) this.#editor.focus({ passing: true });
    else this.#pre.focus({ preventScroll: true });
    this.#box.scrollIntoView({ block: "nearest" });
  }

  /**
   * Turns the text into an editor; once is enough.
   *
   * @param {{offset?: number | null, focus?: boolean, passing?: boolean}} [how]
   */
  async mount({ offset = null, focus = false, passing = false } = {}) {
    this.#mounting ??= this.#load();
    await this.#mounting;
    const editor = this.#editor;
    if (!editor) return;
    if (offset !== null) editor.select(offset);
    if (focus) editor.focus({ passing });
  }

  async #load() {
    const { name, symbols, onRun, onMount, onUnavailable } = this.#options;
    try {
      const { Editor } = await import("./editor.js");
      const holder = h("div", { class: "cell-editor code" });
      const focused = document.activeElement === this.#pre;
      const { scrollLeft } = this.#pre;
      this.#box.append(holder);
      this.#editor = new Editor(holder, {
        doc: this.source,
        label: `Code of ${name}`,
        describedBy: this.#keys("editor", "Tab indents. Escape and then Tab leaves. ", ", Control+/ comments."),
        symbols,
        onChange: (source) => this.#changed(source),
        onRun,
      });
      this.#pre.hidden = true;
      this.#gutter.hidden = true;
      this.#editor.scrollTo(scrollLeft);
      if (focused) this.#editor.focus({ passing: true });
      onMount();
    } catch {
      this.#mounting = null;
      onUnavailable();
    }
  }

  /** @returns {string} the id of what tells the keys @param {string} form @param {string} before @param {string} after */
  #keys(form, before, after) {
    const use = this.#options.checks ? "check" : "run";
    return help(`keys-${form}-${use}`, `${before}${KEYS[use]}${after}`);
  }

  /** @param {string} source */
  #changed(source) {
    this.mark(null);
    this.#options.onChange(source);
  }

  /** @param {MouseEvent} event */
  #clicked(event) {
    // A reader who has just selected something wants to copy it, not to edit.
    if (!getSelection()?.isCollapsed) return;
    void this.mount({ offset: offsetAt(this.#code, event.clientX, event.clientY), focus: true });
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    if (event.key !== "Enter" || event.altKey || event.isComposing) return;
    event.preventDefault();
    if (event.shiftKey) this.#options.onRun(true);
    else if (event.ctrlKey || event.metaKey) this.#options.onRun(false);
    else void this.mount({ focus: true });
  }

  #rested() {
    if (!this.#pre.matches(":focus-visible")) return;
    setTimeout(() => {
      if (document.activeElement === this.#pre) void this.mount({ offset: 0, focus: true, passing: true });
    }, REST);
  }

  #number() {
    const lines = (this.#code.textContent ?? "").split("\n").length;
    this.#gutter.textContent = Array.from({ length: lines }, (_, i) => i + 1).join("\n");
  }
}

/**
 * @param {HTMLElement} root @param {number} x @param {number} y
 * @returns {number | null} the offset in the text of `root` nearest to a point of the window
 */
function offsetAt(root, x, y) {
  const position = document.caretPositionFromPoint?.(x, y);
  const range = position ? null : document.caretRangeFromPoint?.(x, y);
  const node = position?.offsetNode ?? range?.startContainer;
  if (!node || !root.contains(node)) return null;
  const before = document.createRange();
  before.selectNodeContents(root);
  before.setEnd(node, position?.offset ?? range?.startOffset ?? 0);
  return before.toString().length;
}

/** @returns {string} the id of a hidden text, one for all cells @param {string} id @param {string} text */
function help(id, text) {
  if (!document.getElementById(id)) document.body.append(h("p", { id, hidden: true }, text));
  return id;
}
