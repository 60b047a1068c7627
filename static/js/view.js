/**
 * The elements of a heat map: made once per frame, then only marked. The same boxes as `_heatmap.html`.
 *
 * @typedef {import("./extent.js").Extent} Extent
 * @typedef {import("./frame.js").Frame} Frame
 * @typedef {import("./heads.js").HeadChooser} HeadChooser
 * @typedef {import("./source.js").CellPlace} CellPlace
 * @typedef {import("./source.js").Line} Line
 * @typedef {import("./source.js").Source} Source
 * @typedef {object} View
 * @property {HTMLElement} figure
 * @property {HeadChooser} heads
 * @property {HTMLElement} panel
 * @property {HTMLElement} plot
 * @property {HTMLElement} matrix       the box of the cells
 * @property {HTMLCanvasElement} canvas
 * @property {HTMLElement} queries      the row labels
 * @property {HTMLElement} keys         the column labels
 * @property {HTMLElement} grid         the matrix for keyboard and screen reader
 * @property {HTMLElement} readout
 * @property {HTMLElement} strip
 * @property {HTMLElement} stale        says that the picture is out of date; empty while it is not
 * @property {(key: number) => HTMLElement | undefined} cell      the cursor's row, cell by cell
 * @property {() => Extent} extent
 * @property {(extent: Extent) => void} move    show another part of the frame
 * @property {(head: number) => void} showHead
 * @property {() => void} drawStill     make sure that the picture for paper has the head's cells
 * @property {(source: Source) => void} showScale
 * @property {(values: Float32Array | null, line: Line | null, pinned: Line | null, source: Source) => void} showLine
 * @property {(source: Source, cursor: CellPlace, pinned: Line | null, name: (place: CellPlace) => string) => void} showCells
 */

import { reflect } from "./attributes.js";
import { cellsOf, cellsSvg, hatchOf } from "./cellpaths.js";
import { h as make } from "./dom.js";
import { extentOf, isPartial } from "./extent.js";
import { hasThumbnails, labelLength, MANY } from "./frame.js";
import { makeHeads } from "./heads.js";
import { makeSvg } from "./make.js";
import { makeStrip } from "./readout.js";

const HEAVY = 0.15; // weights from here on make their token bold

/**
 * @param {Frame} frame
 * @param {string} id       unique in the page
 * @param {(head: number) => void} choose
 * @returns {View}
 */
