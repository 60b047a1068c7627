/**
 * Where a key takes the cursor of a grid (ARIA Authoring Practices, data grids). Pure.
 *
 * @typedef {import("./readout.js").CellPlace} CellPlace
 */

const PAGE = 10;

/**
 * @param {CellPlace} from
 * @param {string} key
 * @param {boolean} control
 * @param {{nq: number, nk: number}} size
 * @returns {CellPlace | null} null if the key moves nothing; at an edge the place stays the same
 */
export function moved(from, key, control, { nq, nk }) {
  const { query, key: column } = from;
  /** @param {number} row */
  const row = (row) => ({ query: Math.min(nq - 1, Math.max(0, row)), key: column });
  /** @param {number} to */
  const along = (to) => ({ query, key: Math.min(nk - 1, Math.max(0, to)) });
  if (control) {
    if (key === "Home") return { query: 0, key: 0 };
    return key === "End" ? { query: nq - 1, key: nk - 1 } : null;
  }
  switch (key) {
    case "ArrowUp":
      return row(query - 1);
    case "ArrowDown":
      return row(query + 1);
    case "PageUp":
      return row(query - PAGE);
    case "PageDown":
      return row(query + PAGE);
    case "ArrowLeft":
      return along(column - 1);
    case "ArrowRight":
      return along(column + 1);
    case "Home":
      return along(0);
    case "End":
      return along(nk - 1);
    default:
      return null;
  }
}
