/**
 * `<heat-map>`: attention weights to point at, pin and walk through by keyboard.
 *
 * In: `frame` (an AttentionFrame; the JSON in the element's `[data-frame]` script is the first), the attributes
 * `data-head` and `data-query` (indices from 0; setting the latter pins that row), and `stale`.
 * Out: `data-head`, `data-query` (the row shown, absent while there is none), `data-pinned`, and the bubbling
 * events `heat-map:head` {head} and `heat-map:query` {query, pinned}.
 *
 * Three things can show a row: the pointer, the keyboard's focus, and the pin, which wins over both.
 * A head is painted when it, the size or the theme changes; moving over rows only moves CSS.
 *
 * @typedef {import("./frame.js").AttentionFrame} AttentionFrame
 * @typedef {import("./frame.js").Frame} Frame
 * @typedef {import("./readout.js").CellPlace} CellPlace
 * @typedef {import("./view.js").View} View
 */

import { readFrame } from "./frame.js";
import { cellAt, paint, readPalette } from "./matrix.js";
import { moved } from "./moves.js";
import { cellName, cellSentence, makeTables, rowSentence, showReadout, showStrip } from "./readout.js";
import { makeView, watchLooks } from "./view.js";

const SPEECH_DELAY = 150; // ms; while a key is held down only the last place is spoken
const MOST_TABLE_CELLS = 4096;

export class HeatMap extends HTMLElement {
  static observedAttributes = ["data-head", "data-query", "stale"];

  /** @type {AttentionFrame | null} */
  #data = null;
  /** @type {Frame | null} */
  #frame = null;
  /** @type {View | null} */
  #view = null;
  #head = 0;
  /** The cell under the pointer; its key is -1 over a row label. @type {CellPlace | null} */
  #hover = null;
  /** @type {number | null} */
  #pinned = null;
  /** Where the keyboard is, also while the focus is elsewhere. */
  #cursor = { query: 0, key: 0 };
  #focused = false;
  /** The focus is the keyboard's. A click leaves it in the grid too, but then it shows no row and no ring. */
  #byKeyboard = true;
  /** The row label where a finger came down, and whether it has left that row since. */
  #scrub = { from: /** @type {number | null} */ (null), moved: false };
  #speech = 0;
  /** @type {AbortController | null} */
  #listening = null;

  /** The frame shown, as it was given; null before the first. */
  get frame() {
    return this.#data;
  }

  set frame(data) {
    this.#data = data;
    this.#frame = data && readFrame(data);
    this.#hover = null;
    this.removeAttribute("stale");
    if (this.isConnected) {
      this.#build();
      this.#offerTables();
    }
  }

  connectedCallback() {
    if (!this.#data) {
      const script = this.querySelector("script[data-frame]");
      if (!script?.textContent) return;
      const data = /** @type {AttentionFrame} */ (JSON.parse(script.textContent));
      this.#data = data;
      this.#frame = readFrame(data);
    }
    this.#head = this.#index("data-head", this.#frame?.h) ?? 0;
    this.#pinned = this.#index("data-query", this.#frame?.nq);
    this.#build();
  }

