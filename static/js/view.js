/**
 * The elements of a heat map: made once per frame, then only marked. The same boxes as `_heatmap.html`.
 *
 * @typedef {import("./frame.js").Frame} Frame
 * @typedef {import("./heads.js").HeadChooser} HeadChooser
 * @typedef {import("./readout.js").CellPlace} CellPlace
 * @typedef {object} View
 * @property {HTMLElement} figure
 * @property {HeadChooser} heads
 * @property {HTMLElement} matrix       the box of the cells
 * @property {HTMLCanvasElement} canvas
 * @property {HTMLElement} queries      the row labels
 * @property {HTMLElement} grid         the matrix for keyboard and screen reader
 * @property {HTMLElement} readout
 * @property {HTMLElement} strip
 * @property {HTMLElement} stale        says that the picture is out of date; empty while it is not
 * @property {HTMLElement} live         what is put here is spoken
 * @property {(key: number) => HTMLElement | undefined} cell      the cursor's row, cell by cell
 * @property {(head: number) => void} showHead
 * @property {(row: Float32Array | null, query: number | null, pinned: number | null) => void} showRow
 * @property {(head: number, cursor: CellPlace, pinned: number | null, name: (place: CellPlace) => string) => void} showCells
 */

import { h as make } from "./dom.js";
import { hasThumbnails, headName, labelLength, MANY } from "./frame.js";
import { makeHeads } from "./heads.js";
import { makeSvg } from "./make.js";
import { cellsOf, hatchOf } from "./matrix.js";
import { makeStrip } from "./readout.js";

/**
 * @param {Frame} frame
 * @param {string} id       unique in the page
 * @param {(head: number) => void} choose
 * @returns {View}
 */
export function makeView(frame, id, choose) {
  const { h, nq, nk } = frame;
  const heads = makeHeads(frame, id, choose);
  const canvas = make("canvas", { "aria-hidden": "true" });
  const still = hasThumbnails(frame) ? makeSvg("use") : makeSvg("g");
  const cells = frame.keys.map((_, key) => make("span", { role: "gridcell", "aria-colindex": String(key + 1), tabindex: "-1" }));
  const row = make("div", { role: "row", class: "hm-row" }, ...cells);
  const grid = make("div", { role: "grid", "aria-rowcount": String(nq), "aria-colcount": String(nk) }, row);
  const band = make("div", { class: "hm-band" });
  const matrix = make("div", { class: "hm-matrix" }, canvas, stillOf(frame, id, still), band, grid);
  const keys = make("div", { class: "hm-keys", "aria-hidden": "true" }, ...labels(frame.keys));
  const queries = make("div", { class: "hm-queries", "aria-hidden": "true" }, ...labels(frame.queries));
  const readout = make("div", { class: "hm-readout" });
  const strip = makeStrip(frame);
  const stale = make("span", { class: "hm-stale", role: "status" });
  const live = make("p", { class: "hm-live", "aria-live": "polite" });
  const plot = make(
    "div",
    { class: "hm-plot" },
    make(
      "div",
      { class: "hm-corner", "aria-hidden": "true" },
      make("span", { class: "hm-axis-k" }, "key →"),
      make("span", { class: "hm-axis-q" }, "query ↓"),
    ),
    keys,
    queries,
    matrix,
    legend(frame),
  );
  const panel = make("div", { class: "hm-panel", id: `${id}-panel`, role: heads.tabs ? "tabpanel" : null }, plot, readout, strip);
  const figure = make(
    "figure",
    {
      class: Math.max(nq, nk) > MANY ? "hm hm-many" : "hm",
      style: `--h:${h};--nq:${nq};--nk:${nk};--q-ch:${labelLength(frame.queries)};--k-ch:${labelLength(frame.keys)}`,
    },
    heads.element,
    panel,
    make(
      "figcaption",
      { class: "hm-caption" },
      make(
        "span",
        {},
        "Rows are queries, columns are keys.",
        ...frame.notes.flatMap((note) => [" ", make("strong", { class: "hm-note" }, note)]),
      ),
      stale,
    ),
    live,
  );

  let stillHead = -1;
  let cellsShown = "";
  return {
    figure,
    heads,
    matrix,
    canvas,
    queries,
    grid,
    readout,
    strip,
    stale,
    live,
    cell: (key) => cells[key],
    showHead(head) {
      if (head !== stillHead) {
        if (still instanceof SVGUseElement) still.setAttribute("href", `#${id}-${head + 1}`);
        else still.replaceChildren(cellsOf(frame, head));
      }
      stillHead = head;
      grid.setAttribute("aria-label", `${headName(frame, head)}: weights of queries (rows) over keys (columns)`);
      if (heads.tabs) panel.setAttribute("aria-labelledby", `${id}-tab-${head + 1}`);
    },
    showRow(weights, query, pinned) {
      figure.toggleAttribute("data-reading", query !== null);
      if (query !== null) band.style.setProperty("--row", String(query));
      band.toggleAttribute("data-pinned", pinned !== null);
      [...queries.children].forEach((label, i) => {
        label.toggleAttribute("data-current", i === query);
        label.toggleAttribute("data-pinned", i === pinned);
      });
      [...keys.children].forEach((label, i) => {
        const weight = weights?.[i] || 0;
        if (label instanceof HTMLElement) label.style.setProperty("--w", weight.toFixed(2));
        label.toggleAttribute("data-heavy", weight >= 0.15);
      });
    },
    showCells(head, cursor, pinned, name) {
      const now = [head, cursor.query, cursor.key, pinned].join();
      if (now === cellsShown) return; // the pointer moves far more often than the cursor
      cellsShown = now;
      row.style.setProperty("--row", String(cursor.query));
      row.setAttribute("aria-rowindex", String(cursor.query + 1));
      row.setAttribute("aria-label", frame.queries[cursor.query] ?? "");
      row.setAttribute("aria-selected", String(cursor.query === pinned));
      cells.forEach((cell, key) => {
        cell.tabIndex = key === cursor.key ? 0 : -1;
        cell.setAttribute("aria-label", name({ query: cursor.query, key }));
      });
    },
  };
}

