/**
 * All heads at a glance: small pictures on one scale, each with its kind and entropy as measured. Large heads come one
 * after the other while the page answers.
 *
 * @typedef {import("./frame.js").Frame} Frame
 * @typedef {import("./heatmap.js").HeatMap} HeatMap
 * @typedef {import("./source.js").Source} Source
 */

import { h as make } from "./dom.js";
import { headName } from "./frame.js";
import { HeadMeasure, kindText } from "./kinds.js";
import { readPalette } from "./matrix.js";
import { drawSurvey, survey } from "./survey.js";

const CELLS = 64; // of a picture's side

/**
 * @param {HeatMap} map
 * @param {(frame: Frame, head: number) => Source} sourceOf     how each head is to be looked at, apart from its scale
 */
export function makeGallery(map, sourceOf) {
  const element = make("div", { class: "hm-gallery", role: "radiogroup", "aria-label": "All heads" });
  let working = new AbortController();
  /** @type {HTMLButtonElement[]} */
  let buttons = [];

  const mark = () => {
    const head = map.now?.head ?? 0;
    buttons.forEach((button, i) => {
      button.setAttribute("aria-checked", String(i === head));
      button.tabIndex = i === head ? 0 : -1;
    });
  };
  /** @param {number} head */
  const choose = (head) => map.setAttribute("data-head", String(head));
  element.addEventListener("click", ({ target }) => {
    const head = buttons.findIndex((button) => target instanceof Node && button.contains(target));
    if (head >= 0) choose(head);
  });
  element.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!by || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const head = ((map.now?.head ?? 0) + by + buttons.length) % buttons.length;
    choose(head);
    buttons[head]?.focus();
  });

  return {
    element,
    mark,
    renew() {
      working.abort();
      working = new AbortController();
      const frame = map.now?.frame;
      if (!frame) return;
      const palette = readPalette(map);
      const cards = Array.from({ length: frame.h }, (_, head) => {
        const canvas = make("canvas", { "aria-hidden": "true" });
        const words = make("span", { class: "hm-kind" }, "…");
        return { canvas, words, button: make("button", { type: "button", role: "radio" }, canvas, make("b", {}, headName(frame, head)), words) };
      });
      buttons = cards.map(({ button }) => button);
      element.replaceChildren(...buttons);
      mark();
      const { signal } = working;
      void (async () => {
        for (const [head, { canvas, words }] of cards.entries()) {
          const measure = new HeadMeasure(frame);
          const seen = await survey(sourceOf(frame, head), frame, CELLS, signal, (query) => measure.add(query, frame.row(head, query)));
          if (!seen || !element.isConnected) return;
          drawSurvey(canvas, seen, palette);
          const { result } = measure;
          words.replaceChildren(kindText(result), make("br"), `${result.entropy.toFixed(2)}\u00a0bits`);
        }
      })();
    },
  };
}
