/**
 * What `serve` adds to each page: reloads it when the site was rebuilt, keeping what was being read in its place, and
 * lays the faults over it when a build failed. Never part of a built site.
 *
 * @typedef {{version: string, faults: string}} News
 * @typedef {{key: string, nth: number, top: number}} Anchor   `top`: px from the window's upper edge
 */

const KEPT = `lectern-serve:${location.pathname}`;
const PIECES = "h1, h2, h3, h4, p, li, pre, table, figure, code-cell, heat-map, quiz-card, .math-display";
/** What stays in the window when the page scrolls. */
const FLOATING = "nav";
/** As many pieces of the page are noted, because the first ones may be the very ones that were edited. */
const ANCHORS = 12;
/** Quiet time (ms) after which a page counts as laid out: fonts, figures and editors come late. */
const SETTLED = 1500;
const FAULT = /^(\S.*?:\d+(?::\d+)?): (.*)$/;

/** The site's own tokens where there are any; system colours where its styles are what is broken. */
const STYLE = `
  details { position: fixed; inset: auto 0 0 0; z-index: 2147483647; box-sizing: border-box; max-height: 60vh; overflow: auto;
    background: var(--paper-raised, Canvas); color: var(--ink, CanvasText); border-block-start: 3px solid var(--bad, Mark);
    font: 15px/1.5 var(--sans, system-ui, sans-serif); text-align: start; }
  details:not([open]) { inset-inline-start: auto; border: 1px solid var(--bad, currentcolor); border-end-end-radius: 0;
    border-start-start-radius: 6px; }
  summary { padding: 12px 24px; font-weight: 600; cursor: pointer; }
  summary:focus-visible { outline: 2px solid var(--accent, Highlight); outline-offset: -4px; }
  ol { list-style: none; margin: 0; padding: 0 24px 8px; max-width: 70em; }
  li { padding-block: 8px; border-block-start: 1px solid var(--rule, GrayText); overflow-wrap: anywhere; }
  code { display: block; font: 13px/1.6 var(--mono, ui-monospace, monospace); color: var(--bad, CanvasText); user-select: all; }
  p { margin: 0; padding: 0 24px 16px; color: var(--ink-soft, CanvasText); }
`;

/** @type {string | null} the version that this page shows */
let shown = null;
/** @type {HTMLElement | null} */
let overlay = null;
/** @type {EventSource | null} */
let source = null;

keepPlace();
listen();
// Browsers hold no more than six connections to a host: an author's seventh tab would wait for ever.
document.addEventListener("visibilitychange", listen);
addEventListener("keydown", ({ key }) => {
  if (key === "Escape") overlay?.shadowRoot?.querySelector("details")?.removeAttribute("open");
});

function listen() {
  source?.close();
  source = document.hidden ? null : new EventSource(new URL("events", import.meta.url));
  source?.addEventListener("message", ({ data }) => {
    /** @type {News} */
    const news = JSON.parse(data);
    if (shown !== null && news.version !== shown) return reload();
    shown = news.version;
    if (news.faults !== overlay?.dataset.faults) showFaults(news.faults);
  });
}

function reload() {
  source?.close();
  sessionStorage.setItem(KEPT, JSON.stringify(anchors()));
  history.scrollRestoration = "manual"; // the browser's own comes late, and knows pixels only
  location.reload();
}

/** @returns {Anchor[]} the pieces of the page in the window, from the top */
function anchors() {
  /** @type {Map<string, number>} */
  const seen = new Map();
  /** @type {Anchor[]} */
  const found = [];
  if (scrollY === 0) return found;
  for (const piece of document.querySelectorAll(PIECES)) {
    const key = keyOf(piece);
    const nth = seen.get(key) ?? 0;
    seen.set(key, nth + 1);
    const { top, bottom } = piece.getBoundingClientRect();
    if (bottom > 0 && top < innerHeight && !piece.closest(FLOATING)) found.push({ key, nth, top });
    if (found.length === ANCHORS) break;
  }
  return found;
}

/** What a piece is known by in the next version of the page. @param {Element} piece */
function keyOf(piece) {
  const name = piece.id || piece.getAttribute("name") || (piece.textContent ?? "").trim().slice(0, 200);
  return `${piece.localName} ${name}`;
}

/** Holds what was at the top of the window in its place until the page is laid out, or the reader moves. */
function keepPlace() {
  const json = sessionStorage.getItem(KEPT);
  if (json === null) return;
  sessionStorage.removeItem(KEPT);
  /** @type {Anchor[]} */
  const kept = JSON.parse(json);
  const place = () => {
    /** @type {Map<string, Element[]>} */
    const pieces = new Map();
    for (const piece of document.querySelectorAll(PIECES)) {
      const key = keyOf(piece);
      pieces.set(key, [...(pieces.get(key) ?? []), piece]);
    }
    const anchor = kept.find(({ key }) => pieces.has(key));
    if (!anchor) return;
    const same = pieces.get(anchor.key) ?? [];
    const piece = same[anchor.nth] ?? same.at(-1);
    if (!piece) return;
    const moved = piece.getBoundingClientRect().top - anchor.top;
    if (Math.abs(moved) >= 1) scrollBy({ top: moved, behavior: "instant" });
  };
  const done = new AbortController();
  const observer = new ResizeObserver(() => {
    place();
    clearTimeout(timer);
    timer = setTimeout(() => done.abort(), SETTLED);
  });
  let timer = setTimeout(() => done.abort(), 2 * SETTLED);
  done.signal.addEventListener("abort", () => {
    clearTimeout(timer);
    observer.disconnect();
    history.scrollRestoration = "auto";
  });
  place();
  observer.observe(document.body);
  for (const act of ["wheel", "touchstart", "pointerdown", "keydown"]) {
    addEventListener(act, () => done.abort(), { signal: done.signal, passive: true });
  }
}

/** @param {string} faults  as `serve` prints them; "" takes the overlay away */
function showFaults(faults) {
  overlay?.remove();
  overlay = null;
  if (!faults) return;
  overlay = document.createElement("lectern-faults");
  overlay.dataset.faults = faults;
  overlay.setAttribute("role", "alert");
  const lines = faults.split("\n");
  const items = lines.filter((line) => !line.startsWith("✗")).map((line) => faultItem(line));
  const closing = lines.filter((line) => line.startsWith("✗")).map((line) => make("p", line.slice(2)));
  const list = make("ol", "", ...items);
  const details = make("details", "", make("summary", "The last change is not in this page yet"));
  details.setAttribute("open", "");
  details.append(...(items.length ? [list] : []), ...closing);
  overlay.attachShadow({ mode: "open" }).append(make("style", STYLE), details);
  document.body.append(overlay);
}

/** @param {string} line */
function faultItem(line) {
  const [, place, what = ""] = FAULT.exec(line) ?? [];
  return place ? make("li", "", make("code", place), what) : make("li", line);
}

/** @param {string} tag @param {string} text @param {(Node | string)[]} inside */
function make(tag, text, ...inside) {
  const element = document.createElement(tag);
  element.textContent = text;
  element.append(...inside);
  return element;
}
