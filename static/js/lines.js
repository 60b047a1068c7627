/**
 * The text of one stream as a terminal would show it: lines, with "\r" going back to the start of the open one. Keeps
 * the last lines only. Pure.
 */
export class LineBuffer {
  #limit;
  #column = 0;
  /** @type {string[]} complete lines, without their "\n" */
  lines = [];
  /** The line still being written. */
  open = "";
  /** How many lines at the start are gone. */
  dropped = 0;

  /**
   * @param {number} limit  lines to keep; up to twice as many are held, so that dropping is rare. Python sends no more
   *   than this itself (lectern/streams.py): the limit is for programs that go past it.
   */
  constructor(limit = 4_000) {
    this.#limit = limit;
  }

  /** @param {string} text */
  append(text) {
    for (const part of text.split(/([\r\n])/)) {
      if (part === "\n") {
        this.lines.push(this.open);
        this.open = "";
        this.#column = 0;
      } else if (part === "\r") {
        this.#column = 0;
      } else if (part) {
        const end = this.#column + part.length;
        this.open = this.open.slice(0, this.#column) + part + this.open.slice(end);
        this.#column = end;
      }
    }
    if (this.lines.length > 2 * this.#limit) {
      const gone = this.lines.length - this.#limit;
      this.lines.splice(0, gone);
      this.dropped += gone;
    }
  }

  /** @returns {string} */
  get text() {
    return this.lines.map((line) => `${line}\n`).join("") + this.open;
  }
}
