/** One `<pre>` of a stream: appends what is new instead of rewriting what stands. */

import { h } from "./dom.js";
import { LineBuffer } from "./lines.js";
import { count } from "./words.js";

export class StreamView {
  #buffer = new LineBuffer();
  #closed = document.createTextNode("");
  #open = document.createTextNode("");
  #shown = 0;
  #dropped = 0;
  #notice = h("p", { class: "output-notice", hidden: true });
  #pre;

  /** @param {"stdout" | "stderr"} name */
  constructor(name) {
    this.name = name;
    this.#pre = h("pre", { class: "stream", "data-stream": name, tabindex: "0" }, this.#closed, this.#open);
  }

  /** @returns {HTMLElement[]} */
  get elements() {
    return [this.#notice, this.#pre];
  }

  /** @param {string} text */
  append(text) {
    this.#buffer.append(text);
  }

  render() {
    const { lines, open, dropped } = this.#buffer;
    if (dropped !== this.#dropped) {
      this.#closed.data = lines.map((line) => `${line}\n`).join("");
      this.#notice.textContent = `${count(dropped, "earlier line")} not shown`;
      this.#notice.hidden = false;
    } else if (lines.length > this.#shown) {
      this.#closed.appendData(lines.slice(this.#shown).map((line) => `${line}\n`).join(""));
    }
    this.#shown = lines.length;
    this.#dropped = dropped;
    if (this.#open.data !== open) this.#open.data = open;
  }
}
