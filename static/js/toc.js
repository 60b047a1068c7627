/** Marks, in the table of contents, the section that is being read. */

/** @param {Document} page */
export function startToc(page) {
  const links = /** @type {HTMLAnchorElement[]} */ ([...page.querySelectorAll(".toc a[href^='#']")]);
  const targets = links.flatMap((link) => {
    const heading = page.getElementById(decodeURIComponent(link.hash.slice(1)));
    return heading ? [{ link, heading }] : [];
  });
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
    },
    // Tall above, so that a heading jumped over reports as well.
    { rootMargin: "1000000px 0px -75% 0px" },
  );
  for (const { heading } of targets) observer.observe(heading);
}
