/**
 * How a cell ends that did not run, and who is to blame. Pure.
 *
 * @typedef {import("./protocol.js").Done} Done
 * @typedef {import("./protocol.js").CellError} CellError
 */

/** Ends that befall Python or the student's wish, and not one cell: whatever waits is over as well. */
export const FOR_ALL = new Set(["Stopped", "RuntimeFailed", "WorkerError"]);

/** @type {CellError} */
export const NOT_RUN = {
  kind: "Stopped",
  message: "Not run: stopped while it was waiting.",
  line: null,
  traceback: "",
  hint: null,
};

/** @returns {Done} @param {CellError | null} error */
export function refusal(error) {
  return { type: "done", id: 0, ok: false, error, ms: 0 };
}

/** @returns {Done} @param {string} name  the cell that is needed @param {Done} done  how that one ended */
export function blame(name, { error }) {
  const done = refusal(error);
  if (error && FOR_ALL.has(error.kind)) return error.kind === "Stopped" ? { ...done, error: NOT_RUN } : done;
  return { ...done, error: notRun(`Not run: it needs the cell ${name}, which failed.`, name) };
}

/** @returns {Done} @param {Done} done */
export function blameSetup(done) {
  const error = done.error;
  if (!error || FOR_ALL.has(error.kind)) return done;
  const message = `The lesson's hidden set-up failed: ${error.message}`;
  const hint = "This is a fault of the lesson, not of your code.";
  return { ...done, error: { ...error, message, hint, line: null, cell: undefined } };
}

/**
 * Of a check: a cell that ran before the answer is to blame, if one failed.
 *
 * @returns {Done} @param {Done} done @param {readonly {name: string}[]} setup
 */
export function unchecked(done, setup) {
  const { error } = done;
  if (!error?.cell) return done;
  if (setup.some(({ name }) => name === error.cell)) return blameSetup(done);
  const message = `Not checked: it needs the cell ${error.cell}, which failed with ${error.kind}: ${error.message}`;
  return { ...done, error: notRun(message, error.cell) };
}

/** @returns {CellError} @param {string} message @param {string} cell */
function notRun(message, cell) {
  return { ...NOT_RUN, kind: "NotRun", message, cell };
}
