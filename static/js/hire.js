/**
 * What lazy frames need and others do not: who computes rows, and a worker that does so beforehand. It is made of text, so
 * that it needs no address: a file on disk or a notebook has none.
 */

import CODE from "worker:attending.js";

import { Helper } from "./helper.js";

export { attend } from "./attend.js";

/** @param {import("./attend.js").Lazy} lazy */
export const helperOf = (lazy) =>
  new Helper(lazy, () => {
    const address = URL.createObjectURL(new Blob([CODE], { type: "text/javascript" }));
    const worker = new Worker(address);
    worker.addEventListener("message", () => URL.revokeObjectURL(address), { once: true });
    return worker;
  });
