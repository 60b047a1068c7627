/**
 * All weights as plain tables, one per head, two decimals, below a sentence for each: made when someone opens them.
 *
 * @typedef {import("./frame.js").Frame} Frame
 */

import { h as make } from "./dom.js";
import { headName } from "./frame.js";
import { allWords } from "./headwords.js";

const MOST_CELLS = 4096;
const MOST_OF_ONE = 20_000; // cells of a single head; beyond them a table is no help to anybody
const MOST_MEASURED = 1_000_000; // weights that are put into words

/**
 * @param {Frame} frame
 * @param {AbortSignal} signal      nobody wants them any more
 * @returns {Promise<HTMLElement[]>}
 */
export async function makeTables(frame, signal) {
  const size = frame.nq * frame.nk;
  const lines = await allWords(frame, Math.max(1, Math.min(frame.h, Math.floor(MOST_MEASURED / size))), signal);
  const words = make("ul", { class: "hm-words" }, ...(lines ?? []).map((line) => make("li", {}, line)));
  if (size > MOST_OF_ONE) return [words, make("p", {}, "A table of so many weights would help nobody: take the CSV along instead.")];
  const count = Math.max(1, Math.min(frame.h, Math.floor(MOST_CELLS / size)));
  const tables = Array.from({ length: count }, (_, head) =>
    make(
      "div",
      { class: "hm-table", role: "region", tabindex: "0", "aria-label": `Head ${head + 1}, table` },
      make(
        "table",
        {},
        make("caption", {}, headName(frame, head).replace(",", " ·")),
        make(
          "thead",
          {},
          make(
            "tr",
            {},
            make("th", { scope: "col" }, "query \\ key"),
            ...frame.keys.map((token) => make("th", { scope: "col" }, token)),
          ),
        ),
        make("tbody", {}, ...frame.queries.map((token, query) => tableRow(frame, head, token, query))),
      ),
    ),
  );
  return [words, ...tables];
}

/**
 * @param {Frame} frame
 * @param {number} head
 * @param {string} token
 * @param {number} query
 */
const tableRow = (frame, head, token, query) =>
  make(
    "tr",
    {},
    make("th", { scope: "row" }, token),
    ...Array.from(frame.row(head, query), (weight, key) =>
      make("td", {}, frame.blocked(query, key) ? "masked" : Number.isNaN(weight) ? "NaN" : weight.toFixed(2)),
    ),
  );
