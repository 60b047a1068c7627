/** Lets the browser pass over cells that are far from the view while Python is at work: a change of theme then need not style all of a long lesson. */

/** @type {ResizeObserver | undefined} */
let sizes;

/**
 * The browser may pass over a cell (static/css/cell.css) once it knows how high the cell is; unknown, the page would change its
 * length while it is scrolled. Measured after loading, when fonts no longer move lines, and where layout is done anyway.
 *
 * @param {HTMLElement} cell
 */
export function passOverWhenFar(cell) {
  void settled().then(() => {
    sizes ??= new ResizeObserver(note);
    sizes.observe(cell);
  });
}

/** @param {ResizeObserverEntry[]} entries */
function note(entries) {
  for (const { target, contentBoxSize } of entries) {
    if (!(target instanceof HTMLElement) || !contentBoxSize[0]) continue;
    sizes?.unobserve(target);
    // From then on the browser itself remembers its last height: that is what `auto` says.
    target.style.setProperty("contain-intrinsic-block-size", `auto ${contentBoxSize[0].blockSize}px`);
    target.dataset.sized = "";
  }
}

async function settled() {
  if (document.readyState !== "complete") await new Promise((done) => addEventListener("load", done, { once: true }));
  await document.fonts.ready;
}
