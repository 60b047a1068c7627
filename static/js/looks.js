/** Watches everything that changes how a canvas has to be painted: size, zoom, theme, contrast mode, fonts, paper. */

import { forgetPalette } from "./matrix.js";

/**
 * Call `paint` whenever the picture has to be painted again.
 * @param {HTMLElement} element
 * @param {HTMLElement} matrix
 * @param {() => void} paint
 * @param {AbortSignal} signal
 */
export function watchLooks(element, matrix, paint, signal) {
  const changed = () => {
    forgetPalette(element);
    paint();
  };
  const size = new ResizeObserver(changed);
  size.observe(matrix);
  // The site's own theme switch sets an attribute on the root element.
  const theme = new MutationObserver(changed);
  theme.observe(element.ownerDocument.documentElement, { attributeFilter: ["data-theme", "class", "style"] });
  signal.addEventListener("abort", () => {
    size.disconnect();
    theme.disconnect();
  });
  for (const query of ["(prefers-color-scheme: dark)", "(forced-colors: active)", "print"])
    matchMedia(query).addEventListener("change", changed, { signal });
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
