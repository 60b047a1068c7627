/**
 * Draws how a cell failed: type, message, hint, the student's frames. The same shape for a stop and for a Python that
 * could not be loaded, in quieter words.
 *
 * @typedef {import("./protocol.js").CellError} CellError
 */

import { button, h } from "./dom.js";

/** Kinds that are not the student's mistake: no type is shown, only the sentence. */
const OURS = new Set(["Stopped", "NotRun", "WorkerError", "RuntimeFailed"]);

/**
 * @param {CellError} error
 * @param {{goTo: (line: number) => void, retry: () => void, visit: (cell: string) => void}} actions
 * @returns {HTMLElement}
 */
export function faultElement(error, { goTo, retry, visit }) {
  const { kind, message, line, traceback, hint, cell } = error;
  const box = h("div", { class: "fault", "data-kind": kind });
  if (OURS.has(kind)) {
    box.append(h("p", { class: "fault-message" }, message));
  } else {
    const head = h("p", { class: "fault-message" }, h("strong", { class: "fault-kind" }, kind));
    if (message) head.append(": ", h("span", {}, message));
    box.append(head);
    if (line !== null) {
      const link = h("button", { type: "button", class: "fault-line", "data-action": "go-to-line" }, `Line ${line}`);
      link.addEventListener("click", () => goTo(line));
      head.prepend(link, " ");
    }
  }
  if (hint) box.append(h("p", { class: "fault-hint" }, ...withCode(hint)));
  if (traceback) box.append(tracebackElement(traceback));
  if (cell) {
    const there = h("button", { type: "button", class: "fault-cell", "data-action": "visit" }, `Go to ${cell}`);
    there.addEventListener("click", () => visit(cell));
    box.append(there);
  }
  if (kind === "RuntimeFailed") {
    const again = button("retry", "reset", "Try again");
    again.addEventListener("click", retry);
    box.append(again);
  }
  return box;
}

/** A hint quotes code in `backticks`. @param {string} hint */
export function withCode(hint) {
  return hint.split(/`([^`]+)`/).map((part, i) => (i % 2 ? h("code", {}, part) : part));
}

/** Open at once where it tells more than the line above: several frames deep. @param {string} traceback */
function tracebackElement(traceback) {
  const frames = traceback.match(/^ {2}File /gm)?.length ?? 0;
  const details = h("details", { class: "fault-trace" }, h("summary", {}, "Traceback"), h("pre", { tabindex: "0" }, traceback));
  details.open = frames > 1;
  return details;
}

/** @returns {string} for the live region @param {string} name @param {CellError} error */
export function faultSentence(name, { kind, message, line }) {
  if (OURS.has(kind)) return `${name}: ${message}`;
  return `${name}: ${kind}${line === null ? "" : ` on line ${line}`}. ${message}`;
}
