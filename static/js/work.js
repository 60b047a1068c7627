/**
 * The student's work on one exercise: attempts, the answer that passed, their own version behind a solution. Kept by
 * `progress`, so that it outlasts the page.
 *
 * @typedef {import("./progress.js").Progress} Progress
 * @typedef {import("./protocol.js").Done} Done
 */

/** Ends of a check that say nothing about the answer. */
const NO_VERDICT = new Set(["Stopped", "NotRun", "WorkerError", "RuntimeFailed", "BrokenCheck"]);

export class Work {
  #progress;
  #name;
  #hash;
  #starter;
  #kept;
  /** The check has failed by its own fault, on this page. */
  broken = false;

  /** @param {Progress} progress @param {{name: string, hash: string, starter: string}} task  `hash`: of starter and check */
  constructor(progress, { name, hash, starter }) {
    this.#progress = progress;
    this.#name = name;
    this.#hash = hash;
    this.#starter = starter;
    this.#kept = progress.work(name);
  }

  /** Answers that were judged and did not pass, before the first that did. */
  get attempts() {
    return this.#kept.attempts;
  }

  /** The answer that passed last. */
  get answer() {
    return this.#kept.passed?.source ?? null;
  }

  /** It passed, and starter or check have changed since. */
  get outdated() {
    return this.#kept.passed !== null && this.#kept.passed.task !== this.#hash;
  }

  /** What the student had written when they took the solution over. */
  get mine() {
    return this.#kept.mine;
  }

  set mine(source) {
    this.#keep({ mine: source });
  }

  /** The solution may be shown without more ado. */
  get earned() {
    return this.attempts > 0 || this.answer !== null || this.broken;
  }

  /** @param {Done} done @param {string} source */
  judged({ ok, error }, source) {
    this.broken = error?.kind === "BrokenCheck";
    if (ok) this.#keep({ passed: { source, task: this.#hash } });
    // The untouched starter is no attempt, and nothing is counted after a pass.
    else if (!NO_VERDICT.has(error?.kind ?? "") && source !== this.#starter && this.answer === null) {
      this.#keep({ attempts: this.attempts + 1 });
    }
  }

  /** @param {Partial<import("./progress.js").Work>} change */
  #keep(change) {
    this.#kept = { ...this.#kept, ...change };
    this.#progress.keep(this.#name, this.#kept);
  }
}
