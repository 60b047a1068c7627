/**
 * The student's version of one cell: restored, saved a moment after each change, and kept apart when the lesson's own
 * code has changed underneath, until the student decides.
 *
 * @typedef {import("./progress.js").Progress} Progress
 * @typedef {import("./progress.js").Saved} Saved
 * @typedef {import("./progress.js").Edit} Edit
 */

/** Quiet time (ms) after a keystroke before it is written. */
const DELAY = 300;

export class Edits {
  #progress;
  #name;
  #hash;
  #starter;
  #onLost;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** @type {string | null} a change not written yet */
  #unsaved = null;
  /** @type {Edit | null} an edit of an earlier version of the lesson's code */
  older = null;
  /** What the cell shows first. */
  source;

  /**
   * @param {Progress} progress
   * @param {object} cell
   * @param {string} cell.name
   * @param {string} cell.starter        the lesson's own code
   * @param {string} cell.hash           that of the starter
   * @param {() => void} [cell.onLost]   an edit could not be stored; called once per page, for the first
   */
  constructor(progress, { name, hash, starter, onLost = () => {} }) {
    this.#progress = progress;
    this.#name = name;
    this.#hash = hash;
    this.#starter = starter;
    this.#onLost = onLost;
    const saved = progress.load(name);
    this.source = saved?.starter === hash ? saved.source : starter;
    if (saved && saved.starter !== hash) this.older = { source: saved.source, starter: saved.starter };
    else this.older = saved?.older ?? null;
    // An edit that the lesson has since adopted word for word needs no decision.
    if (this.older?.source === starter) this.older = null;
  }

  /** @param {string} source */
  changed(source) {
    this.#unsaved = source;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.flush(), DELAY);
  }

  /** Writes what is not written yet; to be called when the page may go. */
  flush() {
    clearTimeout(this.#timer);
    if (this.#unsaved === null) return;
    const source = this.#unsaved;
    this.#unsaved = null;
    this.#write(source);
  }

  /**
   * Settles which version stands when the lesson has changed.
   *
   * @param {"mine" | "lesson"} choice
   * @returns {string} the source to show
   */
  decide(choice) {
    const source = choice === "mine" && this.older ? this.older.source : this.#starter;
    this.older = null;
    this.#unsaved = null;
    clearTimeout(this.#timer);
    this.#write(source);
    return source;
  }

  /** @param {string} source */
  #write(source) {
    if (source === this.#starter && !this.older) {
      this.#progress.forget(this.#name);
      return;
    }
    const older = this.older ? { older: this.older } : {};
    const { lasting } = this.#progress;
    if (!this.#progress.save(this.#name, { source, starter: this.#hash, ...older }) && lasting) this.#onLost();
  }
}
