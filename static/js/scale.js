/**
 * From numbers to shades and to words: the colour ramp, the ink that reads on it, per cent, top keys. Pure.
 *
 * @typedef {readonly [number, number, number]} Rgb   sRGB, 0 to 255
 * @typedef {{index: number, weight: number, percent: string}} Share
 * @typedef {{top: Share[], rest: {count: number, percent: string} | null}} Ranking
 */

export const STEPS = 256;

const NARROW_SPACE = "\u202f";

/** @param {number} c 0..255 */
const linear = (c) => (c <= 10.31475 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);

/** @param {number} c linear light, 0..1; outside it is clipped */
const encoded = (c) => {
  const x = Math.min(1, Math.max(0, c));
  return Math.round(255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055));
};

/**
 * sRGB to OKLab [L, a, b], L from 0 to 1. Matrices: Björn Ottosson, "A perceptual color space for image processing".
 * @param {Rgb} rgb
 * @returns {[number, number, number]}
 */
export function toOklab([red, green, blue]) {
  const [r, g, b] = [linear(red), linear(green), linear(blue)];
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

/**
 * OKLab to sRGB, clipped to the gamut.
 * @param {readonly [number, number, number]} lab
 * @returns {Rgb}
 */
export function fromOklab([L, a, b]) {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    encoded(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    encoded(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    encoded(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

/**
 * `STEPS` shades from `lo` (weight 0) to `hi` (weight 1), mixed in OKLab as CSS `color-mix(in oklab, …)` does.
 * @param {Rgb} lo
 * @param {Rgb} hi
 * @returns {Rgb[]}
 */
export function ramp(lo, hi) {
  const [from, to] = [toOklab(lo), toOklab(hi)];
  return Array.from({ length: STEPS }, (_, i) => {
    const t = i / (STEPS - 1);
    /** @param {0 | 1 | 2} c */
    const mix = (c) => from[c] + (to[c] - from[c]) * t;
    return fromOklab([mix(0), mix(1), mix(2)]);
  });
}

/**
 * The index into a ramp for a weight; what lies outside 0 to 1 is clipped, NaN counts as 0.
 * @param {number} weight
 */
export const step = (weight) => Math.round((STEPS - 1) * Math.min(1, Math.max(0, weight || 0)));

/**
 * Relative luminance (WCAG 2.2).
 * @param {Rgb} rgb
 */
export const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);

/**
 * Contrast ratio of two colours (WCAG 2.2), 1 to 21.
 * @param {Rgb} one
 * @param {Rgb} other
 */
export function contrast(one, other) {
  const [x, y] = [luminance(one) + 0.05, luminance(other) + 0.05];
  return Math.max(x, y) / Math.min(x, y);
}

/**
 * The ink that reads best on `ground`: one of the ramp's two ends while that has 4.5:1, else black or white,
 * of which one always has (the worse of the two best cases is 4.58:1).
 * @param {Rgb} ground
 * @param {Rgb} lo
 * @param {Rgb} hi
 * @returns {Rgb}
 */
export function inkOn(ground, lo, hi) {
  /** @param {Rgb[]} inks */
  const best = (inks) =>
    inks.reduce((a, b) => (contrast(b, ground) > contrast(a, ground) ? b : a));
  const own = best([lo, hi]);
  return contrast(own, ground) >= 4.5 ? own : best([[0, 0, 0], [255, 255, 255]]);
}

/**
 * Two digits for a cell: ".62", "1"; with its sign where that matters: "+.12", "−.30".
 * @param {number} value
 * @param {boolean} sign
 */
export function hundredths(value, sign) {
  const digits = Math.abs(value).toFixed(2).replace(/^0/, "").replace(/\.00$/, "");
  return `${value < 0 ? "−" : sign ? "+" : ""}${digits}`;
}

/**
 * The entropy of a row in bits: 0 for one key, log₂ n for n equal ones. What is no number, or not above 0, counts for
 * nothing; NaN if nothing counts. A row that does not sum to 1 is taken as if it did.
 * @param {ArrayLike<number>} row
 */
export function entropy(row) {
  const weights = Array.from(row).filter((weight) => weight > 0 && Number.isFinite(weight));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total === 0) return NaN;
  return weights.reduce((bits, weight) => bits - (weight / total) * Math.log2(weight / total), 0) + 0;
}

/**
 * The largest entropy in bits that a row can have: of equal weights on all keys that are open, or have weight all the same.
 * @param {ArrayLike<number>} row
 * @param {(key: number) => boolean} blocked
 */
export const mostEntropy = (row, blocked) =>
  Math.log2(Math.max(1, Array.from(row).filter((weight, key) => !blocked(key) || weight > 0).length));

/**
 * A share as whole per cent, without the sign: "62", "<1" for what rounds to nothing, "0" for nothing.
 * @param {number} weight
 */
function wholePercent(weight) {
  if (!Number.isFinite(weight)) return "NaN";
  const rounded = Math.round(100 * weight);
  return rounded === 0 && weight > 0 ? "<1" : String(rounded).replace("-", "−");
}

/**
 * "62 %", "<1 %"; "NaN" if it is no number.
 * @param {number} weight
 */
export const percent = (weight) => withSign(wholePercent(weight));

/** @param {string} whole */
const withSign = (whole) => (whole === "NaN" ? whole : `${whole}${NARROW_SPACE}%`);

/**
 * "62 per cent", "less than 1 per cent"; "not a number".
 * @param {number} weight
 */
export function spokenPercent(weight) {
  const whole = wholePercent(weight);
  return whole === "NaN" ? "not a number" : `${whole.replace("<", "less than ")} per cent`;
}

/**
 * The keys with the largest weights, largest first, and what remains.
 *
 * Every number is its own weight, rounded; so a list may add up to 99 or 101, and the remainder does not bend to hide that.
 * Keys below half a per cent are left to the remainder (the largest key never is).
 * @param {ArrayLike<number>} row
 * @param {number} limit
 * @param {(key: number) => boolean} blocked    masked keys take no part
 * @param {boolean} signed      differences: the largest in size come first, with their signs
 * @returns {Ranking}
 */
export function rank(row, limit, blocked = () => false, signed = false) {
  /** @param {number} weight */
  const size = (weight) => (signed ? Math.abs(weight) : weight);
  const order = Array.from(row, (weight, index) => ({ index, weight }))
    .filter(({ index, weight }) => Number.isFinite(weight) && !blocked(index))
    .sort((a, b) => size(b.weight) - size(a.weight) || a.index - b.index);
  const top = order
    .slice(0, limit)
    .filter(({ weight }, place) => place === 0 || size(weight) >= 0.005)
    .map(({ index, weight }) => ({ index, weight, percent: `${signed && weight >= 0.005 ? "+" : ""}${percent(weight)}` }));
  const others = order.slice(top.length);
  if (others.length === 0) return { top, rest: null };
  return { top, rest: { count: others.length, percent: percent(others.reduce((sum, { weight }) => sum + weight, 0)) } };
}
