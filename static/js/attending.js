/** A worker of its own: computes rows of a lazy frame's weights for helper.js, which sends each head's numbers once. */

import { rowOf } from "./attend.js";
import { maskOf } from "./frame.js";

/** @typedef {import("./attend.js").Size} Size */

/** @type {{size: Size, blocked: ((query: number, key: number) => boolean) | null} | null} */
let all = null;
/** @type {Map<number, import("./attend.js").Head>} */
const heads = new Map();

/** @param {MessageEvent<{size?: Size, part?: import("./attend.js").Head, head: number, queries: number[]}>} message */
onmessage = ({ data: { size, part, head, queries } }) => {
  if (size) {
    const { masked, blocked } = maskOf(size);
    all = { size, blocked: masked ? blocked : null };
  }
  if (part) heads.set(head, part);
  const own = heads.get(head);
  if (!all || !own) return;
  const rows = new Float32Array(queries.length * all.size.nk);
  for (const [place, query] of queries.entries()) rows.set(rowOf(own, query, all.size, all.blocked), place * all.size.nk);
  postMessage(rows, { transfer: [rows.buffer] });
};
