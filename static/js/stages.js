/**
 * The stages before the weights: scores, then scores with the mask, beside the picture of the weights. They show the
 * same head, and the row and cell that is read there; a pointer on them reads as on the weights.
 *
 * @typedef {import("./frame.js").Frame} Frame
 * @typedef {import("./source.js").CellPlace} CellPlace
 * @typedef {object} Stages
 * @property {HTMLElement[]} matrices   to listen on
 * @property {(head: number, cell: CellPlace | null) => void} show
 */

import { cellsSvg, hatchOf, maskedPath, shades } from "./cellpaths.js";
import { h as make } from "./dom.js";
import { makeSvg } from "./make.js";

const STEPS = 20; // shades on each side of zero

/**
 * Put the stages into the plot, before the weights' own labels and cells.
 * @param {Frame} frame
 * @param {string} id       unique in the page
 * @param {{figure: HTMLElement, plot: HTMLElement, keys: HTMLElement}} view
 * @returns {Stages | null} null if the frame has no scores
 */
export function makeStages(frame, id, { figure, plot, keys }) {
  const scoresOf = frame.scores;
  if (!scoresOf) return null;
  const limit = scoreLimit(Array.from({ length: frame.h }, (_, head) => scoresOf(head)));
  /** @param {number} score */
  const shade = (score) => Math.round(STEPS * Math.max(-1, Math.min(1, score / limit))) / STEPS;
  const names = frame.masked ? ["scores", "masked"] : ["scores"];
  const pictures = names.map(() => makeSvg("g"));
  const spot = () => make("div", { class: "hm-spot" });
  const matrices = names.map((name, i) =>
    make(
      "div",
      { class: "hm-matrix" },
      cellsSvg(frame, "hm-still", pictures[i] ?? null, ...(name === "masked" ? blanked(frame, `${id}-stage`) : [])),
      make("div", { class: "hm-band" }, make("i")),
      spot(),
    ),
  );
  const stages = names.map((name, i) =>
    make(
      "div",
      { class: "hm-stage", "data-stage": name, "aria-hidden": "true" },
      stageName(name, i, frame.masked),
      keys.cloneNode(true),
      matrices[i] ?? "",
      legend(limit),
    ),
  );
  figure.classList.add("hm-staged");
  figure.style.setProperty("--stages", String(names.length + 1));
  keys.before(...stages, stageName("weights", 2, frame.masked));

  let shown = -1;
  return {
    matrices,
    show(head, cell) {
      if (head !== shown) pictures.forEach((picture) => picture.replaceChildren(shades(frame, scoresOf(head), shade)));
      shown = head;
      plot.toggleAttribute("data-spot", cell !== null);
      plot.style.setProperty("--spot-q", String(cell?.query ?? 0));
      plot.style.setProperty("--spot-k", String(cell?.key ?? 0));
    },
  };
}

/**
 * What hides the masked scores: the page's colour, and the hatch on it.
 * @param {Frame} frame
 * @param {string} id
 */
const blanked = (frame, id) => [makeSvg("path", { class: "hm-blank", d: maskedPath(frame) }), hatchOf(frame, id)];

/**
 * A stage's name above the formula, as far as it has come (the same as in `_heatmap.html`).
 * @param {string} name
 * @param {number} part     0 scores, 1 mask, 2 softmax
 * @param {boolean} masked
 */
function stageName(name, part, masked) {
  const scores = make("span", { "data-on": true });
  scores.append(
    make("i", { class: "sym-query" }, "Q"),
    make("i", { class: "sym-key" }, "K"),
    make("sup", {}, "⊤"),
    "/√",
    make("i", {}, "d"),
    make("sub", {}, "k"),
  );
  const softmax = (/** @type {string} */ text) => make("span", { "data-on": part === 2 }, text);
  const mask = masked ? [make("span", { "data-on": part > 0 }, " + mask")] : [];
  return make(
    "div",
    { class: "hm-stage-name" },
    make("b", {}, name),
    make("p", { class: "hm-formula" }, softmax("softmax("), scores, ...mask, softmax(")")),
  );
}

/** @param {number} limit */
const legend = (limit) =>
  make(
    "div",
    { class: "hm-legend" },
    make("span", { class: "hm-legend-name" }, "score"),
    make(
      "span",
      { class: "hm-scale hm-diverging" },
      make("i"),
      ...[`−${limit}`, "0", String(limit)].map((tick) => make("span", {}, tick)),
    ),
  );

/**
 * The end of the scale that the scores of all heads share: the largest |score|, rounded up to 1, 2, 3, 4, 5 or 8 · 10ⁿ.
 * @param {readonly (Float32Array | readonly (number | null)[])[]} scores
 */
export function scoreLimit(scores) {
  let most = 0;
  for (const head of scores) for (const score of head) most = Math.max(most, Math.abs(score || 0));
  if (most === 0) return 1;
  const unit = 10 ** Math.floor(Math.log10(most));
  const step = [1, 2, 3, 4, 5, 8].find((step) => most <= step * unit * (1 + 1e-9)) ?? 10;
  return Number((step * unit).toPrecision(3));
}
