/**
 * Where somebody reads: the row or column, and the cell, that pointer, keyboard and pin come to. The pin wins, then the
 * pointer, then the keyboard's focus. Pure.
 *
 * @typedef {import("./source.js").Axis} Axis
 * @typedef {import("./source.js").CellPlace} CellPlace
 * @typedef {import("./source.js").Line} Line
 */

import { lineAt } from "./source.js";

export class Reading {
  /** The cell under the pointer; on a label, the axis that it does not name is -1. @type {CellPlace | null} */
  hover = null;
  /** @type {Line | null} */
  pinned = null;
  /** Where the keyboard is, also while the focus is elsewhere. @type {CellPlace} */
  cursor = { query: 0, key: 0 };
  /** The focus is in the grid. */
  focused = false;
  /** The focus is the keyboard's. A click leaves it in the grid too, but then it shows no row and no ring. */
  byKeyboard = true;
  /** Whether cells are read by rows or by columns. @type {Axis} */
  #axis = "query";

  /** What the pointer or else the keyboard is on. @returns {CellPlace | null} */
  get #place() {
    return this.hover ?? (this.focused && this.byKeyboard ? this.cursor : null);
  }

  /** The row or column that is shown. @returns {Line | null} */
  get line() {
    return this.pinned ?? (this.#place && lineAt(this.#place, this.#axis));
  }

  /** The cell that is pointed at or walked on. @returns {CellPlace | null} */
  get cell() {
    const place = this.#place;
    return place && place.key >= 0 && place.query >= 0 ? place : null;
  }

  get lineAtCursor() {
    return lineAt(this.cursor, this.#axis);
  }

  /** The index of the line that is shown, if it lies on this axis. @param {Axis} axis */
  along(axis) {
    return this.line?.axis === axis ? String(this.line.index) : null;
  }

  /** Stay where a frame of this size has cells. @param {{nq: number, nk: number}} size */
  keepWithin({ nq, nk }) {
    if (this.pinned && this.pinned.index >= (this.pinned.axis === "query" ? nq : nk)) this.pinned = null;
    const { query, key } = this.cursor;
    this.cursor = { query: Math.min(query, nq - 1), key: Math.min(key, nk - 1) };
  }

  /** The keyboard goes on from the pointer. @param {CellPlace} cursor */
  walkTo(cursor) {
    this.cursor = cursor;
    this.hover = null;
    this.byKeyboard = true;
  }

  /** By rows or by columns. */
  turn() {
    this.#axis = this.#axis === "query" ? "key" : "query";
    this.walkTo(this.cursor);
  }

  /** The focus goes elsewhere. */
  leave() {
    this.focused = false;
    this.byKeyboard = true;
  }
}
