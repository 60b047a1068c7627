/**
 * The attention frame: what `show_attention` sends and `<heat-map>` draws, checked and with typed rows. Pure.
 *
 * @typedef {{buffer: number}} Held     one of the frame's `buffers`
 * @typedef {(number | null)[][]} Listed    per head, row-major nq × nk; null stands for NaN and infinities
 *
 * @typedef {object} AttentionFrame     version 2, as it stands in the page and in display messages (lectern/frame.py)
 * @property {2} version
 * @property {number} h                 number of heads
 * @property {number} nq                number of queries (rows)
 * @property {number} nk                number of keys (columns)
 * @property {string[]} queryTokens
 * @property {string[]} keyTokens
 * @property {Listed | Held | null} weights     (h, nq, nk); null if the frame is lazy
 * @property {Listed | Held | null} scores      as weights: Q·Kᵀ/√d_k before the mask, if they are to be shown
 * @property {{queries: Held, keys: Held, dk: number, scale: number}} [lazy]   Q (h, nq, dk) and K (h, nk, dk)
 * @property {number[] | Held | "causal" | null} mask     nq × nk, 1 = blocked, shared by all heads
 * @property {string[] | null} headLabels
 * @property {{kind: string, text: string}[]} checks     what is wrong with the weights (lectern/checks.py)
 * @property {(Float32Array | Uint8Array | string)[]} [buffers]   large arrays; in JSON "f4:" or "u1:" and base64
 *
 * @typedef {Omit<AttentionFrame, "buffers"> & {buffers?: (Float32Array | Uint8Array)[]}} Opened
 * @typedef {{data: Opened, lazy: NonNullable<AttentionFrame["lazy"]>, blocked: Frame["blocked"]}} Recipe
 *
 * @typedef {object} Frame              a frame that can be drawn
 * @property {number} h
 * @property {number} nq
 * @property {number} nk
 * @property {string[]} queries         as labels: never empty, never blank
 * @property {string[]} keys
 * @property {string[]} labels          one per head, "" if it has none
 * @property {boolean} selfAttention    queries and keys are the same tokens
 * @property {Recipe | null} recipe      what rows are computed from; null if the frame has the weights
 * @property {import("./attend.js").Lazy | null} lazy     who computes them, once attend.js has come: before, there are no rows
 * @property {(head: number) => Float32Array} head        (nq · nk), row-major; NaN where it is no number
 * @property {(head: number, query: number) => Float32Array} row    (nk)
 * @property {(head: number, key: number) => Float32Array} column   (nq)
 * @property {((head: number) => Float32Array) | null} scores    (nq · nk), before the mask
 * @property {(query: number, key: number) => boolean} blocked
 * @property {boolean} masked           something is blocked
 * @property {readonly {kind: string, text: string}[]} notes     what is wrong with the weights
 */

const VERSION = 2;
const MOST_SHOWN = 400; // characters of a token; beyond them it is no word (as in sitebuilder/heatmap.py)
const LONGEST_LABEL = 18; // on narrow screens 12: --most in heatmap-plot.css
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1faff}]/gu;
/** Marks, joiners and what they join, tones of skin: they take no room of their own. */
const UNSEEN = /\u200d[\u2600-\u27bf\u{1f000}-\u{1faff}]|[\p{Mn}\p{Me}\p{Cf}\u{1f3fb}-\u{1f3ff}]/gu;

/** Up to so many heads are tabs, more are a list to choose from. */
export const MOST_TABS = 16;
/** Beyond so many tokens the map takes the full width (as in sitebuilder/heatmap.py). */
export const MANY = 24;
/** Small pictures of all heads are drawn up to so many cells in all (as in sitebuilder/heatmap.py). */
const MOST_THUMBNAIL_CELLS = 8192;

/** Whether every head has a small picture, which the large one on paper refers to. @param {Frame} frame */
export const hasThumbnails = ({ h, nq, nk }) => h <= MOST_TABS && h * nq * nk <= MOST_THUMBNAIL_CELLS;

/**
 * Check `data` and make it drawable.
 * @param {AttentionFrame} stored
 * @returns {Frame}
 * @throws {Error} with a sentence that says what does not fit
 */
export function readFrame(stored) {
  /** @type {Opened} */
  const data = stored.buffers ? { ...stored, buffers: stored.buffers.map(bufferOf) } : { ...stored, buffers: [] };
  const { h, nq, nk } = data;
  if (data.version !== VERSION) throw new Error(`This page draws attention frames of version ${VERSION}, not ${data.version}.`);
  if (!(h >= 1 && nq >= 1 && nk >= 1)) throw new Error(`There is nothing to draw in (${h}, ${nq}, ${nk}) weights.`);
  if (data.queryTokens.length !== nq || data.keyTokens.length !== nk)
    throw new Error(`(${nq}, ${nk}) weights need as many tokens, not (${data.queryTokens.length}, ${data.keyTokens.length}).`);
  const queries = data.queryTokens.map(shownToken);
  const keys = data.keyTokens.map(shownToken);
  const { masked, blocked } = maskOf(data);
  const { lazy } = data;
  if (lazy) checkLazy(data, lazy);
  const listed = lazy ? null : headsOf(data, data.weights);
  /** @param {number} head @param {number} query */
  const row = (head, query) => listed?.(head).subarray(query * nk, (query + 1) * nk) ?? frame.lazy?.row(head, query) ?? new Float32Array(nk);
  /** @type {Frame} */
  const frame = {
    h,
    nq,
    nk,
    queries,
    keys,
    labels: Array.from({ length: h }, (_, i) => data.headLabels?.[i] ?? ""),
    selfAttention: nq === nk && queries.every((token, i) => token === keys[i]),
    recipe: lazy ? { data, lazy, blocked } : null,
    lazy: null,
    head: listed ?? ((index) => wholeHead(nq, nk, (query) => row(index, query))),
    row,
    column: (index, key) => Float32Array.from({ length: nq }, (_, query) => row(index, query)[key] ?? NaN),
    scores: data.scores && headsOf(data, data.scores),
    blocked,
    masked,
    notes: data.checks,
  };
  return frame;
}

