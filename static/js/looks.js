/** Watches everything that changes how a canvas has to be painted: size, zoom, theme, contrast mode, fonts, paper. */

import { forgetPalette } from "./matrix.js";

/** The media queries that were asked. Each costs the browser a layout of the page. @type {Map<string, MediaQueryList>} */
const asked = new Map();

/** @param {string} query @returns {MediaQueryList} */
function media(query) {
  const list = asked.get(query) ?? matchMedia(query);
  asked.set(query, list);
  return list;
}

/**
 * Call `paint` when the picture is first seen, and whenever it has to be painted again. What is far from the view waits
 * until it comes near: painting asks for colours and places, and each such question makes the browser settle all of the page.
 * @param {HTMLElement} element
 * @param {HTMLElement} matrix
 * @param {() => void} paint
 * @param {AbortSignal} signal
 */
export function watchLooks(element, matrix, paint, signal) {
  let near = true; // until it is known better, so that a new picture is not blank for a frame
  let due = true;
  const settle = () => {
    if (!due || !near || signal.aborted) return;
    due = false;
    forgetPalette(element);
    paint();
  };
  const changed = () => {
    due = true;
    requestAnimationFrame(settle); // not at once: the change of styles is still going on
  };
  // Both observers report soon after they begin. The size comes right after layout, when places cost nothing.
  const size = new ResizeObserver(() => {
    due = true;
    settle();
  });
  size.observe(matrix);
  const view = new IntersectionObserver(
    (entries) => {
      near = entries.at(-1)?.isIntersecting ?? true;
      settle();
    },
    { rootMargin: "50%" },
  );
  view.observe(matrix);
  // The site's own theme switch sets an attribute on the root element.
  const theme = new MutationObserver(changed);
  theme.observe(element.ownerDocument.documentElement, { attributeFilter: ["data-theme", "class", "style"] });
  signal.addEventListener("abort", () => {
    size.disconnect();
    view.disconnect();
    theme.disconnect();
  });
  for (const query of ["(prefers-color-scheme: dark)", "(forced-colors: active)"])
    media(query).addEventListener("change", changed, { signal });
  // Paper waits for no frame and shows all that the window does not.
  media("print").addEventListener("change", () => (forgetPalette(element), paint()), { signal });
  const watchZoom = () => {
    const zoom = media(`(resolution: ${devicePixelRatio}dppx)`);
    const zoomed = () => {
      changed();
      watchZoom();
    };
    zoom.addEventListener("change", zoomed, { once: true, signal });
  };
  watchZoom();
  if (document.fonts.status === "loading") document.fonts.ready.then(() => signal.aborted || changed());
}
