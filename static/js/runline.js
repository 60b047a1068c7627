/**
 * The line below a cell's code: Run, Stop, and one sentence on how things stand (size before the first run, true
 * progress while Python loads, elapsed time, result). The sentence is announced only where it matters.
 *
 * @typedef {import("./cells.js").CellState} CellState
 * @typedef {import("./runtime.js").Status} Status
 * @typedef {import("./protocol.js").Done} Done
 *
 * @typedef {object} RunState
 * @property {CellState} state
 * @property {Status} runtime
 * @property {import("./graph.js").Stale | null} stale   why, if the state is "stale"
 * @property {readonly string[]} first               the cells that run before it, if the state is "queued"
 * @property {Done | null} done                      how the latest run ended
 * @property {boolean} judged                        it was a check, whose verdict stands elsewhere
 * @property {boolean} silent                        that run showed nothing
 * @property {boolean} kept                         the lesson works offline: nothing is left to load
 * @property {boolean} wanted                        the student pointed at this cell's Run: progress shows here
 */

import { button, h } from "./dom.js";
import { faultSentence } from "./fault.js";
import { duration, share, size } from "./words.js";

/** A run shorter than this (ms) shows no elapsed time: nobody waits for it. */
const PATIENCE = 500;

export class RunLine {
  #name;
  #loads;
  #run;
  #check;
  #stop;
  #note;
  #bar = h("progress", { "aria-label": "Loading Python", hidden: true });
  #text = h("span", { class: "note-text" });
  #status = h("span", { class: "visually-hidden", role: "status" });
  #began = 0;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #clock;
  #said = "";
  #fetched = "";
  element;

