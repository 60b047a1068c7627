/**
 * Reads the one JSON script of a lesson page: what the page's code needs and the reader does not see.
 *
 * @typedef {import("./protocol.js").RuntimeManifest} RuntimeManifest
 *
 * @typedef {object} CellData
 * @property {string} name
 * @property {"setup" | "run" | "exercise"} kind
 * @property {string} [source]    of `setup` cells; the page itself shows all others
 * @property {string} hash        first 8 hex digits of SHA-256 of the source as the lesson has it
 * @property {number} [fetches]   bytes of the site that its first run waits for, beside Python
 * @property {{check: string, solution: string, hash: string}} [exercise]   `hash`: of starter and check
 *
 * @typedef {object} LessonData
 * @property {1} version
 * @property {string} slug
 * @property {string} base                            path of the site's root
 * @property {CellData[]} cells
 * @property {string | null} offline                  path from `base` of the list of what to keep; null: keep nothing
 * @property {Record<string, string[]>} notation      role → identifiers that carry its colour
 * @property {RuntimeManifest} runtime
 */

/** @returns {LessonData | null} null on pages without a lesson @param {Document} page */
export function readLessonData(page) {
  const script = page.querySelector("script#lesson-data");
  return script ? parseLessonData(script.textContent ?? "", page.baseURI) : null;
}

/** @returns {LessonData} with absolute URLs @param {string} json @param {string} pageUrl */
export function parseLessonData(json, pageUrl) {
  /** @type {LessonData} */
  const data = JSON.parse(json);
  if (data.version !== 1) throw new Error(`lesson-data: got version ${data.version}, expected 1`);
  const { runtime } = data;
  return {
    ...data,
    base: new URL(data.base, pageUrl).pathname,
    runtime: {
      ...runtime,
      url: new URL(runtime.url, pageUrl).href,
      worker: new URL(runtime.worker, pageUrl).href,
    },
  };
}

/** @returns {number} bytes that the first run loads @param {RuntimeManifest} manifest */
export function sizeOnWire(manifest) {
  return manifest.files.reduce((sum, file) => sum + file.bytes, 0);
}
