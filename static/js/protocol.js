/**
 * The messages between the page and the Python worker, and nothing else: every type that crosses is here.
 *
 * Laws. The page sends `boot` first. Every `run` gets any number of `stream` and `display` messages and then
 * exactly one `done`, all with its id. A run never rejects: a failed cell is an answer. Every `outline` gets exactly one
 * `outlined`. After `state: "failed"` nothing is answered any more; the page settles what waits and may start a new worker.
 *
 * @typedef {object} RuntimeFile        a file the worker fetches before Python can start
 * @property {string} name              its name below `RuntimeManifest.url`
 * @property {number} bytes             its size
 * @property {string} sha256            hex digest
 *
 * @typedef {object} RuntimeManifest
 * @property {string} url               folder of the runtime, absolute once the page has resolved it; ends in "/"
 * @property {string} worker            URL of the worker's module, absolute once resolved
 * @property {string} python            "3.14"
 * @property {string} pyodide           "314.0.3"
 * @property {RuntimeFile[]} files      fetched on boot, in this order of need
 * @property {RuntimeFile[]} archives   fetched by the first import that needs them
 * @property {boolean} snapshot         whether a snapshot may be kept in the reader's browser
 * @property {string[]} packages        names in pyodide-lock.json that the lesson loads on boot (NumPy is in the pack)
 * @property {string | null} own        the file with the lesson's own modules and data, which Python finds in its folder
 * @property {string[]} wheels          pure-Python wheels of the lesson, names below `url`, with all they depend on
 *
 * @typedef {object} Kit                what a worker made of its downloads; with it the next one fetches nothing
 * @property {import("./supply.js").Scripts} scripts
 * @property {Pick<import("./start.js").Assets, "wasm" | "libraries">} compiled
 * @property {{python: Blob, lectern: Blob, numpy: Blob}} files   blobs: to copy 11 MB would hold the page up
 * @property {Map<string, Uint8Array<ArrayBuffer>>} others   the lesson's packages and wheels, by file name
 * @property {Blob | null} snapshot     Python's memory once NumPy is imported (memory.js)
 *
 * @typedef {{type: "boot", manifest: RuntimeManifest, kit: Kit | null, anew?: true, interrupt?: SharedArrayBuffer}} Boot
 *   `anew`: what an earlier visit has kept is thrown away, for a start from it has never ended;
 *   `interrupt`: one byte, on cross-origin-isolated pages; the page writes SIGINT (2) to stop the running cell
 * @typedef {{name: string, source: string}} CellSource
 * @typedef {object} Run
 * @property {"run"} type
 * @property {number} id
 * @property {string} cell
 * @property {string} source
 * @property {string | null} check       the exercise's: then all runs in a fresh namespace of its own, and the Done is the verdict
 * @property {CellSource[]} before       with a check: the set-up and the cells above that it needs; run there first, unseen
 * @property {string} [starter]          with a check: the lesson's own code of the cell; names that it defines must be there
 * @typedef {{type: "outline", id: number, cells: (CellSource & {check?: string})[], wanted: number[]}} Outline   all cells,
 *   in the order of the page, and the indices of those that are to be read now
 * @typedef {{type: "answer", id: number, text: string}} Answer            to an `ask` of the run that has this id
 * @typedef {{type: "make", manifest: RuntimeManifest, kit: Kit}} Make     instead of `boot`: take a snapshot
 * @typedef {Boot | Run | Outline | Answer} Request
 *
 * @typedef {object} Failure            why the runtime did not start, for a person
 * @property {string} message           one or two sentences: what, and what to do next
 * @property {string | null} file       the file that could not be had, if it is one
 *
 * @typedef {{type: "state", state: "loading", phase: "download", loaded: number, total: number}} Downloading
 *   bytes on the wire so far and in all; `loaded` never falls and ends equal to `total`
 * @typedef {{type: "state", state: "loading", phase: "start", step: string}} Starting
 * @typedef {{type: "state", state: "ready", ms: number}} Ready
 * @typedef {{type: "state", state: "failed", failure: Failure}} Failed
 * @typedef {Downloading | Starting | Ready | Failed} State
 * @typedef {{type: "kit", kit: Kit}} Keep    after `ready` of a worker that was given none, or one whose snapshot failed
 * @typedef {{type: "made", snapshot: Blob | null}} Made       answers `make`
 *
 * @typedef {{type: "stream", id: number, name: "stdout" | "stderr", text: string}} Stream
 * @typedef {Float32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>} Numbers
 * @typedef {{type: "display", id: number, mime: string, data: unknown, key?: string, buffers?: Numbers[]}} Display   with a
 *   `key`, it replaces the display of this run that has the same one; `buffers` are large arrays, which `data` names by index
 * @typedef {{type: "fetching", id: number, loaded: number, total: number}} Fetching   the cell waits for bytes of the site
 * @typedef {{type: "ask", id: number, prompt: string}} Ask   input(): the run is suspended until the answer comes
 * @typedef {object} CellError
 * @property {string} kind              the exception's type, or "Stopped", "WorkerError", "RuntimeFailed"; of a check:
 *   "check" (a wrong answer; the message is the author's), "BrokenCheck" (the check itself raised)
 * @property {string} message           the exception's own message
 * @property {number | null} line       1-based line within the cell's source
 * @property {string} traceback         the student's frames only, as Python prints them; "" if there are none
 * @property {string | null} hint       a sentence that helps, when there is one
 * @property {string} [cell]            another cell that is to blame: one of `before`, or set by the page
 * @property {number | null} [at]       of a broken check: the 1-based line within it that raised
 * @property {[number, number]} [met]   of a wrong answer: how many expectations held before, of how many
 * @typedef {{type: "done", id: number, ok: boolean, error: CellError | null, ms: number}} Done
 *
 * @typedef {object} CellNames          what a cell has to do with names that all cells share; see lectern/names.py
 * @property {string[]} needs           used before the cell itself has defined them
 * @property {string[]} [asks]          of an exercise: used by its check, and not defined for certain by the cell
 * @property {string[]} binds           defined for certain once it has run
 * @property {string[]} touches         perhaps defined, changed in place, or deleted
 * @property {Chance[]} chances         why another run may end differently
 * @typedef {"random" | "time" | "input"} Chance
 * @typedef {{type: "outlined", id: number, cells: (CellNames | null)[]}} Outlined   of those `wanted`; null: it cannot be read
 * @typedef {State | Keep | Made | Stream | Display | Fetching | Ask | Done | Outlined} Reply
 */

/** `display` messages of this type carry an attention frame (see heatmap.js for its shape). */
export const ATTENTION_MIME = "application/vnd.lectern.attention+json";

/** `display` messages of this type carry a chart frame (see chart.js for its shape), and always a key. */
export const CHART_MIME = "application/vnd.lectern.chart+json";

/** The value of a cell's last expression, as text. */
export const TEXT_MIME = "text/plain";
