/**
 * All weights as plain tables, one per head, two decimals: made when someone opens them.
 *
 * @typedef {import("./frame.js").Frame} Frame
 */

import { h as make } from "./dom.js";
import { headName } from "./frame.js";

const MOST_CELLS = 4096;

/**
 * @param {Frame} frame
 * @returns {HTMLElement[]}
 */
export function makeTables(frame) {
  const count = Math.max(1, Math.min(frame.h, Math.floor(MOST_CELLS / (frame.nq * frame.nk))));
  return Array.from({ length: count }, (_, head) =>
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
