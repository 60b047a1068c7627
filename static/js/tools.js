/**
 * The tools below a heat map: other scales, comparing heads, all heads at a glance, and taking it along.
 *
 * @typedef {import("./heatmap.js").HeatMap} HeatMap
 * @typedef {import("./lens.js").Lens} Lens
 */

import TOOLBOX from "styles:heatmap-toolbox.css";

import { h as make } from "./dom.js";
import { carriers } from "./export.js";
import { makeGallery } from "./gallery.js";
import { isSpecial, PLAIN, SCALES, through } from "./lens.js";
import { makeMultiples } from "./multiples.js";
import { eachRow } from "./rows.js";
import { plainSource } from "./source.js";
import { adopt } from "./styles.js";

adopt(TOOLBOX);

/**
 * @param {HeatMap} map
 * @returns {HTMLElement}
 */
export function makeTools(map) {
  const element = make("div", { class: "hm-toolbox" });
  const said = make("p", { class: "hm-said", role: "status" });
  /** @type {Lens} */
  let lens = { ...PLAIN };
  let measuring = new AbortController();
  let working = false;

  const gallery = makeGallery(map, (frame, head) => through({ ...PLAIN, dimSpecial: lens.dimSpecial })(frame, head));
  const multiples = makeMultiples(map, (frame, head) => through({ ...lens, against: "none" })(frame, head));
  const scale = select(SCALES.map(({ value, name }) => [value, name]));
  const against = make("select", {});
  const first = make("input", { type: "checkbox" });
  const hidden = make("span", { class: "hm-hidden" });
  const special = make("input", { type: "checkbox" });

  const look = () => {
    map.lens = through(lens);
    scale.disabled = typeof lens.against === "number";
    multiples.look();
    measuring.abort();
    measuring = new AbortController();
    hidden.textContent = "";
    if (lens.hideFirst) void tellHidden(map, hidden, measuring.signal);
  };
  scale.addEventListener("change", () => {
    lens = { ...lens, scale: /** @type {Lens["scale"]} */ (scale.value) };
    look();
  });
  against.addEventListener("change", () => {
    const { value } = against;
    lens = { ...lens, against: value === "none" || value === "mean" ? value : Number(value) };
    look();
  });
  first.addEventListener("change", () => {
    lens = { ...lens, hideFirst: first.checked };
    look();
  });
  special.addEventListener("change", () => {
    lens = { ...lens, dimSpecial: special.checked };
    look();
    gallery.renew();
  });

  const renew = () => {
    const now = map.now;
    if (!now) return;
    const { frame } = now;
    const others = Array.from({ length: frame.h }, (_, head) => /** @type {[string, string]} */ ([String(head), `minus head ${head + 1}`]));
    against.replaceChildren(...options([["none", "the head"], ["mean", `mean of all ${frame.h} heads`], ...others]));
    if (typeof lens.against === "number" && lens.against >= frame.h) lens = { ...lens, against: "none" };
    against.value = String(lens.against);
    comparing.hidden = frame.h === 1;
    dimming.hidden = ![...frame.queries, ...frame.keys].some(isSpecial);
    look();
    gallery.renew();
    multiples.renew();
  };
  const comparing = make("label", {}, "Show ", against);
  const dimming = make("label", {}, special, " Dim special tokens");
  const row = make("div", { class: "hm-choices" }, make("label", {}, "Scale ", scale), comparing, make("label", {}, first, " Hide the first key"), dimming, hidden);
  const take = make(
    "div",
    { class: "hm-take" },
    make("span", {}, "Take along:"),
    ...carriers(map).map(({ name, title, act }) => {
      const button = make("button", { type: "button", title }, name);
      button.addEventListener("click", async () => {
        if (working) return;
        working = true;
        button.setAttribute("aria-busy", "true");
        said.textContent = `${name}: the rows are being collected …`;
        said.textContent = await act().catch((/** @type {Error} */ error) => `That did not work: ${error.message}`);
        button.removeAttribute("aria-busy");
        working = false;
      });
      return button;
    }),
  );
  element.append(row, gallery.element, multiples.element, take, said);
  map.addEventListener("heat-map:frame", renew);
  map.addEventListener("heat-map:head", () => {
    look();
    gallery.mark();
  });
  renew();
  return element;
}

/**
 * How much is hidden: a sum over all rows.
 * @param {HeatMap} map
 * @param {HTMLElement} hidden
 * @param {AbortSignal} signal
 */
async function tellHidden(map, hidden, signal) {
  const now = map.now;
  if (!now) return;
  const { frame, head } = now;
  let mass = 0;
  if (!(await eachRow(plainSource(frame, head), frame, signal, (_, row) => (mass += row[0] || 0)))) return;
  hidden.textContent = `“\u2068${frame.keys[0]}\u2069” is hidden: it holds ${Math.round((100 * mass) / frame.nq)}\u202f% of head ${head + 1}’s weight.`;
}

/** @param {[string, string][]} choices */
const options = (choices) => choices.map(([value, text]) => make("option", { value }, text));

/** @param {[string, string][]} choices */
const select = (choices) => make("select", {}, ...options(choices));
