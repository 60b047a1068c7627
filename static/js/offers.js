/**
 * What a heat map offers beyond reading, loaded when someone asks for it: the numbers as tables, and the tools.
 *
 * @typedef {import("./frame.js").Frame} Frame
 */

import { h as make } from "./dom.js";
import { isPartial } from "./extent.js";

/**
 * @param {HTMLElement & {now: unknown}} map
 * @param {Frame} frame
 * @param {AbortSignal} signal      the frame is not shown any more
 */
export function offerMore(map, frame, signal) {
  offerTools(map);
  offerTables(map, frame, signal);
}

/**
 * A button for everything beyond reading; the first press loads it.
 * @param {HTMLElement & {now: unknown}} map
 */
function offerTools(map) {
  const box = map.querySelector(".hm-tools") ?? make("div", { class: "hm-tools" }); // the page has its box, so nothing moves
  if (box.firstChild) return;
  const open = make("button", { type: "button", class: "hm-more", "aria-expanded": "false" }, "Compare, rescale, take along");
  box.append(open);
  if (!box.isConnected) map.append(box);
  /** @type {HTMLElement | null} */
  let tools = null;
  open.addEventListener("click", async () => {
    const { makeTools } = await import("./tools.js");
    if (tools) tools.hidden = !tools.hidden;
    else box.append((tools = makeTools(/** @type {import("./heatmap.js").HeatMap} */ (map))));
    open.setAttribute("aria-expanded", String(!tools.hidden));
  });
}

/**
 * What a frame needs beside the plot: the stages before the weights, an overview of what is large, help with what is lazy.
 * @param {Frame} frame
 */
export async function companionsOf(frame) {
  const partial = isPartial(frame);
  const { makeStages } = frame.scores && !partial ? await import("./stages.js") : { makeStages: () => null };
  const { makeOverview } = partial ? await import("./overview.js") : { makeOverview: () => null };
  if (frame.recipe) {
    const { attend, helperOf } = await import("./hire.js");
    frame.lazy ??= attend(frame.recipe);
    frame.lazy.worker = helperOf(frame.lazy);
  }
  return { makeStages, makeOverview };
}

/**
 * The page's words and tables are for readers without scripts; who opens them gets those of the frame that is shown.
 * @param {HTMLElement} map
 * @param {Frame} frame
 * @param {AbortSignal} signal
 */
function offerTables(map, frame, signal) {
  const details = map.querySelector("details");
  if (!details) return;
  const fill = async () => {
    const { makeTables } = await import("./tables.js");
    const summary = details.querySelector("summary") ?? "";
    if (frame.lazy) details.replaceChildren(summary, make("p", { role: "status" }, "The rows are being computed …"));
    const made = await makeTables(frame, signal);
    if (!signal.aborted) details.replaceChildren(summary, ...made);
  };
  if (details.open) void fill();
  else details.addEventListener("toggle", fill, { once: true, signal });
}
