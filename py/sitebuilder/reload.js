/**
 * What `serve` adds to each page: reloads it when the site was rebuilt, and lays the faults over it when that failed.
 * Never part of a built site. System colours, because the page's own styles may be what is broken.
 *
 * @typedef {{version: string, faults: string}} News
 */

// The page keeps nothing for offline use while it is served here.
document.documentElement.dataset.served = "";

const SCROLL = `lectern-scroll:${location.pathname}`;
const STYLE = `
  section { position: fixed; inset: auto 0 0 0; z-index: 2147483647; max-height: 60vh; overflow: auto;
    background: Canvas; color: CanvasText; border-top: 3px solid Mark; padding: 1rem 1.5rem 1.5rem;
    font: 15px/1.5 system-ui, sans-serif; }
  h2 { font-size: 1rem; margin: 0 0 .5rem; }
  pre { margin: 0; white-space: pre-wrap; font: 13px/1.6 ui-monospace, monospace; }
  button { float: right; font: inherit; }
`;

/** @type {string | null} */
let shown = null;
/** @type {HTMLElement | null} */
let overlay = null;

restoreScroll();
new EventSource(new URL("events", import.meta.url)).addEventListener("message", ({ data }) => {
  /** @type {News} */
  const news = JSON.parse(data);
  if (shown !== null && news.version !== shown) return reload();
  shown = news.version;
  showFaults(news.faults);
});

function reload() {
  sessionStorage.setItem(SCROLL, String(scrollY));
  location.reload();
}

/** Browsers keep the position themselves, but not when the page is still too short at the time. */
function restoreScroll() {
  const top = sessionStorage.getItem(SCROLL);
  if (top === null) return;
  sessionStorage.removeItem(SCROLL);
  const scroll = () => scrollTo({ top: Number(top), behavior: "instant" });
  if (document.readyState === "complete") scroll();
  else addEventListener("load", scroll, { once: true });
}

/** @param {string} faults  "" takes the overlay away */
function showFaults(faults) {
  overlay?.remove();
  overlay = null;
  if (!faults) return;
  overlay = document.createElement("lectern-faults");
  const root = overlay.attachShadow({ mode: "open" });
  const style = document.createElement("style");
  style.textContent = STYLE;
  const section = document.createElement("section");
  section.setAttribute("role", "alert");
  const hide = document.createElement("button");
  hide.textContent = "Hide";
  hide.addEventListener("click", () => showFaults(""));
  const title = document.createElement("h2");
  title.textContent = "The last change is not in this page yet";
  const list = document.createElement("pre");
  list.textContent = faults;
  section.append(hide, title, list);
  root.append(style, section);
  document.body.append(overlay);
}
