/**
 * Has rows of a lazy frame computed in a worker: those that are looked at first, in portions, and no longer than somebody
 * wants them. Where a page refuses the worker, nothing is computed beforehand, and rows are computed when they are read.
 *
 * @typedef {import("./attend.js").Lazy} Lazy
 * @typedef {import("./source.js").Rows} Rows
 * @typedef {import("./source.js").Source} Source
 * @typedef {{head: number, queries: number[], signal: AbortSignal | null, urgent: boolean, done: () => void}} Job
 */

const PORTION = 64; // rows of one message: a few milliseconds, which is how long what is urgent may have to wait
const AT_ONCE = 256; // rows that are waited for together, of all heads that a picture is made of
const PATIENCE = 5000; // ms until a worker that has not answered once counts as refused

export class Helper {
  #lazy;
  #hire;
  /** @type {Worker | null} */
  #worker = null;
  /** There is none, or not any more. */
  #without = false;
  /** Heads whose numbers the worker has. @type {Set<number>} */
  #sent = new Set();
  /** @type {Job[]} */
  #waiting = [];
  /** @type {Job | null} */
  #doing = null;
  /** What the map waits for, by purpose. @type {Map<string, {source: Rows, from: number, to: number, stop: AbortController}>} */
  #awaited = new Map();
  /** The purpose whose rows have come just now. @type {string | null} */
  #telling = null;

  /** @param {Lazy} lazy @param {() => Worker} hire      throws where there cannot be one */
  constructor(lazy, hire) {
    this.#lazy = lazy;
    this.#hire = hire;
  }

  /** Nobody looks at the frame any more. */
  end() {
    for (const { stop } of this.#awaited.values()) stop.abort();
    this.#giveUp();
  }

  /** From now on rows are computed when they are read. */
  #giveUp() {
    this.#without = true;
    this.#worker?.terminate();
    this.#worker = null;
    for (const { done } of [...(this.#doing ? [this.#doing] : []), ...this.#waiting]) done();
    [this.#doing, this.#waiting] = [null, []];
  }

  /**
   * Whether rows are still to come; `then` is called when they have. Asked anew for the same purpose, it forgets what was
   * asked before.
   * @param {string} purpose
   * @param {Rows} source
   * @param {number} from     the first row
   * @param {number} to       the row after the last
   * @param {() => void} then
   */
  awaits(purpose, source, from, to, then) {
    if (this.#without || this.#telling === purpose) return false;
    const before = this.#awaited.get(purpose);
    if (before?.source === source && before.from === from && before.to === to) return true;
    this.#drop(purpose);
    if (!isMissing(source, from, to)) return false;
    const stop = new AbortController();
    this.#awaited.set(purpose, { source, from, to, stop });
    void this.settle(source, from, to, stop.signal, true).then(() => {
      if (stop.signal.aborted) return;
      this.#awaited.delete(purpose);
      this.#telling = purpose; // whatever has been lost meanwhile is computed when it is read
      try {
        then();
      } finally {
        this.#telling = null;
      }
    });
    return true;
  }

  /**
   * Whether a picture has to wait: for all rows if its shades depend on them, then for those that it shows.
   * @param {string} purpose
   * @param {Source} source
   * @param {import("./extent.js").Extent} extent
   * @param {() => void} then
   */
  awaitsPicture(purpose, source, { query, nq }, then) {
    const scale = `${purpose}, scale`;
    if (!source.whole) this.#drop(scale);
    else if (this.awaits(scale, source.whole, 0, this.#lazy.size.nq, then)) return true;
    return this.awaits(purpose, source, query, query + nq, then);
  }

  /** @param {string} purpose */
  #drop(purpose) {
    this.#awaited.get(purpose)?.stop.abort();
    this.#awaited.delete(purpose);
  }

  /**
   * Have rows computed, so that reading them takes no time; resolves also if they are not wanted any more, or there is no
   * worker.
   * @param {Rows} source
   * @param {number} from
   * @param {number} to
   * @param {AbortSignal | null} signal     null: wanted in any case
   * @param {boolean} [urgent]     before what is not
   */
  async settle(source, from, to, signal, urgent = false) {
    const step = Math.max(1, Math.floor(Math.min(AT_ONCE, this.#lazy.most) / source.heads.length));
    for (let at = from; at < to; at += step) {
      const end = Math.min(to, at + step);
      if (!isMissing(source, at, end)) continue;
      await Promise.all(source.heads.map((head) => this.#rows(head, at, end, signal, urgent)));
      if (signal?.aborted || this.#without) return;
      for (let query = at; query < end; query++) if (!source.has(query)) source.row(query); // what is made of several heads
    }
  }

  /** @param {number} head @param {number} from @param {number} to @param {AbortSignal | null} signal @param {boolean} urgent */
  async #rows(head, from, to, signal, urgent) {
    const missing = Array.from({ length: to - from }, (_, i) => from + i).filter((query) => !this.#lazy.has(head, query));
    const jobs = [];
    for (let at = 0; at < missing.length; at += PORTION)
      jobs.push(new Promise((/** @type {(value: void) => void} */ done) => this.#waiting.push({ head, queries: missing.slice(at, at + PORTION), signal, urgent, done })));
    this.#next();
    await Promise.all(jobs);
  }

  #next() {
    if (this.#doing) return;
    this.#waiting = this.#waiting.filter(({ signal, done }) => (signal?.aborted ? done() : true));
    const job = this.#waiting.find(({ urgent }) => urgent) ?? this.#waiting[0];
    if (!job) return;
    const first = !this.#worker;
    this.#worker ??= this.#start();
    if (!this.#worker) return;
    this.#waiting = this.#waiting.filter((other) => other !== job);
    this.#doing = job;
    const { head, queries } = job;
    const { size } = this.#lazy;
    const part = this.#sent.has(head) ? null : copied(this.#lazy.part(head));
    const transfer = part ? [part.Q.buffer, part.K.buffer] : [];
    this.#worker.postMessage({ ...(first ? { size } : {}), ...(part ? { part } : {}), head, queries }, { transfer });
    this.#sent.add(head);
  }

  /** @returns {Worker | null} */
  #start() {
    if (this.#without) return this.#giveUp(), null;
    try {
      const worker = this.#hire();
      const patience = setTimeout(() => this.#giveUp(), PATIENCE);
      worker.onerror = (event) => {
        event.preventDefault();
        clearTimeout(patience);
        this.#giveUp();
      };
      worker.onmessage = ({ data }) => {
        clearTimeout(patience);
        this.#take(data);
      };
      return worker;
    } catch {
      this.#giveUp();
      return null;
    }
  }

  /** @param {Float32Array} rows */
  #take(rows) {
    const job = this.#doing;
    if (!job) return;
    const { nk } = this.#lazy.size;
    // Copies: a part of the message would keep all of it.
    job.queries.forEach((query, place) => this.#lazy.keep(job.head, query, rows.slice(place * nk, (place + 1) * nk)));
    this.#doing = null;
    job.done();
    this.#next();
  }
}

/** @param {Rows} source @param {number} from @param {number} to */
function isMissing(source, from, to) {
  for (let query = from; query < to; query++) if (!source.has(query)) return true;
  return false;
}

/** A part of the frame's numbers, without the rest of them. @param {import("./attend.js").Head} head */
const copied = ({ Q, K }) => ({ Q: Q.slice(), K: K.slice() });
