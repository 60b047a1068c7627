/** From numbers to shades and words: monotone ramps, ink that reads, per cent that add up. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { contrast, entropy, fromOklab, inkOn, mostEntropy, percent, ramp, rank, spokenPercent, step, STEPS, toOklab } from "../../static/js/scale.js";

/** @typedef {import("../../static/js/scale.js").Rgb} Rgb */

/** The ends of the ramp as tokens.css gives them, in sRGB. @type {Record<string, {lo: Rgb, hi: Rgb}>} */
const THEMES = {
  light: { lo: [251, 250, 247], hi: [0, 34, 126] },
  dark: { lo: [18, 21, 28], hi: [160, 216, 255] },
  forced: { lo: [0, 0, 0], hi: [255, 255, 255] },
};

for (const [theme, { lo, hi }] of Object.entries(THEMES)) {
  test(`lightness is monotone from the page to the deepest shade (${theme})`, () => {
    const lightness = ramp(lo, hi).map((shade) => toOklab(shade)[0]);
    const direction = Math.sign(toOklab(hi)[0] - toOklab(lo)[0]);
    for (let i = 1; i < STEPS; i++)
      assert.ok(direction * ((lightness[i] ?? 0) - (lightness[i - 1] ?? 0)) >= -1e-3, `step ${i}`);
  });

  test(`zero is exactly the page, one exactly the other end (${theme})`, () => {
    const shades = ramp(lo, hi);
    assert.deepEqual(shades[step(0)], lo);
    assert.deepEqual(shades[step(1)], hi);
  });

  test(`digits read on every shade (${theme})`, () => {
    for (const shade of ramp(lo, hi)) assert.ok(contrast(inkOn(shade, lo, hi), shade) >= 4.5, String(shade));
  });
}

/** Linear light of full colour vision to that of a deficiency: Machado, Oliveira and Fernandes 2009, severity 1. */
const DEFICIENCIES = {
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
  greyscale: [[0.2126, 0.7152, 0.0722], [0.2126, 0.7152, 0.0722], [0.2126, 0.7152, 0.0722]],
};

/** @param {Rgb} rgb @param {number[][]} matrix @returns {Rgb} */
function seenBy(rgb, matrix) {
  const light = rgb.map((c) => (c <= 10.31475 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  const [r = 0, g = 0, b = 0] = matrix.map((row) => {
    const x = Math.min(1, Math.max(0, row.reduce((sum, share, i) => sum + share * (light[i] ?? 0), 0)));
    return 255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055);
  });
  return [r, g, b];
}

const TOKENS = readFileSync(new URL("../../static/css/tokens.css", import.meta.url), "utf8");

/** The two colours of a token, light and dark. @param {string} name @returns {[Rgb, Rgb]} */
function token(name) {
  const colours = [...(new RegExp(`--${name}: light-dark\\((.*)\\);`).exec(TOKENS)?.[1] ?? "").matchAll(/oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)/g)];
  const [light, dark] = colours.map(([, L, C, H]) => {
    const hue = (Number(H) * Math.PI) / 180;
    return fromOklab([Number(L), Number(C) * Math.cos(hue), Number(C) * Math.sin(hue)]);
  });
  return [/** @type {Rgb} */ (light), /** @type {Rgb} */ (dark)];
}

test("zero is the page itself", () => assert.match(TOKENS, /--heat-lo: var\(--paper\);/));

for (const [vision, matrix] of Object.entries(DEFICIENCIES))
  for (const [theme, index] of /** @type {const} */ ([["light", 0], ["dark", 1]])) {
    for (const end of ["heat-hi", "heat-less"])
      test(`the way from zero to ${end} is monotone in lightness in ${vision} (${theme})`, () => {
        const shades = ramp(token("paper")[index], token(end)[index]).map((shade) => toOklab(seenBy(shade, matrix))[0]);
        const direction = Math.sign((shades.at(-1) ?? 0) - (shades[0] ?? 0));
        for (let i = 1; i < STEPS; i++) assert.ok(direction * ((shades[i] ?? 0) - (shades[i - 1] ?? 0)) >= -2e-3, `step ${i}`);
        assert.ok(Math.abs((shades.at(-1) ?? 0) - (shades[0] ?? 0)) > 0.45, "from end to end");
      });
    // Without hues the two sides are alike; the digits and the read-out have the sign.
    if (vision !== "greyscale")
      test(`the two sides of a scale differ in ${vision} (${theme})`, () => {
        const [more, less] = ["heat-hi", "heat-less"].map((end) => toOklab(seenBy(token(end)[index], matrix)));
        const apart = Math.hypot(...[0, 1, 2].map((c) => (more?.[c] ?? 0) - (less?.[c] ?? 0)));
        assert.ok(apart > 0.12, apart.toFixed(3));
      });
  }

