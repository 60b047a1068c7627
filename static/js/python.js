/**
 * One worker with a Python in it, as the page holds it: from its start until it is ended. What it says goes to whoever
 * started it, who may let it wait as a spare.
 *
 * @typedef {import("./protocol.js").Boot} Boot
 * @typedef {import("./protocol.js").Reply} Reply
 * @typedef {import("./protocol.js").Request} Request
 * @typedef {Pick<Worker, "postMessage" | "terminate" | "addEventListener">} WorkerLike
 *
 * @typedef {object} Keeper
 * @property {(python: Python, reply: Reply) => void} reply   or anything else: the student's Python can reach `postMessage` too
 * @property {(python: Python, said: string | undefined) => void} crash
 */

export class Python {
  #worker;
  #ended = false;
  /** What it has told of its start. @type {import("./protocol.js").State | null} */
  said = null;

  /** @param {WorkerLike} worker @param {Boot} boot @param {Keeper} keeper */
  constructor(worker, boot, keeper) {
    this.#worker = worker;
    // A terminated worker's messages may still be under way: they are nobody's.
    worker.addEventListener("message", (event) => {
      const { data } = /** @type {MessageEvent<Reply>} */ (event);
      if (this.#ended) return;
      if (data?.type === "state") this.said = data;
      keeper.reply(this, data);
    });
    worker.addEventListener("error", (event) => {
      event.preventDefault?.();
      if (!this.#ended) keeper.crash(this, /** @type {ErrorEvent} */ (event).message);
    });
    worker.addEventListener("messageerror", () => {
      if (!this.#ended) keeper.crash(this, "a message could not be read");
    });
    worker.postMessage(boot);
  }

  /** @param {Request} request */
  post(request) {
    this.#worker.postMessage(request);
  }

  end() {
    this.#ended = true;
    this.#worker.terminate();
  }
}
