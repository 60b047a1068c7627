/**
 * The dimensions of multi-head attention, and how they are written and cut. Pure.
 *
 * @typedef {{seq: number, d: number, h: number}} Dimensions   tokens, d_model, heads
 */

/**
 * All h that divide d_model, smallest first.
 * @param {number} d
 */
export const divisors = (d) => Array.from({ length: d }, (_, i) => i + 1).filter((h) => d % h === 0);

/**
 * "({h}, {seq}, {dk})" with numbers in it. What follows a "|" is the wording for a single head.
 * @param {string} template
 * @param {Dimensions} dimensions
 */
export function fillLabel(template, { seq, d, h }) {
  const [many = "", one = many] = template.split("|");
  /** @type {Record<string, number>} */
  const numbers = { seq, d, h, dk: d / h, parameters: 4 * d * d };
  return (h === 1 ? one : many).replace(/\{(\w+)\}/g, (all, name) => numbers[name]?.toLocaleString("en") ?? all);
}

/**
 * The lines that cut a box into h equal columns or rows, as an SVG path.
 * @param {string} box      "x y width height columns|rows"
 * @param {number} h
 */
export function cutsOf(box, h) {
  const [x = 0, y = 0, width = 0, height = 0] = box.split(" ").map(Number);
  const rows = box.endsWith("rows");
  return Array.from({ length: h - 1 }, (_, i) => {
    const share = (i + 1) / h;
    return rows ? `M${x} ${y + share * height}h${width}` : `M${x + share * width} ${y}v${height}`;
  }).join("");
}
