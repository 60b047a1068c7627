/** Marks, in the table of contents, the section that is being read, and how many of its exercises are solved. */

import { h } from "./dom.js";
import { count } from "./words.js";

/** @param {Document} page */
export function startToc(page) {
  const targets = sections(page);
  if (!targets.length) return;

  // Headings report when they cross a line a quarter down the window: the last one above it is the current one.
  const observer = new IntersectionObserver(
    () => {
      const line = innerHeight / 4;
      const current = targets.findLast(({ heading }) => heading.getBoundingClientRect().top <= line);
      for (const { link } of targets) {
        if (link === current?.link) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
      const shown = current ?? targets[0]; // above all of them, the list is seen from its beginning
      if (shown) keepInView(shown.link);
    },
    // Tall above, so that a heading jumped over reports as well.
    { rootMargin: "1000000px 0px -75% 0px" },
  );
  for (const { heading } of targets) observer.observe(heading);
}

/** @param {Document} page @param {ReadonlySet<string>} solved  names of exercises */
export function markExercises(page, solved) {
  const targets = sections(page);
  /** @type {Map<HTMLAnchorElement, string[]>} */
  const tasks = new Map();
  for (const cell of page.querySelectorAll("code-cell[kind=exercise]")) {
    const above = targets.findLast(({ heading }) => heading.compareDocumentPosition(cell) & Node.DOCUMENT_POSITION_FOLLOWING);
    if (above) tasks.set(above.link, [...(tasks.get(above.link) ?? []), cell.getAttribute("name") ?? ""]);
  }
  for (const [link, names] of tasks) {
    const done = names.filter((name) => solved.has(name)).length;
    const all = done === names.length;
    link.querySelector(".toc-mark")?.remove();
    link.append(
      h(
        "span",
        { class: "toc-mark", "data-all": all },
        h("span", { "aria-hidden": "true" }, all ? "✓" : names.length === 1 ? "○" : `${done}/${names.length}`),
        h("span", { class: "visually-hidden" }, ` (${done} of ${count(names.length, "exercise")} solved)`),
      ),
    );
  }
}

/** @param {Document} page */
function sections(page) {
  const links = /** @type {HTMLAnchorElement[]} */ ([...page.querySelectorAll(".toc a[href^='#']")]);
  return links.flatMap((link) => {
    const heading = page.getElementById(decodeURIComponent(link.hash.slice(1)));
    return heading ? [{ link, heading }] : [];
  });
}

/** Scrolls a table of contents that is taller than the window, and nothing else. @param {HTMLElement} link */
function keepInView(link) {
  const box = link.closest(".toc");
  if (!box || box.scrollHeight <= box.clientHeight) return;
  const { top, bottom } = link.getBoundingClientRect();
  const frame = box.getBoundingClientRect();
  if (top < frame.top || bottom > frame.bottom) box.scrollBy({ top: top - frame.top - frame.height / 3 });
}
