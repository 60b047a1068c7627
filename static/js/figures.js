/**
 * The heat maps below a cell: feeds each attention frame to the map it belongs to, in order of arrival, and marks the
 * maps that the latest run has not drawn.
 *
 * @typedef {HTMLElement & {frame: unknown}} HeatMap
 */

import { h } from "./dom.js";
import { Turns } from "./turns.js";

export class Figures {
  #cell;
  #fed = 0;
  #turns = new Turns();
  /** The code has changed since the latest run. */
  #stale = false;

  /** @param {HTMLElement & {name: string}} cell */
  constructor(cell) {
    this.#cell = cell;
  }

  begin() {
    this.#fed = 0;
    this.#stale = false;
    this.#turns.clear();
  }

  /** How many frames the latest run has sent. */
  get fed() {
    return this.#fed;
  }

  /** @param {unknown} frame @param {import("./protocol.js").Numbers[]} [buffers]  its large arrays */
  show(frame, buffers) {
    this.#fed += 1;
    const name = this.#fed === 1 ? this.#cell.name : `${this.#cell.name}-${this.#fed}`;
    this.#turns.add(() => {
      const map = this.#maps.find((one) => one.getAttribute("name") === name) ?? this.#create(name);
      const before = map.frame;
      map.frame = buffers ? Object.assign({ buffers }, frame) : frame;
      void this.#remember(map, before, map.frame);
      map.toggleAttribute("stale", this.#stale);
    });
  }

  /** @param {HeatMap} map @param {unknown} before @param {unknown} now */
  async #remember(map, before, now) {
    const { remember } = await import("./runs.js");
    remember(map, this.#cell.name, before, now);
  }

  /** A run has ended well: a map it did not draw shows something else than the code. */
  settle() {
    this.#maps.slice(this.#fed).forEach((map) => map.toggleAttribute("stale", true));
  }

  /** @param {boolean} stale  the code has changed since */
  mark(stale) {
    this.#stale = stale;
    this.#maps.slice(0, stale ? undefined : this.#fed).forEach((map) => map.toggleAttribute("stale", stale));
  }

  /** @returns {HeatMap[]} */
  get #maps() {
    return Array.from(this.#cell.querySelectorAll("[data-figures] heat-map"));
  }

  /** @param {string} name @returns {HeatMap} */
  #create(name) {
    let box = this.#cell.querySelector("[data-figures]");
    if (!box) {
      box = h("div", { class: "cell-figures", "data-figures": true });
      this.#cell.append(box);
    }
    const map = document.createElement("heat-map");
    map.setAttribute("name", name);
    box.append(map);
    return /** @type {HeatMap} */ (map);
  }
}
