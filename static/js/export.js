/**
 * Taking a heat map along: as a picture, as numbers, as code, as a link.
 *
 * @typedef {import("./heatmap.js").HeatMap} HeatMap
 * @typedef {NonNullable<HeatMap["now"]>} Now
 */

import { csvOf, jsonOf, numpyOf } from "./numbers.js";
import { pngOf, svgOf } from "./pictures.js";

/**
 * @param {HeatMap} map
 * @returns {{name: string, title: string, act: () => Promise<string>}[]}   each says what it has done
 */
export function carriers(map) {
  const now = () => {
    const { now } = map;
    if (!now) throw new Error("there is no picture yet");
    return now;
  };
  /** @param {string} ending */
  const file = (ending) => `${map.getAttribute("name") ?? "attention"}-head-${now().head + 1}.${ending}`;
  return [
    {
      name: "PNG",
      title: "The picture with its labels, at twice its size",
      act: async () => save(file("png"), await pngOf(now(), map)),
    },
    {
      name: "SVG",
      title: "The picture as vectors, for print",
      act: async () => save(file("svg"), new Blob([await svgOf(now(), map)], { type: "image/svg+xml" })),
    },
    {
      name: "CSV",
      title: "What is shown, as a table of numbers",
      act: async () => save(file("csv"), new Blob([await csvOf(now())], { type: "text/csv" })),
    },
    {
      name: "JSON",
      title: "The whole attention frame: all heads, to be shown again",
      act: async () => save(`${map.getAttribute("name") ?? "attention"}.json`, await jsonOf(map.frame)),
    },
    {
      name: "NumPy code",
      title: "What is shown, as Python code",
      act: async () => copy(await numpyOf(now()), "The code"),
    },
    {
      name: "Link",
      title: "An address that opens this head and row",
      act: async () => {
        const { head, line } = now();
        return copy(new URL(linkTo(map.getAttribute("name") ?? "", head, line), location.href).href, "The link");
      },
    },
  ];
}

/** @param {string} name @param {Blob} content */
function save(name, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // the download has begun long before
  return `Saved ${name}.`;
}

/** @param {string} text @param {string} what */
async function copy(text, what) {
  await navigator.clipboard.writeText(text);
  return `${what} is in the clipboard.`;
}

/**
 * The end of an address that opens a head and a row or column: what `linked` in attributes.js reads.
 * @param {string} name
 * @param {number} head
 * @param {import("./source.js").Line | null} line
 */
export const linkTo = (name, head, line) =>
  `#${new URLSearchParams({ map: name, head: String(head + 1), ...(line ? { [line.axis]: String(line.index + 1) } : {}) })}`;
