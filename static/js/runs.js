/**
 * The pictures of a map's earlier runs, and a slider to step through them: how the heads were before the code changed.
 *
 * @typedef {import("./figures.js").HeatMap} HeatMap
 * @typedef {{frames: unknown[], first: number, slider: HTMLInputElement, label: HTMLElement, cell: string}} Runs
 */

import { h } from "./dom.js";

const MOST_RUNS = 10;
const MOST_BYTES = 64_000_000; // of large arrays, in all runs of one map

/** @type {WeakMap<HeatMap, Runs>} */
const known = new WeakMap();

/**
 * A run has drawn `now` where `before` stood.
 * @param {HeatMap} map
 * @param {string} cell
 * @param {unknown} before      the lesson's own picture, the first time; null if it had none
 * @param {unknown} now
 */
export function remember(map, cell, before, now) {
  const runs = known.get(map) ?? begin(map, cell, before);
  runs.frames.push(now);
  while (runs.frames.length > 2 && (runs.frames.length > MOST_RUNS || runs.frames.reduce(total, 0) > MOST_BYTES)) {
    runs.frames.shift();
    runs.first += 1;
  }
  const latest = runs.frames.length - 1;
  runs.slider.max = runs.slider.value = String(latest);
  runs.slider.hidden = latest === 0;
  say(runs, latest);
}

/** @param {HeatMap} map @param {string} cell @param {unknown} before @returns {Runs} */
function begin(map, cell, before) {
  const slider = h("input", { type: "range", min: "0", step: "1" });
  const label = h("span", {});
  /** @type {Runs} */
  const runs = { frames: before ? [before] : [], first: before ? 0 : 1, slider, label, cell };
  slider.addEventListener("input", () => {
    const at = Number(slider.value);
    map.frame = runs.frames[at];
    say(runs, at);
  });
  (map.querySelector(".hm-tools") ?? map).append(h("label", { class: "hm-runs" }, label, slider));
  known.set(map, runs);
  return runs;
}

/** @param {Runs} runs @param {number} at */
function say({ frames, first, label, slider, cell }, at) {
  const number = first + at;
  const text = number === 0 ? `${cell}, before the first run` : `${cell}, run ${number} of ${first + frames.length - 1}`;
  label.textContent = text;
  slider.setAttribute("aria-valuetext", text);
}

/** @param {number} bytes @param {unknown} frame */
function total(bytes, frame) {
  const buffers = /** @type {{buffers?: {byteLength?: number}[]} | null} */ (frame)?.buffers ?? [];
  return buffers.reduce((sum, { byteLength = 0 }) => sum + byteLength, bytes);
}