  disconnectedCallback() {
    this.#listening?.abort();
    clearTimeout(this.#speech);
  }

  /**
   * @param {string} name
   * @param {string | null} _before
   * @param {string | null} now
   */
  attributeChangedCallback(name, _before, now) {
    if (!this.#frame || !this.#view) return;
    if (name === "stale") this.#view.stale.textContent = now === null ? "" : "The code has changed since this was drawn. Run it again.";
    // What the element itself reflects comes back here and is equal.
    if (name === "data-head" && now !== String(this.#head)) this.#choose(this.#index(name, this.#frame.h) ?? 0);
    if (name === "data-query" && now !== (this.#shown === null ? null : String(this.#shown)))
      this.#pin(this.#index(name, this.#frame.nq));
  }

  /** @returns {number | null} the row that is shown */
  get #shown() {
    return this.#pinned ?? this.#hover?.query ?? (this.#walking ? this.#cursor.query : null);
  }

  get #walking() {
    return this.#focused && this.#byKeyboard;
  }

  /**
   * @param {string} attribute
   * @param {number} [count]
   */
  #index(attribute, count = 0) {
    const text = this.getAttribute(attribute);
    const index = Number(text);
    return text !== null && text !== "" && Number.isInteger(index) && index >= 0 && index < count ? index : null;
  }

  /** Make everything for the current frame and put it in the place of what was there. */
  #build() {
    this.#listening?.abort();
    const frame = this.#frame;
    if (!frame) return;
    this.#head = Math.min(this.#head, frame.h - 1);
    if (this.#pinned !== null && this.#pinned >= frame.nq) this.#pinned = null;
    this.#cursor = {
      query: Math.min(this.#cursor.query, frame.nq - 1),
      key: Math.min(this.#cursor.key, frame.nk - 1),
    };
    const id = `hm-${this.getAttribute("name") ?? "map"}`;
    const view = makeView(frame, id, (head) => this.#choose(head));
    const hadFocus = this.#view?.grid.contains(document.activeElement) ?? false;
    const choseHead = this.#view?.heads.element.contains(document.activeElement) ?? false;
    const before = this.querySelector("figure");
    if (before) before.replaceWith(view.figure);
    else this.prepend(view.figure);
    this.#view = view;
    this.#listening = new AbortController();
    this.#listen(view, frame, this.#listening.signal);
    watchLooks(this, view.matrix, () => this.#paint(), this.#listening.signal);
    this.attributeChangedCallback("stale", null, this.getAttribute("stale"));
    this.#paint();
    this.#update();
    if (hadFocus) this.#focusCell();
    else if (choseHead) (view.heads.stop(this.#head) ?? view.cell(this.#cursor.key))?.focus({ preventScroll: true });
  }

  #paint() {
    if (!this.#frame || !this.#view) return;
    const ratio = devicePixelRatio;
    const { canvas, matrix } = this.#view;
    const box = matrix.getBoundingClientRect();
    // Edges rounded separately: that is what the browser does with the box itself.
    canvas.width = Math.round(box.right * ratio) - Math.round(box.left * ratio);
    canvas.height = Math.round(box.bottom * ratio) - Math.round(box.top * ratio);
    paint(canvas, this.#frame, this.#head, readPalette(this), ratio);
  }

  /** Bring everything but the canvas up to the state. */
  #update() {
    const [frame, view] = [this.#frame, this.#view];
    if (!frame || !view) return;
    const shown = this.#shown;
    const place = this.#hover ?? (this.#walking ? this.#cursor : null);
    const cell = place && place.key >= 0 ? place : null;
    view.heads.show(this.#head);
    view.showHead(this.#head);
    view.showRow(shown === null ? null : frame.row(this.#head, shown), shown, this.#pinned);
    view.showCells(this.#head, this.#cursor, this.#pinned, (place) => cellName(frame, this.#head, place));
    showReadout(view.readout, frame, this.#head, shown, { pinned: this.#pinned !== null, cell });
    showStrip(view.strip, frame, this.#head, shown);
    this.#reflect("data-head", this.#head);
    this.#reflect("data-query", shown);
    this.toggleAttribute("data-pinned", this.#pinned !== null);
    view.figure.toggleAttribute("data-pointer", !this.#byKeyboard);
  }

  /**
   * @param {string} attribute
   * @param {number | null} value
   */
  #reflect(attribute, value) {
    if (value === null) this.removeAttribute(attribute);
    else if (this.getAttribute(attribute) !== String(value)) this.setAttribute(attribute, String(value));
  }

  /**
   * Change what shows a row, then tell the world if another row is shown or it is pinned now.
   * @param {() => void} change
   */
  #changeRow(change) {
    const [row, pin] = [this.#shown, this.#pinned];
    change();
    this.#update();
    if (row === this.#shown && pin === this.#pinned) return;
    const detail = { query: this.#shown, pinned: this.#pinned !== null };
    this.dispatchEvent(new CustomEvent("heat-map:query", { bubbles: true, detail }));
  }

  /** @param {number | null} query */
  #pin(query) {
    this.#changeRow(() => (this.#pinned = query));
  }

  /** @param {number} query */
  #togglePin(query) {
    this.#pin(this.#pinned === query ? null : query);
  }

  /** @param {number} head */
  #choose(head) {
    if (head === this.#head) return;
    this.#head = head;
    this.#paint();
    this.#update();
    this.dispatchEvent(new CustomEvent("heat-map:head", { bubbles: true, detail: { head } }));
  }

  /**
   * @param {View} view
   * @param {Frame} frame
   * @param {AbortSignal} signal
   */
  #listen(view, frame, signal) {
    const { matrix, queries, grid } = view;
    /** @param {PointerEvent} event */
    const hover = (event) => {
      if (event.pointerType === "touch") return;
      const place = cellAt(matrix.getBoundingClientRect(), event, frame);
      if (place?.query !== this.#hover?.query || place?.key !== this.#hover?.key)
        this.#changeRow(() => (this.#hover = place));
    };
    /** @param {{clientY: number}} event */
    const labelAt = ({ clientY }) => {
      const box = matrix.getBoundingClientRect();
      return cellAt(box, { clientX: box.left + 0.5, clientY }, frame)?.query ?? null;
    };
    const leave = () => this.#changeRow(() => (this.#hover = null));
    matrix.addEventListener("pointerdown", () => (this.#byKeyboard = false), { signal });
    matrix.addEventListener("pointermove", hover, { signal });
    matrix.addEventListener("pointerleave", leave, { signal });
    matrix.addEventListener(
      "click",
      (event) => {
        const place = cellAt(matrix.getBoundingClientRect(), event, frame);
        if (!place) return;
        this.#cursor = place;
        this.#togglePin(place.query);
        // So that the arrow keys go on from here; a finger has no use for it.
        if (!(event instanceof PointerEvent && event.pointerType === "touch")) this.#focusCell();
      },
      { signal },
    );

    // The row labels also take a finger that slides: it reads row after row and keeps the last.
    queries.addEventListener(
      "pointerdown",
      (event) => {
        this.#scrub = { from: event.pointerType === "touch" ? labelAt(event) : null, moved: false };
        if (event.pointerType === "touch") queries.setPointerCapture(event.pointerId);
      },
      { signal },
    );
    queries.addEventListener(
      "pointermove",
      (event) => {
        const query = labelAt(event);
        if (query === null) return;
        if (event.pointerType !== "touch") {
          if (query !== this.#hover?.query) this.#changeRow(() => (this.#hover = { query, key: -1 }));
        } else if (this.#scrub.moved || query !== this.#scrub.from) {
          this.#scrub.moved = true;
          if (query !== this.#pinned) this.#pin(query);
        }
      },
      { signal },
    );
    queries.addEventListener("pointerleave", leave, { signal });
    queries.addEventListener(
      "click",
      (event) => {
        const query = labelAt(event);
        if (query !== null && !this.#scrub.moved) this.#togglePin(query);
      },
      { signal },
    );

    grid.addEventListener("focusin", () => this.#changeRow(() => (this.#focused = true)), { signal });
    grid.addEventListener("focusout", () => this.#changeRow(() => ((this.#focused = false), (this.#byKeyboard = true))), { signal });
    grid.addEventListener("keydown", (event) => this.#key(event, frame), { signal });
  }

  /**
   * @param {KeyboardEvent} event
   * @param {Frame} frame
   */
  #key(event, frame) {
    if (event.altKey || event.metaKey) return;
    const { key } = event;
    const to = moved(this.#cursor, key, event.ctrlKey, frame);
    if (to) {
      const sameRow = to.query === this.#cursor.query;
      this.#changeRow(() => {
        this.#cursor = to;
        this.#hover = null;
        this.#byKeyboard = true;
      });
      this.#focusCell();
      this.#say(() => (sameRow ? cellSentence(frame, this.#head, to) : rowSentence(frame, this.#head, to.query)));
    } else if (key === "[" || key === "]") {
      this.#choose((this.#head + (key === "]" ? 1 : -1) + frame.h) % frame.h);
      this.#say(() => rowSentence(frame, this.#head, this.#cursor.query));
    } else if (key === "Enter" || key === " ") {
      this.#togglePin(this.#cursor.query);
      this.#say(() => (this.#pinned === null ? "Let go" : `Pinned. ${rowSentence(frame, this.#head, this.#pinned)}`));
    } else if (key === "Escape" && this.#pinned !== null) {
      this.#pin(null);
      this.#say(() => "Let go");
    } else return;
    event.preventDefault();
  }

  #focusCell() {
    this.#view?.cell(this.#cursor.key)?.focus({ preventScroll: false });
  }

  /** @param {() => string} sentence */
  #say(sentence) {
    clearTimeout(this.#speech);
    this.#speech = window.setTimeout(() => {
      if (this.#view) this.#view.live.textContent = sentence();
    }, SPEECH_DELAY);
  }

  /** The page's tables belong to the first frame; a new frame gets its own when someone opens them. */
  #offerTables() {
    const frame = this.#frame;
    const details = this.querySelector("details");
    if (!frame || !details) return;
    const fill = () => {
      const count = Math.max(1, Math.min(frame.h, Math.floor(MOST_TABLE_CELLS / (frame.nq * frame.nk))));
      const summary = details.querySelector("summary");
      const tables = makeTables(frame, Array.from({ length: count }, (_, head) => head));
      details.replaceChildren(...(summary ? [summary] : []), ...tables);
    };
    if (details.open) fill();
    else details.addEventListener("toggle", fill, { once: true, signal: this.#listening?.signal });
  }
}
