/**
 * What a key asks of the grid: where it takes the cursor (ARIA Authoring Practices, data grids), or what else. Pure.
 *
 * @typedef {import("./source.js").CellPlace} CellPlace
 * @typedef {{move: CellPlace} | {heads: 1 | -1} | "turn" | "pin" | "let go"} Wish
 */

const PAGE = 10;

/**
 * @param {KeyboardEvent} event
 * @param {CellPlace} from
 * @param {{nq: number, nk: number}} size
 * @returns {Wish | null}
 */
export function wishOf({ key, ctrlKey, altKey, metaKey }, from, size) {
  if (altKey || metaKey) return null;
  const move = moved(from, key, ctrlKey, size);
  if (move) return { move };
  if (ctrlKey) return null;
  switch (key) {
    case "[":
      return { heads: -1 };
    case "]":
      return { heads: 1 };
    case "c":
      return "turn";
    case "Enter":
    case " ":
      return "pin";
    case "Escape":
      return "let go";
    default:
      return null;
  }
}

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
