/** One `<pre>` of a stream: appends what is new instead of rewriting what stands. */

import { h } from "./dom.js";
import { LineBuffer } from "./lines.js";
import { count } from "./words.js";

/** Lines in a block of its own: a browser lays out again what stands beside new text, and nothing else. */
const BLOCK = 100;

export class StreamView {
  #buffer = new LineBuffer();
  /** @type {Text | null} what the next lines are added to */
  #last = null;
  #room = 0;
  #open = document.createTextNode("");
  #shown = 0;
  #dropped = 0;
  #notice = h("p", { class: "output-notice", hidden: true });
  #pre;

  /** @param {"stdout" | "stderr"} name */
  constructor(name) {
    this.name = name;
    this.#pre = h("pre", { class: "stream", "data-stream": name, tabindex: "0" }, this.#open);
  }

  /** @returns {HTMLElement[]} */
  get elements() {
    return [this.#notice, this.#pre];
  }

  /** @param {string} text */
  append(text) {
    this.#buffer.append(text);
  }

  /** @returns {boolean} whether all stands now @param {number} most  new lines that are shown this time, give or take a block */
  render(most) {
    const { lines, open, dropped } = this.#buffer;
    if (dropped !== this.#dropped) {
      this.#pre.replaceChildren(this.#open);
      this.#last = null;
      this.#shown = 0;
      this.#notice.textContent = `${count(dropped, "earlier line")} not shown`;
      this.#notice.hidden = false;
    }
    const end = Math.min(lines.length, this.#shown + most);
    while (this.#shown < end) this.#add(lines);
    this.#dropped = dropped;
    if (this.#shown < lines.length) return false;
    if (this.#open.data !== open) this.#open.data = open;
    return true;
  }

  /** Adds as many of the new lines as one block takes. @param {readonly string[]} lines */
  #add(lines) {
    if (!this.#last || this.#room === 0) {
      const first = !this.#last;
      this.#last = document.createTextNode("");
      this.#room = BLOCK;
      // Short streams are the most, and need no element besides.
      this.#open.before(first ? this.#last : h("span", { class: "lines" }, this.#last));
    }
    const some = lines.slice(this.#shown, this.#shown + this.#room);
    this.#last.appendData(some.map((line) => `${line}\n`).join(""));
    this.#room -= some.length;
    this.#shown += some.length;
  }
}
