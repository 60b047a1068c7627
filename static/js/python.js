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

import { TEXT_MIME } from "./protocol.js";

const UNREADABLE = "a message could not be read";

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
      if (data && !sound(data)) {
        keeper.crash(this, UNREADABLE);
        return;
      }
      if (data?.type === "state") this.said = data;
      keeper.reply(this, data);
    });
    worker.addEventListener("error", (event) => {
      event.preventDefault?.();
      if (!this.#ended) keeper.crash(this, /** @type {ErrorEvent} */ (event).message);
    });
    worker.addEventListener("messageerror", () => {
      if (!this.#ended) keeper.crash(this, UNREADABLE);
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

/**
 * Whether a message has the form of its type as far as the page builds on it: one that only breaks where it is shown
 * would leave its cell running for ever. What has no known type, the page passes over.
 *
 * @param {any} reply
 */
function sound({ type, ...reply }) {
  const { error } = reply;
  if (type === "done") return typeof reply.ms === "number" && (reply.ok ? !error : error && fault(error));
  if (type === "outlined") return lists(reply.cells) && reply.cells.every(names);
  if (type === "stream") return text(reply.name, reply.text);
  if (type === "ask") return text(reply.prompt);
  if (type === "display") return text(reply.mime) && (reply.mime !== TEXT_MIME || text(reply.data));
  return reply.state !== "failed" || text(reply.failure?.message);
}

/** @param {any} error */
function fault({ kind, message, line, traceback, hint, cell }) {
  return text(kind, message, traceback, hint ?? "", cell ?? "") && (line === null || Number.isInteger(line));
}

/** @param {any} cell */
function names(cell) {
  return cell === null || lists(cell?.needs, cell?.asks ?? [], cell?.binds, cell?.touches, cell?.chances);
}

/** @param {unknown[]} values */
function text(...values) {
  return values.every((value) => typeof value === "string");
}

/** @param {unknown[]} values */
function lists(...values) {
  return values.every(Array.isArray);
}