export function makeView(frame, id, choose) {
  let extent = extentOf(frame, matchMedia("(width < 34rem)").matches);
  const { h } = frame;
  const { nq, nk } = extent;
  const heads = makeHeads(frame, id, choose);
  const canvas = make("canvas", { "aria-hidden": "true" });
  const still = hasThumbnails(frame) ? makeSvg("use") : makeSvg("g");
  const cells = Array.from({ length: nk }, () => make("span", { role: "gridcell", tabindex: "-1" }));
  const row = make("div", { role: "row", class: "hm-row" }, ...cells);
  const grid = make("div", { role: "grid", "aria-rowcount": String(frame.nq), "aria-colcount": String(frame.nk) }, row);
  const picture = cellsSvg(frame, "hm-still", hatchOf(frame, id), still);
  const matrix = make("div", { class: "hm-matrix" }, canvas, picture, make("div", { class: "hm-band" }, make("i")), grid);
  const keys = make("div", { class: "hm-keys", "aria-hidden": "true" }, ...labels(frame.keys.slice(0, nk)));
  const queries = make("div", { class: "hm-queries", "aria-hidden": "true" }, ...labels(frame.queries.slice(0, nq)));
  const readout = make("div", { class: "hm-readout" });
  const strip = makeStrip(isPartial(frame) ? [] : frame.keys);
  const stale = make("span", { class: "hm-stale", role: "status" });
  const corner = make(
    "div",
    { class: "hm-corner", "aria-hidden": "true" },
    make("span", { class: "hm-axis-k" }, "key →"),
    make("span", { class: "hm-axis-q" }, "query ↓"),
  );
  const scaleBox = make("div", { class: "hm-legend", "aria-hidden": "true" });
  const plot = make("div", { class: "hm-plot" }, corner, keys, queries, matrix, scaleBox);
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
        "Rows are queries, columns are keys: weights of shape (",
        // What the pointer is on is marked in the picture, by style alone.
        ...(h > 1 ? [axis("heads", h), ", "] : []),
        axis("queries", frame.nq),
        ", ",
        axis("keys", frame.nk),
        ").",
        ...frame.notes.flatMap((note) => [" ", make("strong", { class: "hm-note", "data-kind": note.kind }, note.text)]),
      ),
      stale,
    ),
  );

  let headShown = -1;
  let cellsShown = "";
  let scaleShown = "";
  return {
    figure,
    heads,
    panel,
    plot,
    matrix,
    canvas,
    queries,
    keys,
    grid,
    readout,
    strip,
    stale,
    cell: (key) => cells[key - extent.key],
    extent: () => extent,
    move(to) {
      if (to === extent) return;
      extent = to;
      cellsShown = "";
      [...queries.children].forEach((label, q) => (label.textContent = frame.queries[to.query + q] ?? ""));
      [...keys.children].forEach((label, k) => (label.textContent = frame.keys[to.key + k] ?? ""));
    },
    showHead(head) {
      if (head === headShown) return; // the pointer moves far more often, and a reference that is set is followed anew
      headShown = head;
      heads.show(head);
      if (still instanceof SVGUseElement) still.setAttribute("href", `#${id}-${head + 1}`);
      else still.replaceChildren(); // for paper it is drawn when it is asked for
      if (heads.tabs) panel.setAttribute("aria-labelledby", `${id}-tab-${head + 1}`);
    },
    showScale({ scale, ticks, diverging }) {
      const now = [scale, ...ticks].join();
      if (now === scaleShown) return;
      scaleShown = now;
      scaleBox.replaceChildren(
        make("span", { class: "hm-legend-name" }, scale),
        make(
          "span",
          { class: diverging ? "hm-scale hm-diverging" : "hm-scale" },
          make("i"),
          ...ticks.map((tick) => make("span", {}, tick)),
        ),
        ...(frame.masked ? [make("span", { class: "hm-swatch-masked" }, "masked")] : []),
      );
    },
    drawStill() {
      if (still instanceof SVGUseElement || still.firstChild || isPartial(frame)) return;
      still.replaceChildren(cellsOf(frame, headShown));
    },
    showLine(values, line, pinned, { faint }) {
      reflect(figure, "data-reading", line?.axis ?? null);
      figure.toggleAttribute("data-kept", pinned !== null);
      if (line) {
        const at = line.index - extent[line.axis];
        const place = `${(100 * at) / (line.axis === "query" ? nq : nk)}%`;
        const inset = line.axis === "query" ? `${place} 0px auto` : `0px auto 0px ${place}`;
        plot.querySelectorAll(".hm-band > i").forEach((band) => {
          if (band instanceof HTMLElement && band.style.inset !== inset) band.style.inset = inset;
        });
        plot.toggleAttribute("data-away", at < 0 || at >= (line.axis === "query" ? nq : nk));
      }
      mark(queries, "query", extent.query, values, line, pinned, faint);
      mark(keys, "key", extent.key, values, line, pinned, faint);
    },
    showCells(source, cursor, pinned, name) {
      const now = [source.name, source.scale, cursor.query, cursor.key, pinned?.axis, pinned?.index].join();
      if (now === cellsShown) return; // the pointer moves far more often than the cursor
      cellsShown = now;
      grid.setAttribute("aria-label", `${source.name}: weights of queries (rows) over keys (columns)`);
      row.style.setProperty("--row", String(cursor.query - extent.query));
      row.setAttribute("aria-rowindex", String(cursor.query + 1));
      row.setAttribute("aria-label", frame.queries[cursor.query] ?? "");
      row.setAttribute("aria-selected", String(pinned?.axis === "query" && cursor.query === pinned.index));
      cells.forEach((cell, k) => {
        const key = extent.key + k;
        cell.tabIndex = key === cursor.key ? 0 : -1;
        cell.setAttribute("aria-colindex", String(key + 1));
        cell.setAttribute("aria-label", name({ query: cursor.query, key }));
      });
    },
  };
}

/**
 * The labels of a line's own axis say which it is; those across it step forward by their weights.
 * @param {HTMLElement} labels
 * @param {"query" | "key"} axis
 * @param {number} first        the place of the first label
 * @param {Float32Array | null} values
 * @param {Line | null} line
 * @param {Line | null} pinned
 * @param {Source["faint"]} faint
 */
function mark(labels, axis, first, values, line, pinned, faint) {
  const own = line?.axis === axis;
  let told = own; // some words of this axis are what is to be read
  [...labels.children].forEach((label, place) => {
    const i = first + place;
    const heavy = !own && Math.abs(values?.[i] || 0) >= HEAVY;
    told ||= heavy;
    label.toggleAttribute("data-faint", faint?.(label.textContent) ?? false);
    label.toggleAttribute("data-heavy", heavy);
    label.toggleAttribute("data-current", own && i === line.index);
    label.toggleAttribute("data-pinned", pinned?.axis === axis && i === pinned.index);
  });
  labels.toggleAttribute("data-told", told);
}

/** @param {string} name @param {number} n */
const axis = (name, n) => make("b", { "data-axis": name }, String(n));

/** @param {readonly string[]} tokens */
const labels = (tokens) => tokens.map((token) => make("span", {}, token));
