/**
 * What Python has read of the page's cells: the graph of who needs whom, and who leaves things to chance. Reads again
 * when a cell has changed, and only when somebody is about to run one that may need it.
 *
 * An exercise gives names only once the student's answer stands; until then it is open.
 *
 * @typedef {import("./runtime.js").Runtime} Runtime
 * @typedef {import("./protocol.js").CellNames} CellNames
 * @typedef {import("./protocol.js").CellSource} CellSource
 * @typedef {import("./protocol.js").Done} Done
 */

import { ancestors, connect } from "./graph.js";

export class Outline {
  #runtime;
  /** What the present Python has been told. */
  #told = "";
  /** Of each cell, as it was when it was last read. @type {Map<string, string>} */
  #texts = new Map();
  /** @type {Map<string, CellNames>} of each cell, as it was when it could last be read */
  #names = new Map();
  /** @type {readonly CellSource[]} */
  #cells = [];
  /** @type {import("./graph.js").Graph} */
  graph = new Map();

  /** @param {Runtime} runtime */
  constructor(runtime) {
    this.#runtime = runtime;
  }

  /**
   * Has one cell read and those above it, which are all that it can need: a first Run does not wait for the rest.
   *
   * A cell with a syntax error keeps what it was last known for: those who needed it still do, and its own run tells
   * what is wrong with it. One that never could be read gives nothing.
   *
   * @param {(CellSource & {check?: string})[]} cells   all, hidden ones too, in the order of the page
   * @param {string} last                               the name of the one that is about to run
   * @param {ReadonlySet<string>} open                  the exercises without an answer
   * @returns {Promise<Done | null>}                    a Done if Python could not be asked
   */
  async read(cells, last, open) {
    const texts = cells.map((cell) => JSON.stringify(cell));
    const upTo = cells.findIndex(({ name }) => name === last);
    const wanted = cells.flatMap(({ name }, i) => (i <= upTo && this.#texts.get(name) !== texts[i] ? [i] : []));
    const told = () => `${this.#runtime.generation} ${texts}`;
    // A fresh Python has to be told too: it explains missing names by the cells that have them.
    if (wanted.length || this.#told !== told()) {
      const reply = await this.#runtime.outline(cells, wanted);
      if (reply.type === "done") return reply;
      this.#told = told(); // only now there may be a Python
      for (const [i, at] of wanted.entries()) {
        const name = cells[at]?.name ?? "";
        const names = reply.cells[i];
        this.#texts.set(name, texts[at] ?? "");
        if (names) this.#names.set(name, names);
      }
    }
    this.#cells = cells;
    this.graph = this.#connect((name, names) => (open.has(name) ? { ...names, binds: [], touches: [] } : names));
    return null;
  }

  /** The cells that an exercise and its check build on, open exercises among them. @param {string} exercise */
  basis(exercise) {
    const all = this.#connect((name, names) =>
      name === exercise ? { ...names, needs: [...names.needs, ...(names.asks ?? [])] } : names,
    );
    return ancestors(exercise, all);
  }

  /** @param {(name: string, names: CellNames) => CellNames} as   how a cell counts */
  #connect(as) {
    return connect(
      this.#cells.map(({ name }) => {
        const names = this.#names.get(name);
        return { name, names: names ? as(name, names) : null };
      }),
    );
  }

  /** @param {string} cell */
  chances(cell) {
    return this.#names.get(cell)?.chances ?? [];
  }
}
