/**
 * Choosing a head: tabs with a small picture each (up to 16 heads), a list above that, nothing for a single head.
 *
 * @typedef {import("./frame.js").Frame} Frame
 * @typedef {object} HeadChooser
 * @property {HTMLElement} element
 * @property {boolean} tabs                   whether it is a tab list (and wants a tab panel)
 * @property {(head: number) => HTMLElement | null} stop   where the focus rests while this head is chosen
 * @property {(head: number) => void} show    mark this head as the chosen one; asks for nothing
 */

import { cellsOf, cellsSvg } from "./cellpaths.js";
import { h as make } from "./dom.js";
import { hasThumbnails, headName, MOST_TABS } from "./frame.js";

/**
 * @param {Frame} frame
 * @param {string} id       unique in the page; parts get it as a prefix
 * @param {(head: number) => void} choose
 * @returns {HeadChooser}
 */
export function makeHeads(frame, id, choose) {
  if (frame.h > MOST_TABS) return list(frame, choose);
  return frame.h === 1 ? single(frame, id) : tabs(frame, id, choose);
}

/**
 * @param {Frame} frame
 * @param {string} id
 * @param {(head: number) => void} choose
 * @returns {HeadChooser}
 */
function tabs(frame, id, choose) {
  const buttons = Array.from({ length: frame.h }, (_, head) =>
    make(
      "button",
      {
        type: "button",
        role: "tab",
        class: "hm-head",
        id: `${id}-tab-${head + 1}`,
        "aria-controls": `${id}-panel`,
      },
      ...face(frame, id, head),
    ),
  );
  const element = make("div", { class: "hm-heads", role: "tablist", "aria-label": "Attention heads" }, ...buttons);
  element.addEventListener("click", ({ target }) => {
    const button = target instanceof Element ? target.closest("button") : null;
    if (button) choose(buttons.indexOf(button));
  });
  element.addEventListener("keydown", (event) => {
    const at = buttons.findIndex((button) => button === document.activeElement);
    const to = {
      ArrowRight: (at + 1) % frame.h,
      ArrowLeft: (at - 1 + frame.h) % frame.h,
      Home: 0,
      End: frame.h - 1,
    }[event.key];
    if (to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    choose(to);
    buttons[to]?.focus();
  });
  return {
    element,
    tabs: true,
    stop: (head) => buttons[head] ?? null,
    show: (head) =>
      buttons.forEach((button, i) => {
        button.setAttribute("aria-selected", String(i === head));
        button.tabIndex = i === head ? 0 : -1;
        button.toggleAttribute("data-current", i === head);
      }),
  };
}

/**
 * @param {Frame} frame
 * @param {(head: number) => void} choose
 * @returns {HeadChooser}
 */
function list(frame, choose) {
  const select = make(
    "select",
    {},
    ...Array.from({ length: frame.h }, (_, head) => make("option", { value: String(head) }, headName(frame, head))),
  );
  select.addEventListener("change", () => choose(Number(select.value)));
  return {
    element: make(
      "div",
      { class: "hm-heads", "data-plain": "list" },
      make("label", { class: "hm-select" }, "Head ", select, ` of ${frame.h}`),
    ),
    tabs: false,
    stop: () => select,
    show: (head) => {
      select.value = String(head);
    },
  };
}

/**
 * @param {Frame} frame
 * @param {string} id
 * @returns {HeadChooser}
 */
function single(frame, id) {
  const only = make("div", { class: "hm-head", "data-current": true }, ...face(frame, id, 0));
  return { element: make("div", { class: "hm-heads", "data-plain": "single" }, only), tabs: false, stop: () => null, show: () => {} };
}

/**
 * What a tab shows: picture, number, the author's label.
 * @param {Frame} frame
 * @param {string} id
 * @param {number} head
 */
function face(frame, id, head) {
  const label = frame.labels[head];
  return [
    hasThumbnails(frame) ? thumbnail(frame, id, head) : null,
    make("span", { class: "hm-head-name" }, `Head ${head + 1}`),
    label ? " " : null,
    label ? make("span", { class: "hm-head-label" }, label) : null,
  ].filter((part) => part !== null);
}

/**
 * @param {Frame} frame
 * @param {string} id
 * @param {number} head
 */
function thumbnail(frame, id, head) {
  const cells = cellsOf(frame, head);
  cells.id = `${id}-${head + 1}`;
  return cellsSvg(frame, "hm-thumb", cells);
}
