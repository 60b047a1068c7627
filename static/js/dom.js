/** Builds elements from text alone: nothing here, or anywhere, parses HTML at run time. */

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | boolean | null | undefined>} attributes   true sets it empty; false, null: left out
 * @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

const PATHS = /** @type {const} */ ({
  run: "M4.5 2.8v10.4L13 8z",
  stop: "M3.8 3.8h8.4v8.4H3.8z",
  copy: "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z",
  reset: "M3 3v3.6h3.6M3.2 6.4a5.1 5.1 0 1 1-.3 3.4",
  check: "M3 8.6l3.2 3.2L13 4.6",
  auto: "M8 2a6 6 0 0 0 0 12zM8 2a6 6 0 0 1 0 12",
  light:
    "M8 5a3 3 0 1 1 0 6 3 3 0 0 1 0-6M8 1v1.6M8 13.4V15M1 8h1.6M13.4 8H15" +
    "M3 3l1.2 1.2M11.8 11.8 13 13M3 13l1.2-1.2M11.8 4.2 13 3",
  dark: "M13.4 9.8A5.9 5.9 0 0 1 6.2 2.6a5.9 5.9 0 1 0 7.2 7.2z",
});

/** @returns {SVGSVGElement} a 16 px icon in the text's colour, silent for screen readers @param {keyof typeof PATHS} name */
export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [key, value] of Object.entries({ class: `icon icon-${name}`, viewBox: "0 0 16 16", "aria-hidden": "true" })) {
    svg.setAttribute(key, value);
  }
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}

/**
 * A button that says what it does in words; `data-action` is the stable hook.
 *
 * @param {string} action @param {keyof typeof PATHS} picture @param {string} text @param {string} [of]  for whom, unseen
 */
export function button(action, picture, text, of = "") {
  const label = h("span", { class: "label" }, text);
  const unseen = of ? [h("span", { class: "visually-hidden" }, ` ${of}`)] : [];
  return h("button", { type: "button", "data-action": action }, icon(picture), label, ...unseen);
}