  /**
   * @param {string} name  of the cell
   * @param {{bytes: number, fetches: number}} loads  what the first run of any cell loads, and of this one besides
   * @param {{run: () => void, stop: () => void, intent: () => void, check?: () => void}} actions   check: of an exercise
   */
  constructor(name, loads, { run, stop, intent, check }) {
    this.#name = name;
    this.#loads = loads;
    this.#run = button("run", "run", "Run", name);
    this.#stop = button("stop", "stop", "Stop", name);
    this.#stop.hidden = true;
    this.#note = h("p", { class: "cell-note", id: `note-${name}` }, this.#bar, this.#text);
    this.#check = check && button("check", "check", "Check", name);
    this.#check?.addEventListener("click", () => check?.());
    this.#run.addEventListener("click", run);
    for (const each of this.#starters) {
      each.setAttribute("aria-describedby", this.#note.id);
      onRest(each, intent);
    }
    this.#stop.addEventListener("click", stop);
    this.element = h("div", { class: "cell-run" }, ...this.#starters, this.#stop, this.#note, this.#status);
  }

  /** The buttons that start something, the chief one first. */
  get #starters() {
    return this.#check ? [this.#check, this.#run] : [this.#run];
  }

  /** @param {RunState} now */
  update(now) {
    const busy = now.state === "queued" || now.state === "running";
    // Not `disabled`: that would drop the keyboard focus on the floor.
    for (const each of this.#starters) each.setAttribute("aria-disabled", String(busy));
    if (!busy && document.activeElement === this.#stop) this.#starters[0]?.focus();
    this.#stop.hidden = !busy;
    this.#time(now.state === "running");
    const loading = now.state === "queued" || (now.wanted && now.state !== "running");
    const progress = loading && now.runtime.state === "loading";
    this.#bar.hidden = !progress;
    if (progress) this.#load(now);
    else if (now.state !== "running") this.#write(sentence(now, this.#loads));
    this.#announce(now);
  }

  /** Says one sentence to screen readers. @param {string} text */
  say(text) {
    if (text === this.#said) return;
    this.#said = text;
    this.#status.textContent = text;
  }

  /** @param {RunState} now */
  #load({ runtime: { progress } }) {
    if (progress?.phase === "download") {
      this.#bar.max = progress.total;
      this.#bar.value = progress.loaded;
      this.#write(share(progress.loaded, progress.total));
    } else {
      this.#bar.removeAttribute("value");
      this.#write(progress ? `${progress.step}…` : "Loading Python…");
    }
  }

  /** The cell waits for bytes of the site. @param {number} loaded @param {number} total */
  fetching(loaded, total) {
    this.#fetched = loaded < total ? `Fetching ${share(loaded, total)}` : "";
    if (this.#fetched) this.#write(this.#fetched);
  }

  /** @param {boolean} running */
  #time(running) {
    if (!running) {
      clearInterval(this.#clock);
      this.#clock = undefined;
      return;
    }
    if (this.#clock !== undefined) return;
    this.#began = performance.now();
    this.#fetched = "";
    this.#write("Running…");
    this.#clock = setInterval(() => {
      const elapsed = performance.now() - this.#began;
      if (elapsed < PATIENCE || this.#fetched) return;
      this.#write(`Running… ${duration(elapsed)}`);
      this.say(`${this.#name} is running`);
    }, 100);
  }

  /** @param {RunState} now */
  #announce({ state, runtime, done, silent, first, judged }) {
    if (state === "queued" && first.length) this.say(`${this.#name} needs other cells. ${before(first)}`);
    else if (state === "queued" && runtime.state === "loading") this.say("Loading Python");
    else if (state === "done") this.say(`${this.#name}: ${ended(done, silent)}`);
    else if (state === "error" && judged) this.say("");
    else if (state === "error" && done?.error) this.say(faultSentence(this.#name, done.error));
    else if (state === "queued") this.say("");
  }

  /** @param {string} text */
  #write(text) {
    if (this.#text.textContent !== text) this.#text.textContent = text;
  }
}

const STALE = {
  edited: "Edited since this ran",
  restarted: "Python was restarted since this ran",
  above: "A cell above that it needs has changed since this ran",
};

/** @param {readonly string[]} cells */
function before(cells) {
  return `First: ${cells.join(", ")}`;
}

/** @returns {string} @param {RunState} now @param {{bytes: number, fetches: number}} loads */
function sentence({ state, runtime, stale, done, silent, first, kept, judged }, { bytes, fetches }) {
  switch (state) {
    case "queued":
      return first.length ? before(first) : "Waiting for its turn";
    case "done":
      return ended(done, silent);
    case "error":
      return judged ? unpassed(done) : failed(done);
    case "stale":
      return stale ? STALE[stale] : "";
    default:
      if (runtime.state === "failed") return "Python could not be loaded; Run tries again";
      if (runtime.state === "ready" || runtime.state === "running") return fetches ? `Fetches ${size(fetches)} when it first runs` : "";
      if (kept) return "Runs Python in your browser, also offline";
      return `Runs Python in your browser: first run loads ${size(bytes)}${fetches ? `, this cell ${size(fetches)} more` : ""}`;
  }
}

/** @param {Done | null} done @param {boolean} silent */
function ended(done, silent) {
  return `Done in ${duration(done?.ms ?? 0)}${silent ? ", no output" : ""}`;
}

/** @param {Done | null} done  of a check */
function unpassed(done) {
  const kind = done?.error?.kind ?? "";
  if (kind === "check") return `Checked in ${duration(done?.ms ?? 0)}`;
  if (kind === "NotRun" || kind === "BrokenCheck") return "Not checked";
  return failed(done);
}

/** @param {Done | null} done */
function failed(done) {
  const kind = done?.error?.kind ?? "";
  if (kind === "Stopped") return "Stopped";
  if (kind === "RuntimeFailed" || kind === "NotRun") return "Not run";
  if (kind === "WorkerError") return "Python was restarted";
  return `Failed after ${duration(done?.ms ?? 0)}`;
}

/** How long (ms) the pointer or the focus must rest on a button to mean it. */
const REST = 200;

/**
 * Calls `act` when the pointer was moved onto the button, or the focus set on it, and stays. A page scrolled beneath a
 * still pointer, and a focus on its way through with Tab, mean nothing.
 *
 * @param {HTMLElement} button @param {() => void} act
 */
function onRest(button, act) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const begin = () => {
    timer ??= setTimeout(act, REST);
  };
  const end = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  button.addEventListener("pointermove", (event) => {
    if (event.movementX || event.movementY) begin();
  });
  button.addEventListener("focus", begin);
  for (const type of ["pointerleave", "blur"]) button.addEventListener(type, end);
}
