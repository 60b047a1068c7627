/**
 * Draws a chart frame. `lectern/chart.py` has laid it out, and `templates/_chart.html` draws the same elements without
 * JavaScript, so nothing moves when a run draws it anew. Loaded when the first chart of a run arrives, or when one that
 * asks for a guess comes near.
 *
 * @typedef {object} Axis
 * @property {string} label
 * @property {[number, string][]} ticks     place in the drawing, and what stands there
 *
 * @typedef {object} Series
 * @property {"line" | "band"} kind
 * @property {string} label
 * @property {string} path                  SVG path data
 * @property {[number, number][]} dots      empty if they are too many
 *
 * @typedef {object} ChartFrame             version 1
 * @property {string} title
 * @property {string} alt                   the picture in words
 * @property {[number, number]} size
 * @property {[number, number, number, number]} plot   left, top, right, bottom
 * @property {Axis} x
 * @property {Axis} y
 * @property {Series[]} series
 * @property {string[][]} table             the head, then the rows; empty if it would help nobody
 * @property {string} guess                 the question to be answered first; "" if none
 */

import { h } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";

/** Replaces what a `<line-chart>` shows. @param {HTMLElement} chart @param {unknown} data */
export function drawChart(chart, data) {
  const frame = /** @type {ChartFrame} */ (data);
  const box = chart.querySelector(".chart-guess");
  const title = frame.title ? [h("p", { class: "chart-title" }, frame.title)] : [];
  chart.replaceChildren(h("figure", { class: "chart" }, ...title, legend(frame), ...(box ? [box] : []), picture(frame), ...table(frame)));
  if (chart.dataset.guess) mark(chart, Number(chart.dataset.guess));
}

/**
 * Hides the lines of a chart that asks for a guess, until the reader has given one. Nobody is forced: "Show me" is one
 * of the answers.
 *
 * @param {HTMLElement} chart
 */
export function askFirst(chart) {
  const picture = chart.querySelector("svg");
  const question = chart.dataset.question;
  if (!picture || !question || chart.querySelector(".chart-guess")) return;
  const axis = picture.querySelector(".chart-axis")?.textContent ?? "";
  chart.toggleAttribute("data-veiled", true);
  const unveil = (/** @type {string} */ said) => {
    chart.removeAttribute("data-veiled");
    const answer = h("p", { class: "chart-answer", tabindex: "-1" }, said);
    box.replaceChildren(answer);
    answer.focus();
  };
  const choices = ticksOf(chart).map((tick, index) => {
    const label = tick.textContent ?? "";
    const button = h("button", { type: "button", "aria-label": `${axis} ${label}` }, label);
    button.addEventListener("click", () => {
      chart.dataset.guess = String(index);
      mark(chart, index);
      unveil(`You guessed ${label}.`);
    });
    return button;
  });
  const skip = h("button", { type: "button", class: "chart-skip" }, "Show me");
  skip.addEventListener("click", () => unveil("Shown without a guess."));
  const box = h("div", { class: "chart-guess", role: "group", "aria-label": question }, h("p", {}, question), ...choices, skip);
  picture.before(box);
}

/** @returns {Element[]} @param {HTMLElement} chart */
function ticksOf(chart) {
  return [...chart.querySelectorAll(".chart-tick-x")];
}

/** Draws a line at the place that the reader has guessed. @param {HTMLElement} chart @param {number} index */
function mark(chart, index) {
  const picture = chart.querySelector("svg");
  const at = ticksOf(chart)[index]?.getAttribute("x");
  const [, top, , bottom] = (picture?.dataset.plot ?? "").split(" ");
  if (at) picture?.append(svg("path", { class: "chart-guessed", d: `M${at} ${top}V${bottom}` }));
}

/** @param {ChartFrame} frame */
function legend({ series }) {
  const items = series.map(({ kind, label }, index) => h("li", { class: `chart-${index}` }, h("i", { class: `chart-key-${kind}` }), label));
  return h("ul", { class: "chart-legend" }, ...items);
}

/** @param {ChartFrame} frame */
function picture(frame) {
  const [left, top, right, bottom] = frame.plot;
  const [width, height] = frame.size;
  const shapes = frame.series.flatMap(({ kind, path, dots }, index) => [
    svg("path", { class: `chart-${kind} chart-${index}`, d: path }),
    ...(kind === "line" ? dots.map(([cx, cy]) => svg("circle", { class: `chart-dot chart-${index}`, cx, cy, r: 3.5 })) : []),
  ]);
  return svg(
    "svg",
    { class: "chart-picture", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": frame.alt, "data-plot": frame.plot.join(" ") },
    ...frame.y.ticks.flatMap(([y, label]) => [
      svg("path", { class: "chart-grid", d: `M${left} ${y}H${right}` }),
      svg("text", { x: left - 6, y: y + 4, class: "chart-tick-y" }, label),
    ]),
    ...frame.x.ticks.map(([x, label]) => svg("text", { x, y: bottom + 16, class: "chart-tick-x" }, label)),
    svg("text", { class: "chart-axis", x: (left + right) / 2, y: height - 4 }, frame.x.label),
    svg("text", { class: "chart-axis chart-axis-y", x: -(top + bottom) / 2, y: 11 }, frame.y.label),
    svg("g", { class: "chart-lines" }, ...shapes),
  );
}

/** @param {ChartFrame} frame */
function table({ table: [head, ...rows] }) {
  if (!head) return [];
  const row = (/** @type {string[]} */ [first, ...cells]) =>
    h("tr", {}, h("th", { scope: "row" }, first ?? ""), ...cells.map((cell) => h("td", {}, cell)));
  const top = h("tr", {}, ...head.map((cell) => h("th", { scope: "col" }, cell)));
  return [h("details", { class: "chart-data" }, h("summary", {}, "The numbers"), h("table", {}, h("thead", {}, top), h("tbody", {}, ...rows.map(row))))];
}

/** @param {string} tag @param {Record<string, string | number>} attributes @param {(Element | string)[]} children */
function svg(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}
