/**
 * What a heat map's attributes and the page's address say of it.
 *
 * A link to a head and a row ends in `#map=heads&head=3&query=9` (or `key=`), counted from 1 as the page counts them.
 *
 * @typedef {import("./source.js").Line} Line
 */

/**
 * An attribute that is an index below `count`.
 * @param {Element} element
 * @param {string} attribute
 * @param {number} [count]
 */
export function indexOf(element, attribute, count = 0) {
  const text = element.getAttribute(attribute);
  const index = Number(text);
  return text !== null && text !== "" && Number.isInteger(index) && index >= 0 && index < count ? index : null;
}

/**
 * @param {Element} element
 * @param {string} attribute
 * @param {string | null} value
 */
export function reflect(element, attribute, value) {
  if (value === null) element.removeAttribute(attribute);
  else if (element.getAttribute(attribute) !== value) element.setAttribute(attribute, value);
}

/**
 * What the address asks of the map of this name; null if it asks nothing.
 * @param {string} hash
 * @param {string} name
 * @param {{h: number, nq: number, nk: number}} size
 * @returns {{head: number, line: Line | null} | null}
 */
export function linked(hash, name, { h, nq, nk }) {
  const asked = new URLSearchParams(hash.replace(/^#/, ""));
  if (!name || asked.get("map") !== name) return null;
  /** @param {string} part @param {number} count */
  const at = (part, count) => {
    const index = Number(asked.get(part)) - 1;
    return Number.isInteger(index) && index >= 0 && index < count ? index : null;
  };
  const [query, key] = [at("query", nq), at("key", nk)];
  const line = query !== null ? { axis: /** @type {const} */ ("query"), index: query } : key !== null ? { axis: /** @type {const} */ ("key"), index: key } : null;
  return { head: at("head", h) ?? 0, line };
}
