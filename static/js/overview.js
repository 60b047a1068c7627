/**
 * The whole head, small, where the large picture shows a part of it: where the part lies, and a way to move it.
 *
 * @typedef {import("./frame.js").Frame} Frame
 * @typedef {import("./matrix.js").Palette} Palette
 * @typedef {import("./source.js").CellPlace} CellPlace
 * @typedef {import("./source.js").Source} Source
 * @typedef {import("./survey.js").Survey} Survey
 * @typedef {object} Overview
 * @property {(source: Source, palette: Palette) => void} paint
 */

import OVERVIEW from "styles:heatmap-overview.css";

import { h as make } from "./dom.js";
import { adopt } from "./styles.js";
import { drawSurvey, survey } from "./survey.js";

adopt(OVERVIEW);

const STAGES = " Of so many tokens only the weights are drawn, without the stages before them.";
const REST = 100; // ms
const CELLS = 192; // of the small picture's side, about a CSS pixel each

/**
 * @param {Frame} frame
 * @param {import("./view.js").View} view
 * @param {(place: CellPlace) => void} move     have this place in the middle of the large picture
 * @returns {Overview}
 */
export function makeOverview(frame, view, move) {
  const canvas = make("canvas", {});
  const part = make("div", { class: "hm-part" });
  const where = make("p", {});
  const picture = make("div", { class: "hm-whole" }, canvas, part);
  view.panel.prepend(make("div", { class: "hm-overview", "aria-hidden": "true" }, picture, where));
  view.figure.classList.add("hm-partial");
  /** @param {PointerEvent} event */
  const follow = (event) => {
    const box = picture.getBoundingClientRect();
    /** @param {number} share @param {number} n */
    const along = (share, n) => Math.max(0, Math.min(n - 1, Math.floor(share * n)));
    move({
      query: along((event.clientY - box.top) / box.height, frame.nq),
      key: along((event.clientX - box.left) / box.width, frame.nk),
    });
  };
  picture.addEventListener("pointerdown", (event) => {
    picture.setPointerCapture(event.pointerId);
    follow(event);
  });
  picture.addEventListener("pointermove", (event) => {
    if (picture.hasPointerCapture(event.pointerId)) follow(event);
  });

  /** The pictures that were made, by name. @type {Map<string, Survey>} */
  const known = new Map();
  let working = new AbortController();
  let wanted = "";
  return {
    paint(source, palette) {
      const { query, key, nq, nk } = view.extent();
      part.style.inset = `${(100 * query) / frame.nq}% auto auto ${(100 * key) / frame.nk}%`;
      part.style.inlineSize = `${(100 * nk) / frame.nk}%`;
      part.style.blockSize = `${(100 * nq) / frame.nq}%`;
      where.textContent = `Queries ${query + 1}–${query + nq} of ${frame.nq}, keys ${key + 1}–${key + nk} of ${frame.nk}. Drag the frame, or walk with the arrow keys.${frame.scores ? STAGES : ""}`;
      const name = `${source.name} ${source.scale}`;
      const seen = known.get(name);
      if (seen) return draw(canvas, seen, palette);
      if (name === wanted) return;
      wanted = name;
      working.abort();
      working = new AbortController();
      canvas.toggleAttribute("data-old", true);
      const { signal } = working;
      void rested(signal).then(async () => {
        const made = signal.aborted ? null : await survey(source, frame, CELLS, signal);
        if (!made) return;
        wanted = "";
        known.set(name, made);
        draw(canvas, made, palette);
      });
    },
  };
}

/** Who leafs through heads wants none of their overviews before stopping. @param {AbortSignal} signal @returns {Promise<void>} */
const rested = (signal) => new Promise((resolve) => {
  const due = setTimeout(resolve, REST);
  signal.addEventListener("abort", () => (clearTimeout(due), resolve()), { once: true });
});

/** @param {HTMLCanvasElement} canvas @param {Survey} survey @param {Palette} palette */
function draw(canvas, survey, palette) {
  canvas.removeAttribute("data-old");
  drawSurvey(canvas, survey, palette);
}
