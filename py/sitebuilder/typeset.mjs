// Set formulas: a JSON array of {tex, display} on stdin becomes one of {mathml} or {message, position} on stdout.
// Runs with static/ as its working directory, where temml is installed.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { default: temml } = await import(pathToFileURL("node_modules/temml/dist/temml.mjs").href);

/** @param {string} text */
const escapeAttribute = (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

/** @param {{tex: string, display: boolean}} formula */
function set({ tex, display }) {
  try {
    // Fresh macros for each, so that no formula depends on which others were set before it.
    const mathml = temml.renderToString(tex, { displayMode: display, throwOnError: true, macros: {} });
    // alttext keeps the TeX for those who copy, index or cannot draw the formula. Browsers know how to
    // place display="block" without temml's class and style.
    const alt = escapeAttribute(tex.replace(/\s+/g, " "));
    return {
      mathml: mathml
        .replace(' class="tml-display" style="display:block math;"', "")
        .replace("<math", `<math alttext="${alt}"`),
    };
  } catch (error) {
    // Anything but temml's ParseError is a crash of temml on a formula it did not expect, such as "x^".
    const known = error instanceof temml.ParseError;
    return { message: known ? error.message.trim() : "", position: known ? (error.position ?? 0) : 0 };
  }
}

const formulas = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(formulas.map(set)));
