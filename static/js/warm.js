/**
 * What is done for later starts once the student has a result and rests. A snapshot of Python is taken, in a worker of its
 * own, because the student's Python holds the student's variables; and the next Python is started, for Stop. Without
 * them everything only takes longer.
 *
 * @typedef {import("./runtime.js").Runtime} Runtime
 * @typedef {import("./protocol.js").RuntimeManifest} RuntimeManifest
 */

/** Nothing has run for so long (ms): then there is time to spare. */
const REST = 2_000;

/** The same for a start from a snapshot, which takes half a second. */
const PAUSE = 250;

/** Gigabytes of memory, as far as the browser tells, below which there is no room for a second Python. */
const ROOMY = 4;

/** @param {Runtime} runtime  that has run something @param {RuntimeManifest} manifest @param {() => void} made */
export function takeSnapshot(runtime, manifest, made) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const wait = () => {
    clearTimeout(timer);
    if (runtime.status.state === "ready") timer = setTimeout(make, REST);
  };
  const make = () => {
    const { kit } = runtime;
    if (!kit) return; // it comes a moment after `ready`; the next run tries again
    runtime.removeEventListener("state", wait);
    if (kit.snapshot) return made();
    const worker = new Worker(manifest.worker, { type: "module", name: "snapshot" });
    worker.addEventListener("message", ({ data }) => {
      if (data.type !== "made") return;
      worker.terminate();
      if (runtime.kit && data.snapshot) runtime.kit = { ...runtime.kit, snapshot: data.snapshot };
      made();
    });
    worker.addEventListener("error", (event) => event.preventDefault());
    worker.postMessage(/** @type {import("./protocol.js").Make} */ ({ type: "make", manifest, kit }));
  };
  runtime.addEventListener("state", wait);
  wait();
}

/** Keeps the next Python ready whenever one has become the present one. @param {Runtime} runtime  that has run something */
export function keepSpare(runtime) {
  if (!(/** @type {any} */ (navigator).deviceMemory >= ROOMY)) return;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const wait = () => {
    clearTimeout(timer);
    if (runtime.status.state === "ready") timer = setTimeout(() => runtime.prepare(), PAUSE);
  };
  runtime.addEventListener("state", wait);
  wait();
}
