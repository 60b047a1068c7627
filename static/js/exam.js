/**
 * What an answer to an exercise is checked with: the set-up and the cells above that it builds on, in a namespace of its
 * own. Pure.
 *
 * @typedef {import("./cells.js").Record} Record
 * @typedef {import("./cells.js").Task} Task
 * @typedef {import("./cells.js").Judged} Judged
 * @typedef {import("./protocol.js").CellSource} CellSource
 */

/**
 * Cells count as edited now. Of another exercise counts the answer that passed or, while there is none, the lesson's
 * solution: nobody has to solve all before the one they like.
 *
 * @param {Record} cell @param {Task} task @param {string} source
 * @param {{setup: readonly CellSource[], cells: readonly Record[], basis: ReadonlySet<string>}} page
 */
export function exam({ name }, task, source, { setup, cells, basis }) {
  const above = cells.filter((each) => basis.has(each.name));
  const before = above.map((each) => ({ name: each.name, source: standing(each) }));
  const lent = above.filter(({ view }) => view.task && view.task.answer === null);
  const { check, starter } = task;
  return {
    request: { cell: name, source, check, starter, before: [...setup, ...before] },
    /** @type {Judged} */
    judged: { source, above: above.map((each) => each.name), lent: lent.map((each) => each.name) },
  };
}

/** @param {Record} cell */
function standing({ source, view: { task } }) {
  return task ? (task.answer ?? task.solution) : source;
}
