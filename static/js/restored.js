/**
 * Draws what became of the variables after a cell was stopped: restored by running cells again, honestly with what may
 * differ, and the choice not to do so.
 *
 * @typedef {import("./restore.js").Restored} Restored
 */

import { h } from "./dom.js";
import { count } from "./words.js";

const WHY = {
  random: "random numbers without a seed",
  time: "the time",
  input: "what you had typed",
};

/**
 * @returns {HTMLElement}
 * @param {Restored} restored
 * @param {{choose: (on: boolean) => void, visit: (cell: string) => void}} actions
 */
export function restoredElement({ phase, cells, unsure, failed }, { choose, visit }) {
  const many = count(cells.length, "cell");
  const text = {
    running: `Restoring variables: running ${many} again…`,
    done: `Variables were restored by running ${many} again.`,
    failed: `The cell ${failed} failed when it was run again to restore variables. The cells after it were left alone.`,
    off: `Variables are gone. Running ${many} again would restore them.`,
  }[phase];
  const box = h("div", { class: "restored", "data-phase": phase, role: "status" }, h("p", {}, text));
  if (phase === "done" && unsure.length) {
    const parts = unsure.map(({ cell, why }) => `${cell} (${why.map((each) => WHY[each]).join(", ")})`);
    box.append(h("p", {}, `What these compute may differ from what the page shows: ${parts.join("; ")}.`));
  }
  const choices = h("p", { class: "restored-actions" });
  const add = (/** @type {string} */ action, /** @type {string} */ label, /** @type {() => void} */ act) => {
    const one = h("button", { type: "button", "data-action": action }, label);
    one.addEventListener("click", act);
    choices.append(one);
  };
  if (phase === "failed" && failed) add("visit", `Go to ${failed}`, () => visit(failed));
  if (phase === "off") add("restore", "Restore", () => choose(true));
  else add("no-restore", "Don’t restore", () => choose(false));
  box.append(choices);
  return box;
}
