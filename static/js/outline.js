/**
 * What Python has read of the page's cells: the graph of who needs whom, and who leaves things to chance. Reads again
 * when a cell has changed, and only when somebody is about to run something.
 *
 * @typedef {import("./runtime.js").Runtime} Runtime
 * @typedef {import("./protocol.js").CellNames} CellNames
 * @typedef {import("./protocol.js").CellSource} CellSource
 * @typedef {import("./protocol.js").Done} Done
 */

import { connect } from "./graph.js";

export class Outline {
  #runtime;
  #known = "";
  /** @type {Map<string, CellNames>} of each cell, as it was when it could last be read */
  #names = new Map();
  /** @type {import("./graph.js").Graph} */
  graph = new Map();

  /** @param {Runtime} runtime */
  constructor(runtime) {
    this.#runtime = runtime;
  }

  /**
   * A cell with a syntax error keeps what it was last known for: those who needed it still do, and its own run tells
   * what is wrong with it. One that never could be read gives nothing.
   *
   * @param {CellSource[]} cells        all, hidden ones too, in the order of the page
   * @returns {Promise<Done | null>}    a Done if Python could not be asked
   */
  async read(cells) {
    const text = JSON.stringify(cells);
    // A fresh Python has to be told too: it explains missing names by the cells that have them.
    if (this.#known === `${this.#runtime.generation} ${text}`) return null;
    const reply = await this.#runtime.outline(cells);
    if (reply.type === "done") return reply;
    this.#known = `${this.#runtime.generation} ${text}`;
    for (const [i, { name }] of cells.entries()) {
      const names = reply.cells[i];
      if (names) this.#names.set(name, names);
    }
    this.graph = connect(cells.map(({ name }) => ({ name, names: this.#names.get(name) ?? null })));
    return null;
  }

  /** @param {string} cell */
  chances(cell) {
    return this.#names.get(cell)?.chances ?? [];
  }
}
