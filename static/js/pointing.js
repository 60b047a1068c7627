/**
 * What a pointer does to a heat map: cells and labels under a mouse are read, a click keeps them, a finger slides along
 * the labels. Tells; decides nothing.
 *
 * @typedef {import("./extent.js").Extent} Extent
 * @typedef {import("./source.js").Axis} Axis
 * @typedef {import("./source.js").CellPlace} CellPlace
 * @typedef {import("./source.js").Line} Line
 * @typedef {object} Pointing
 * @property {(place: CellPlace | null) => void} hover      null: the pointer has left
 * @property {(place: CellPlace, byTouch: boolean) => void} click   on a cell
 * @property {(line: Line) => void} slide                   a finger has come to this label
 * @property {(line: Line) => void} tap                     on a label
 * @property {() => void} press                             on a cell, before anything comes of it
 */

import { cellAt } from "./matrix.js";

/**
 * @param {{matrix: HTMLElement, queries: HTMLElement, keys: HTMLElement}} view
 * @param {() => Extent} extent
 * @param {Pointing} tell
 * @param {AbortSignal} signal
 */
export function listenToPointer({ matrix, queries, keys }, extent, tell, signal) {
  listenOnCells(matrix, extent, tell, signal);
  listenOnLabels(queries, "query", matrix, extent, tell, signal);
  listenOnLabels(keys, "key", matrix, extent, tell, signal);
}

/**
 * @param {HTMLElement} matrix
 * @param {() => Extent} extent
 * @param {Pointing} tell
 * @param {AbortSignal} [signal]
 */
export function listenOnCells(matrix, extent, tell, signal) {
  const until = signal ? { signal } : {};
  matrix.addEventListener("pointerdown", tell.press, until);
  matrix.addEventListener(
    "pointermove",
    (event) => {
      if (event.pointerType !== "touch") tell.hover(cellAt(matrix.getBoundingClientRect(), event, extent()));
    },
    until,
  );
  matrix.addEventListener("pointerleave", () => tell.hover(null), until);
  matrix.addEventListener(
    "click",
    (event) => {
      const place = cellAt(matrix.getBoundingClientRect(), event, extent());
      if (place) tell.click(place, event instanceof PointerEvent && event.pointerType === "touch");
    },
    until,
  );
}

/**
 * @param {HTMLElement} labels
 * @param {Axis} axis
 * @param {HTMLElement} matrix      whose rows or columns they name
 * @param {() => Extent} extent
 * @param {Pointing} tell
 * @param {AbortSignal} signal
 */
function listenOnLabels(labels, axis, matrix, extent, tell, signal) {
  /** The label where a finger came down, and whether it has left that since. @type {{from: number | null, moved: boolean}} */
  let scrub = { from: null, moved: false };
  /** @param {MouseEvent} event */
  const labelAt = ({ clientX, clientY }) => {
    const box = matrix.getBoundingClientRect();
    if (axis === "query") return cellAt(box, { clientX: box.left + 0.5, clientY }, extent())?.query ?? null;
    const slant = parseFloat(getComputedStyle(labels).getPropertyValue("--slant")); // words lean away from their columns
    const lean = (box.top - clientY) / Math.tan((slant * Math.PI) / 180);
    return cellAt(box, { clientX: clientX - lean, clientY: box.top + 0.5 }, extent())?.key ?? null;
  };
  labels.addEventListener(
    "pointerdown",
    (event) => {
      const byTouch = event.pointerType === "touch";
      scrub = { from: byTouch ? labelAt(event) : null, moved: false };
      if (byTouch) labels.setPointerCapture(event.pointerId);
    },
    { signal },
  );
  labels.addEventListener(
    "pointermove",
    (event) => {
      const index = labelAt(event);
      if (index === null) return;
      if (event.pointerType !== "touch") tell.hover(axis === "query" ? { query: index, key: -1 } : { query: -1, key: index });
      else if (scrub.moved || index !== scrub.from) {
        scrub.moved = true;
        tell.slide({ axis, index });
      }
    },
    { signal },
  );
  labels.addEventListener("pointerleave", () => tell.hover(null), { signal });
  labels.addEventListener(
    "click",
    (event) => {
      const index = labelAt(event);
      if (index !== null && !scrub.moved) tell.tap({ axis, index });
    },
    { signal },
  );
}