/** @param {readonly string[]} tokens */
const labels = (tokens) => tokens.map((token) => make("span", {}, token));

/** @param {Frame} frame */
const legend = (frame) =>
  make(
    "div",
    { class: "hm-legend", "aria-hidden": "true" },
    make("span", { class: "hm-legend-name" }, "weight"),
    make("span", { class: "hm-scale" }, make("i"), ...["0", "¼", "½", "¾", "1"].map((tick) => make("span", {}, tick))),
    ...(frame.masked ? [make("span", { class: "hm-swatch-masked" }, "masked")] : []),
  );

/**
 * The matrix on paper: a reference to the head's thumbnail, or its cells where no head has one.
 * @param {Frame} frame
 * @param {string} id
 * @param {SVGElement} cells
 */
const stillOf = (frame, id, cells) =>
  makeSvg(
    "svg",
    {
      class: "hm-cells hm-still",
      viewBox: `0 0 ${frame.nk} ${frame.nq}`,
      preserveAspectRatio: "none",
      "aria-hidden": "true",
    },
    hatchOf(frame, id),
    cells,
  );

/**
 * Call `changed` whenever the picture has to be painted again: size, zoom, theme, contrast mode, fonts, paper.
 * @param {HTMLElement} element
 * @param {HTMLElement} matrix
 * @param {() => void} changed
 * @param {AbortSignal} signal
 */
export function watchLooks(element, matrix, changed, signal) {
  const size = new ResizeObserver(changed);
  size.observe(matrix);
  // The site's own theme switch sets an attribute on the root element.
  const theme = new MutationObserver(changed);
  theme.observe(element.ownerDocument.documentElement, { attributeFilter: ["data-theme", "class", "style"] });
  signal.addEventListener("abort", () => {
    size.disconnect();
    theme.disconnect();
  });
  for (const query of ["(prefers-color-scheme: dark)", "(forced-colors: active)", "print"])
    matchMedia(query).addEventListener("change", changed, { signal });
  const watchZoom = () => {
    const zoom = matchMedia(`(resolution: ${devicePixelRatio}dppx)`);
    const zoomed = () => {
      changed();
      watchZoom();
    };
    zoom.addEventListener("change", zoomed, { once: true, signal });
  };
  watchZoom();
  document.fonts.ready.then(() => signal.aborted || changed());
}
