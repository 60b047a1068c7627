/**
 * The charts below a cell: one for each key that a run has drawn. What draws them is fetched when it is first needed.
 */

import { h } from "./dom.js";

export class Charts {
  #cell;
  /** What the run has drawn so far. @type {Map<string, unknown>} */
  #drawn = new Map();
  #due = false;
  /** The code has changed since the latest run. */
  #stale = false;

  /** @param {HTMLElement} cell */
  constructor(cell) {
    this.#cell = cell;
    for (const chart of this.#all) if (chart.dataset.question) whenNear(chart, async () => (await drawing()).askFirst(chart));
  }

  begin() {
    this.#drawn.clear();
    this.#stale = false;
  }

  get fed() {
    return this.#drawn.size;
  }

  /** A chart, or the next state of one. @param {string} key @param {unknown} frame */
  show(key, frame) {
    this.#drawn.set(key, frame);
    if (this.#due) return;
    this.#due = true;
    requestAnimationFrame(() => void this.#draw());
  }

  /** The run has ended well: a chart that it did not draw shows something else than the code. */
  settle() {
    for (const chart of this.#all) if (!this.#drawn.has(chart.dataset.key ?? "")) chart.remove();
  }

  /** @param {boolean} stale  the code has changed since */
  mark(stale) {
    this.#stale = stale;
    for (const chart of this.#all) if (stale || this.#drawn.has(chart.dataset.key ?? "")) say(chart, stale);
  }

  async #draw() {
    const { drawChart } = await drawing();
    this.#due = false;
    for (const [key, frame] of this.#drawn) {
      const chart = this.#all.find((one) => one.dataset.key === key) ?? this.#create(key);
      drawChart(chart, frame);
      say(chart, this.#stale);
    }
  }

  /** @returns {HTMLElement[]} */
  get #all() {
    return [...this.#cell.querySelectorAll("line-chart")].map((chart) => /** @type {HTMLElement} */ (chart));
  }

  /** @param {string} key */
  #create(key) {
    const chart = document.createElement("line-chart");
    chart.dataset.key = key;
    let box = this.#cell.querySelector("[data-figures]");
    if (!box) {
      box = h("div", { class: "cell-figures", "data-figures": true });
      this.#cell.append(box);
    }
    box.append(chart);
    return chart;
  }
}

/** Says at a chart that it is out of date, or no longer. @param {HTMLElement} chart @param {boolean} stale */
function say(chart, stale) {
  if (chart.toggleAttribute("stale", stale) === Boolean(chart.querySelector(".chart-stale"))) return;
  if (stale) chart.firstElementChild?.append(h("p", { class: "chart-stale", role: "status" }, "The code has changed. Run it again."));
  else chart.querySelector(".chart-stale")?.remove();
}

function drawing() {
  return import("./chart.js");
}

/** Calls `act` once the element is less than a screen away. @param {HTMLElement} element @param {() => void} act */
function whenNear(element, act) {
  const watch = new IntersectionObserver(
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      watch.disconnect();
      act();
    },
    { rootMargin: "100%" },
  );
  watch.observe(element);
}
