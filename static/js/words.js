/** Numbers as a reader wants them: sizes, durations. Pure. */

/** @returns {string} "9.3 MB", "412 kB"; decimal units, as download managers count @param {number} bytes */
export function size(bytes) {
  if (bytes < 999_500) return `${Math.round(bytes / 1000)} kB`;
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** @returns {string} "3.1 of 9.3 MB" @param {number} loaded @param {number} total */
export function share(loaded, total) {
  const unit = size(total).split(" ")[1];
  return `${size(loaded).replace(` ${unit}`, "")} of ${size(total)}`;
}

/** @returns {string} "12 ms", "1.4 s", "38 s", "2 min 5 s" @param {number} ms */
export function duration(ms) {
  if (ms < 999.5) return `${Math.max(1, Math.round(ms))} ms`;
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** @returns {string} "a", "a and b", "a, b and c" @param {readonly string[]} names */
export function list(names) {
  const last = names.at(-1) ?? "";
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${last}` : last;
}

/** @returns {string} "1 line", "3 lines" @param {number} n @param {string} noun */
export function count(n, noun) {
  return `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
}
