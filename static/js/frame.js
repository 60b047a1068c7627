/**
 * The attention frame: what `show_attention` sends and `<heat-map>` draws, checked and with typed rows. Pure.
 *
 * @typedef {object} AttentionFrame     version 2, as it stands in the page and in display messages
 * @property {2} version
 * @property {number} h                 number of heads
 * @property {number} nq                number of queries (rows)
 * @property {number} nk                number of keys (columns)
 * @property {string[]} queryTokens
 * @property {string[]} keyTokens
 * @property {(number | null)[][]} weights   per head, row-major nq × nk; null stands for NaN and infinities
 * @property {(number | null)[][] | null} scores     as weights: Q·Kᵀ/√d_k before the mask, if they are to be shown
 * @property {number[] | null} mask     nq × nk, 1 = blocked, shared by all heads
 * @property {string[] | null} headLabels
 * @property {{rowSumError: number | null, nan: number}} checks
 *
 * @typedef {object} Frame              a frame that can be drawn
 * @property {number} h
 * @property {number} nq
 * @property {number} nk
 * @property {string[]} queries         as labels: never empty, never blank
 * @property {string[]} keys
 * @property {string[]} labels          one per head, "" if it has none
 * @property {boolean} selfAttention    queries and keys are the same tokens
 * @property {(head: number) => Float32Array} head        (nq · nk), row-major; NaN where it is no number
 * @property {(head: number, query: number) => Float32Array} row    (nk)
 * @property {(head: number, key: number) => Float32Array} column   (nq)
 * @property {((head: number) => Float32Array) | null} scores    (nq · nk), before the mask
 * @property {number} scoreLimit        the end of the scale of all scores
 * @property {(query: number, key: number) => boolean} blocked
 * @property {boolean} masked           something is blocked
 * @property {string[]} notes           what is wrong with the weights, one sentence each
 */

const VERSION = 2;
const LONGEST_LABEL = 12;
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1faff}]/gu;

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
 * @param {AttentionFrame} data
 * @returns {Frame}
 * @throws {Error} with a sentence that says what does not fit
 */
export function readFrame(data) {
  const { h, nq, nk, weights, mask } = data;
  if (data.version !== VERSION) throw new Error(`This page draws attention frames of version ${VERSION}, not ${data.version}.`);
  if (!(h >= 1 && nq >= 1 && nk >= 1)) throw new Error(`There is nothing to draw in (${h}, ${nq}, ${nk}) weights.`);
  if (weights.length !== h) throw new Error(`The frame says ${h} heads but carries ${weights.length}.`);
  if (data.queryTokens.length !== nq || data.keyTokens.length !== nk)
    throw new Error(`(${nq}, ${nk}) weights need as many tokens, not (${data.queryTokens.length}, ${data.keyTokens.length}).`);
  if (data.scores && data.scores.length !== h) throw new Error(`The frame says ${h} heads but carries the scores of ${data.scores.length}.`);
  const odd = [...weights, ...(data.scores ?? [])].find((head) => head.length !== nq * nk);
  if (odd) throw new Error(`A head needs ${nq} × ${nk} = ${nq * nk} numbers, not ${odd.length}.`);
  const queries = data.queryTokens.map(shownToken);
  const keys = data.keyTokens.map(shownToken);
  const head = typed(weights);
  const scores = data.scores && typed(data.scores);
  return {
    h,
    nq,
    nk,
    queries,
    keys,
    labels: Array.from({ length: h }, (_, i) => data.headLabels?.[i] ?? ""),
    selfAttention: nq === nk && queries.every((token, i) => token === keys[i]),
    head,
    row: (index, query) => head(index).subarray(query * nk, (query + 1) * nk),
    column: (index, key) => Float32Array.from({ length: nq }, (_, query) => head(index)[query * nk + key] ?? NaN),
    scores,
    scoreLimit: scoreLimit(data.scores ?? []),
    blocked: (query, key) => mask?.[query * nk + key] === 1,
    masked: mask?.includes(1) ?? false,
    notes: frameNotes(data.checks),
  };
}

/**
 * Heads become typed arrays when they are first asked for.
 * @param {readonly (readonly (number | null)[])[]} values
 */
function typed(values) {
  /** @type {Map<number, Float32Array>} */
  const heads = new Map();
  return (/** @type {number} */ index) => {
    const head = heads.get(index) ?? Float32Array.from(values[index] ?? [], (value) => value ?? NaN);
    heads.set(index, head);
    return head;
  };
}

/**
 * The end of the scale that the scores of all heads share: the largest |score|, rounded up to 1, 2, 3, 4, 5 or 8 · 10ⁿ.
 * @param {readonly (readonly (number | null)[])[]} scores
 */
export function scoreLimit(scores) {
  let most = 0;
  for (const head of scores) for (const score of head) most = Math.max(most, Math.abs(score ?? 0));
  if (most === 0) return 1;
  const unit = 10 ** Math.floor(Math.log10(most));
  const step = [1, 2, 3, 4, 5, 8].find((step) => most <= step * unit * (1 + 1e-9)) ?? 10;
  return Number((step * unit).toPrecision(3));
}

/**
 * A token as a label: a line break, a blank or nothing at all become visible signs.
 * @param {string} token
 */
export function shownToken(token) {
  if (token === "") return "∅";
  const visible = token.replaceAll("\n", "⏎").replaceAll("\t", "⇥");
  return visible.trim() ? visible : "␣".repeat(visible.length);
}

/**
 * The length of the longest label in characters (wide scripts count double), between 1 and 12.
 * @param {readonly string[]} tokens
 */
export function labelLength(tokens) {
  const lengths = tokens.map((token) => [...token].length + (token.match(WIDE)?.length ?? 0));
  return Math.max(1, Math.min(LONGEST_LABEL, Math.max(0, ...lengths)));
}

/**
 * What is wrong with the weights, one sentence each.
 * @param {AttentionFrame["checks"]} checks
 */
export function frameNotes(checks) {
  const notes = [];
  if (checks.nan) {
    const cells = checks.nan === 1 ? "1 weight is" : `${checks.nan} weights are`;
    notes.push(`${cells} not a number (crossed). A row in which every key is masked does that.`);
  }
  if (checks.rowSumError !== null && checks.rowSumError > 1e-3) {
    const error = Number(checks.rowSumError.toPrecision(2));
    notes.push(`Rows do not sum to 1 (off by up to ${error}). Is softmax taken over the keys, axis −1?`);
  }
  return notes;
}

/**
 * "Head 2, same word": what a head is called in words.
 * @param {Frame} frame
 * @param {number} head
 */
export const headName = (frame, head) =>
  `Head ${head + 1}${frame.labels[head] ? `, ${frame.labels[head]}` : ""}`;
