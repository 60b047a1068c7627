/**
 * Draws what became of an answer: a wrong one in the author's words, an error of the student's, a check that failed by
 * its own fault, or that it is right.
 *
 * @typedef {import("./protocol.js").CellError} CellError
 * @typedef {"right" | "wrong" | "error" | "broken" | "none"} Verdict
 *
 * @typedef {object} Circumstances
 * @property {readonly string[]} above    the cells that ran before it
 * @property {readonly string[]} lent     among them, the exercises whose solution stood in
 * @property {number} attempts            that did not pass
 * @property {boolean} solution           it is the lesson's own solution
 */

import { h, icon } from "./dom.js";
import { withCode } from "./fault.js";
import { FOR_ALL } from "./refusals.js";
import { count, list } from "./words.js";

/** @returns {{kind: Verdict, elements: HTMLElement[]}} @param {CellError | null} error @param {Circumstances} how */
export function verdictElement(error, how) {
  if (!error) return { kind: "right", elements: right(how) };
  if (error.kind === "check") return { kind: "wrong", elements: wrong(error, how) };
  if (error.kind === "BrokenCheck") return { kind: "broken", elements: broken(error) };
  // Not judged; the cell itself says why.
  if (error.kind === "NotRun" || FOR_ALL.has(error.kind)) return { kind: "none", elements: [] };
  return { kind: "error", elements: raised(error, how) };
}

/** @param {Circumstances} how */
function right(how) {
  const { attempts, solution } = how;
  const praise = solution
    ? "This is the lesson’s own solution. Come back tomorrow and write it from memory."
    : attempts === 0
      ? "Solved at the first attempt. The cells below can use it now."
      : `Solved after ${count(attempts, "attempt")} that did not pass. The cells below can use it now.`;
  return [head("That’s right", [icon("check")]), note([praise, ...company(how)])];
}

/** @param {CellError} error @param {Circumstances} how */
function wrong({ message, hint, met }, how) {
  const [held, all] = met ?? [0, 0];
  const progress = held > 0 ? [h("span", { class: "verdict-met" }, `${held} of ${count(all, "expectation")} met`)] : [];
  return [
    head("Not yet", [], progress),
    h("p", { class: "verdict-words" }, ...withCode(message)),
    ...(hint ? [h("p", { class: "verdict-hint" }, ...withCode(hint))] : []),
    note([...attempt(how), ...company(how)]),
  ];
}

/** @param {CellError} error @param {Circumstances} how */
function raised({ line }, how) {
  const where = line === null ? "" : ` on line ${line}`;
  return [
    head("Your code stopped early"),
    h("p", { class: "verdict-words" }, `Python stopped${where}, as shown below. Mend that first; then there is an answer to judge.`),
    note([...attempt(how), ...company(how)]),
  ];
}

/** @param {CellError} error */
function broken({ message }) {
  return [
    head("The check itself failed"),
    h("p", { class: "verdict-words" }, "It ran into an error of its own, so it says nothing about your answer."),
    h("p", { class: "verdict-hint" }, ...withCode(`It raised \`${message}\`.`)),
    note(["This is a fault of the lesson, not yours. Run shows what your code does; compare it with the solution below."]),
  ];
}

/** @param {string} text @param {Node[]} before @param {Node[]} after */
function head(text, before = [], after = []) {
  return h("p", { class: "verdict-head" }, h("strong", {}, ...before, text), ...after);
}

/** @param {string[]} sentences */
function note(sentences) {
  return h("p", { class: "verdict-note" }, ...withCode(sentences.join(" ")));
}

/** @param {Circumstances} how */
function attempt({ attempts }) {
  return attempts > 1 ? [`Attempt ${attempts}.`] : [];
}

/** What the answer was judged in the company of. @param {Circumstances} how */
function company({ above, lent }) {
  const quoted = (/** @type {readonly string[]} */ names) => list(names.map((name) => `\`${name}\``));
  const own = above.filter((name) => !lent.includes(name));
  return [
    ...(own.length ? [`Checked in a Python of its own, after ${quoted(own)}.`] : []),
    ...(lent.length ? [`The lesson’s solution of ${quoted(lent)} stood in for yours.`] : []),
  ];
}