/** @param {Opened} data @param {NonNullable<AttentionFrame["lazy"]>} lazy */
function checkLazy({ h, nq, nk, buffers }, { queries, keys, dk }) {
  const [Q, K] = [buffers?.[queries.buffer], buffers?.[keys.buffer]]; // (h, nq, dk), (h, nk, dk)
  if (Q?.length !== h * nq * dk || K?.length !== h * nk * dk)
    throw new Error(`(${h}, ${nq}, ${nk}) weights of d_k = ${dk} do not come from ${Q?.length ?? 0} and ${K?.length ?? 0} numbers.`);
}

/** @param {Float32Array | Uint8Array | string} stored */
function bufferOf(stored) {
  if (typeof stored !== "string") return stored;
  const bytes = Uint8Array.from(atob(stored.slice(3)), (sign) => sign.charCodeAt(0));
  return stored.startsWith("f4:") ? new Float32Array(bytes.buffer) : bytes;
}

/**
 * The heads of an array, each as (nq · nk); lists become typed arrays when they are first asked for.
 * @param {Opened} data
 * @param {Listed | Held | null} values
 * @returns {(head: number) => Float32Array}
 */
function headsOf({ h, nq, nk, buffers }, values) {
  const size = nq * nk;
  if (!values) throw new Error("The frame carries neither weights nor queries and keys.");
  if ("buffer" in values) {
    const all = buffers?.[values.buffer];
    if (!(all instanceof Float32Array) || all.length !== h * size)
      throw new Error(`(${h}, ${nq}, ${nk}) weights need ${h * size} numbers, not ${all?.length ?? 0}.`);
    return (head) => all.subarray(head * size, (head + 1) * size);
  }
  if (values.length !== h) throw new Error(`The frame says ${h} heads but carries ${values.length}.`);
  const odd = values.find((head) => head.length !== size);
  if (odd) throw new Error(`A head needs ${nq} × ${nk} = ${size} numbers, not ${odd.length}.`);
  /** @type {Map<number, Float32Array>} */
  const heads = new Map();
  return (index) => {
    const head = heads.get(index) ?? Float32Array.from(values[index] ?? [], (value) => value ?? NaN);
    heads.set(index, head);
    return head;
  };
}

/**
 * @param {number} nq
 * @param {number} nk
 * @param {(query: number) => Float32Array} row
 */
function wholeHead(nq, nk, row) {
  const head = new Float32Array(nq * nk);
  for (let query = 0; query < nq; query++) head.set(row(query), query * nk);
  return head;
}

/** @param {Pick<Opened, "mask" | "nq" | "nk" | "buffers">} data */
export function maskOf({ mask, nq, nk, buffers }) {
  /** @type {(query: number, key: number) => boolean} */
  let blocked = () => false;
  if (mask === "causal") blocked = (query, key) => key > query + nk - nq; // the last query sees all keys
  else if (mask) {
    const cells = "buffer" in mask ? buffers?.[mask.buffer] : mask;
    if (cells?.length !== nq * nk) throw new Error(`The mask needs ${nq} × ${nk} cells, not ${cells?.length ?? 0}.`);
    if (cells.includes(1)) blocked = (query, key) => cells[query * nk + key] === 1;
    else return { masked: false, blocked };
  }
  return { masked: Boolean(mask), blocked };
}

/**
 * A token as a label: a line break, a blank or nothing at all become visible signs, and what is no word any more is cut.
 * @param {string} token
 */
export function shownToken(token) {
  if (token === "") return "∅";
  const visible = token.replaceAll("\n", "⏎").replaceAll("\t", "⇥");
  if (visible.length > MOST_SHOWN) return `${visible.slice(0, MOST_SHOWN)}…`;
  return visible.trim() ? visible : "␣".repeat(visible.length);
}

/**
 * The length of the longest label in characters (wide scripts count double), between 1 and 18.
 * @param {readonly string[]} tokens
 */
export function labelLength(tokens) {
  const lengths = tokens.map((token) => token.replace(UNSEEN, "")).map((seen) => [...seen].length + (seen.match(WIDE)?.length ?? 0));
  return Math.max(1, Math.min(LONGEST_LABEL, Math.max(0, ...lengths)));
}

/**
 * "Head 2, same word": what a head is called in words.
 * @param {Frame} frame
 * @param {number} head
 */
export const headName = (frame, head) =>
  `Head ${head + 1}${frame.labels[head] ? `, ${frame.labels[head]}` : ""}`;
