/** Speaks what happens in a heat map to a screen reader. */

import { h as make } from "./dom.js";

const SPEECH_DELAY = 150; // ms; while a key is held down only the last place is spoken

/** A line that only screen readers see, and that speaks what it is given: of many things at once the last. */
export class Speech {
  element = make("p", { class: "hm-live", "aria-live": "polite" });
  #due = 0;

  /** @param {() => string} sentence */
  say(sentence) {
    clearTimeout(this.#due);
    this.#due = window.setTimeout(() => {
      this.element.textContent = sentence();
    }, SPEECH_DELAY);
  }

  silence() {
    clearTimeout(this.#due);
  }
}
