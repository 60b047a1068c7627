/**
 * Which cells of a page depend on which, and what follows: what Run has to run first, what no longer holds, what can be
 * brought back after a restart. Pure. Cells are told apart by their names and always come in the order of the page.
 *
 * @typedef {import("./protocol.js").CellNames} CellNames
 * @typedef {ReadonlyMap<string, readonly string[]>} Graph   cell → the cells above that it takes names from
 *
 * @typedef {"edited" | "restarted" | "above"} Stale   why what a cell shows no longer holds: its own code has changed, its
 *   variables went with a restart, or a cell that it depends on has changed or run since
 *
 * @typedef {object} History              what is known of a visible cell
 * @property {string} name
 * @property {string} source              as it stands now
 * @property {string | null} ran          the source of its latest run, null before the first
 * @property {boolean} failed             how that run ended
 * @property {boolean} lost               its variables went with a restart
 * @property {number} turn                when that run ended, counted over all cells
 * @property {readonly string[]} used     the cells that it took names from then
 * @property {GoodRun | null} good        its latest run that ended well and may be repeated
 *
 * @typedef {object} GoodRun
 * @property {string} source
 * @property {number} turn
 * @property {readonly string[]} used
 * @property {readonly string[]} answers   what the student typed when it asked
 */

/**
 * The nearest cell above that surely defines a name is where it comes from. Cells in between that perhaps define or
 * change it belong to it as well. A name that no cell above defines makes no edge.
 *
 * @param {readonly {name: string, names: CellNames | null}[]} cells   null: cannot be read, so neither needs nor gives
 * @returns {Graph}
 */
export function connect(cells) {
  const gives = cells.map(({ names }) => ({ binds: new Set(names?.binds), touches: new Set(names?.touches) }));
  return new Map(
    cells.map(({ name, names }, here) => {
      /** @type {Set<number>} */
      const found = new Set();
      for (const need of names?.needs ?? []) {
        for (let above = here - 1; above >= 0; above--) {
          const binds = gives[above]?.binds.has(need);
          if (binds || gives[above]?.touches.has(need)) found.add(above);
          if (binds) break;
        }
      }
      return [name, cells.filter((_, i) => found.has(i)).map((cell) => cell.name)];
    }),
  );
}

/** Whether what each cell shows still holds, and why not. @param {readonly History[]} cells @param {Graph} graph */
export function judge(cells, graph) {
  /** @type {Map<string, Stale | null>} */
  const verdicts = new Map();
  const known = new Map(cells.map((cell) => [cell.name, cell]));
  for (const cell of cells) {
    if (cell.ran === null) continue;
    // What it used then counts too: the cell above may have stopped defining it.
    const shaken = [...(graph.get(cell.name) ?? []), ...cell.used].some((name) => {
      const above = known.get(name); // hidden set-up is not known, and never changes
      return above && (!stands(above, verdicts) || above.turn > cell.turn);
    });
    verdicts.set(cell.name, cell.source !== cell.ran ? "edited" : cell.lost ? "restarted" : shaken ? "above" : null);
  }
  return verdicts;
}

/**
 * The cells that must run before this one, in order: those above that it needs, directly or through others, and that
 * have not run, have failed, or no longer hold.
 *
 * @param {string} name @param {readonly History[]} cells @param {Graph} graph
 */
export function missing(name, cells, graph) {
  const verdicts = judge(cells, graph);
  const needed = ancestors(name, graph);
  return cells.filter((cell) => needed.has(cell.name) && !stands(cell, verdicts)).map((cell) => cell.name);
}

/**
 * The cells that bring the variables back after a restart, in the order in which they ran. Left out, with all that
 * used them, are those that never ended well or must not be repeated.
 *
 * @param {readonly History[]} cells
 */
export function restorable(cells) {
  const barred = new Set();
  for (const { name, good } of cells) if (!good || good.used.some((above) => barred.has(above))) barred.add(name);
  return cells
    .filter(({ name, lost }) => lost && !barred.has(name))
    .sort((a, b) => (a.good?.turn ?? 0) - (b.good?.turn ?? 0))
    .map(({ name }) => name);
}

/** @param {History} cell @param {ReadonlyMap<string, Stale | null>} verdicts */
function stands(cell, verdicts) {
  return cell.ran !== null && !cell.failed && verdicts.get(cell.name) === null;
}

/** The cells that one needs, directly or through others. @param {string} name @param {Graph} graph */
export function ancestors(name, graph) {
  const found = new Set(graph.get(name));
  for (const above of found) for (const further of graph.get(above) ?? []) found.add(further);
  return found;
}