test("OKLab and back is the same colour", () => {
  for (const rgb of /** @type {Rgb[]} */ ([[0, 0, 0], [255, 255, 255], [255, 0, 0], [12, 200, 99], [3, 4, 250]]))
    assert.deepEqual(fromOklab(toOklab(rgb)), rgb);
});

test("OKLab of white, black and pure red is what the definition says", () => {
  /** @param {Rgb} rgb */
  const rounded = (rgb) => toOklab(rgb).map((value) => Number(value.toFixed(3)) + 0);
  assert.deepEqual(rounded([255, 255, 255]), [1, 0, 0]);
  assert.deepEqual(rounded([0, 0, 0]), [0, 0, 0]);
  assert.deepEqual(rounded([255, 0, 0]), [0.628, 0.225, 0.126]);
});

test("a weight outside 0 to 1 is clipped, and NaN has the shade of zero", () => {
  assert.deepEqual([-1, 0, 0.5, 1, 7, NaN].map(step), [0, 0, 128, 255, 255, 0]);
});

for (const [weight, shown, spoken] of /** @type {[number, string, string][]} */ ([
  [0.617, "62 %", "62 per cent"],
  [1, "100 %", "100 per cent"],
  [0, "0 %", "0 per cent"],
  [0.004, "<1 %", "less than 1 per cent"],
  [1.3, "130 %", "130 per cent"],
  [NaN, "NaN", "not a number"],
]))
  test(`${weight} is shown as ${shown} and spoken as ${spoken}`, () => {
    assert.equal(percent(weight).replace("\u202f", " "), shown);
    assert.equal(spokenPercent(weight), spoken);
  });

for (const { what, row, blocked, bits, most } of [
  { what: "one key has no choice", row: [1, 0, 0], blocked: [1, 2], bits: 0, most: 0 },
  { what: "equal weights have the most", row: [0.25, 0.25, 0.25, 0.25], blocked: [], bits: 2, most: 2 },
  { what: "masked keys are no choice", row: [0.5, 0.5, 0, 0], blocked: [2, 3], bits: 1, most: 1 },
  { what: "unless they have weight", row: [0.5, 0.5], blocked: [1], bits: 1, most: 1 },
  { what: "a row that sums to 2 is taken as if to 1", row: [1, 1], blocked: [], bits: 1, most: 1 },
])
  test(`entropy: ${what}`, () =>
    assert.deepEqual([entropy(row), mostEntropy(row, (key) => blocked.includes(key))], [bits, most]));

/** @param {number[]} row @param {number} limit @param {number[]} [blocked] */
const ranked = (row, limit, blocked = []) => {
  const { top, rest } = rank(row, limit, (key) => blocked.includes(key));
  return [top.map(({ index, percent }) => `${index}: ${percent.replace("\u202f", "")}`), rest?.percent.replace("\u202f", "")];
};

for (const { what, row, limit, blocked, expected } of [
  { what: "the largest come first, equals in order", row: [0.2, 0.5, 0.2, 0.1], limit: 3, expected: [["1: 50%", "0: 20%", "2: 20%"], "10%"] },
  { what: "the remainder is its own weight, also where the list then adds up to 99", row: [0.334, 0.333, 0.333], limit: 2, expected: [["0: 33%", "1: 33%"], "33%"] },
  { what: "and where it adds up to 101", row: [0.256, 0.256, 0.488], limit: 2, expected: [["2: 49%", "0: 26%"], "26%"] },
  { what: "a remainder that is next to nothing says so", row: [0.996, 0.004], limit: 6, expected: [["0: 100%"], "<1%"] },
  { what: "no keys left, no remainder", row: [0.6, 0.4], limit: 6, expected: [["0: 60%", "1: 40%"], undefined] },
  { what: "tiny keys are left to the remainder", row: [0.99, 0.004, 0.003, 0.003], limit: 4, expected: [["0: 99%"], "1%"] },
  { what: "masked keys take no part", row: [0.7, 0.3, 0, 0], limit: 6, blocked: [2, 3], expected: [["0: 70%", "1: 30%"], undefined] },
  { what: "numbers that are none are left out", row: [NaN, 0.75, 0.25], limit: 1, expected: [["1: 75%"], "25%"] },
  { what: "a row without a number has nothing", row: [NaN, NaN], limit: 3, expected: [[], undefined] },
  { what: "rows that do not sum to 1 are not bent to 100", row: [0.3, 0.2, 0.1], limit: 2, expected: [["0: 30%", "1: 20%"], "10%"] },
])
  test(what, () => assert.deepEqual(ranked(row, limit, blocked), expected));
