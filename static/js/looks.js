/** Watches everything that changes how a canvas has to be painted: size, zoom, theme, contrast mode, fonts, paper. */

import { forgetPalette } from "./matrix.js";

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
    matchMedia(query).addEventListener("change", changed, { signal });
  // Paper waits for no frame and shows all that the window does not.
  matchMedia("print").addEventListener("change", () => (forgetPalette(element), paint()), { signal });
  const watchZoom = () => {
    const zoom = matchMedia(`(resolution: ${devicePixelRatio}dppx)`);
    const zoomed = () => {
      changed();
      watchZoom();
    };
    zoom.addEventListener("change", zoomed, { once: true, signal });
  };
  watchZoom();
  document.fonts.ready.then(() => signal.aborted || changed());
}
