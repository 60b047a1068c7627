/** What a program asks with input(): a labelled field in the cell's output, gone once it is answered. */

import { h } from "./dom.js";

export class Question {
  element;
  answer;

  /** @param {string} prompt @param {string} cell */
  constructor(prompt, cell) {
    const field = h("input", { type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
    const label = h("label", {}, prompt.trim() || `${cell} asks for input`, field);
    this.element = h("form", { class: "question" }, label, h("button", { type: "submit", "data-action": "answer" }, "Answer"));
    this.answer = new Promise((/** @type {(text: string) => void} */ resolve) => {
      this.element.addEventListener("submit", (event) => {
        event.preventDefault();
        this.element.remove();
        resolve(field.value);
      });
    });
  }
}
