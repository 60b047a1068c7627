/**
 * `<heat-map>`: attention weights to point at, pin and walk through by keyboard.
 *
 * In: `frame` (an AttentionFrame; the JSON in the element's `[data-frame]` script is the first), the attributes
 * `data-head` and `data-query` (indices from 0; setting the latter pins that row), and `stale`.
 * Out: `data-head`, `data-query` or `data-key` (the row or column shown, absent while there is none), `data-pinned`,
 * the bubbling events `heat-map:head` {head} and `heat-map:query` {query, key, pinned}; `heat-map:frame`, `heat-map:update`.
 *
 * The pointer, the keyboard's focus and the pin can show a row or column; the pin wins.
 *
 * @typedef {import("./frame.js").AttentionFrame} AttentionFrame
 * @typedef {import("./frame.js").Frame} Frame
 * @typedef {import("./source.js").Axis} Axis
 * @typedef {import("./source.js").CellPlace} CellPlace
 * @typedef {import("./source.js").Line} Line
 * @typedef {import("./source.js").Source} Source
 * @typedef {import("./stages.js").Stages} Stages
 * @typedef {import("./view.js").View} View
 */

import { indexOf, linked, reflect } from "./attributes.js";
import { following } from "./extent.js";
import { readFrame } from "./frame.js";
import { watchLooks } from "./looks.js";
import { fit, paint, readPalette } from "./matrix.js";
import { wishOf } from "./moves.js";
import { companionsOf, offerMore } from "./offers.js";
import { listenOnCells, listenToPointer } from "./pointing.js";
import { showReadout, showStrip } from "./readout.js";
import { cellName, cellSentence, lineSentence } from "./sentences.js";
import { lineAt, placeOn, plainSource, sameLine, valuesOf } from "./source.js";
import { Speech } from "./speech.js";
import { makeView } from "./view.js";

export class HeatMap extends HTMLElement {
  static observedAttributes = ["data-head", "data-query", "stale"];

  /** @type {AttentionFrame | null} */
  #data = null;
  /** @type {Frame | null} */
  #frame = null;
  /** @type {View | null} */
  #view = null;
  /** All of the picture, small, where only a part is shown large. @type {import("./overview.js").Overview | null} */
  #overview = null;
  /** The scores before the weights, where the frame has them. @type {Stages | null} */
  #stages = null;
  #head = 0;
  /** The cell under the pointer; on a label, the axis that it does not name is -1. @type {CellPlace | null} */
  #hover = null;
  /** @type {Line | null} */
  #pinned = null;
  /** Whether cells are read by rows or by columns. @type {Axis} */
  #axis = "query";
  /** Where the keyboard is, also while the focus is elsewhere. */
  #cursor = { query: 0, key: 0 };
  #focused = false;
  /** The focus is the keyboard's. A click leaves it in the grid too, but then it shows no row and no ring. */
  #byKeyboard = true;
  #speech = new Speech();
  /** @type {AbortController | null} */
  #listening = null;

  /** The frame shown, as it was given; null before the first. */
  get frame() {
    return this.#data;
  }

  set frame(data) {
    this.#data = data;
    this.#frame?.lazy?.worker?.end();
    this.#frame = data && readFrame(data);
    this.#hover = null;
    this.removeAttribute("stale");
    if (this.isConnected) void this.#build();
  }

  connectedCallback() {
    if (!this.#data) {
      const script = this.querySelector("script[data-frame]");
      if (!script?.textContent) return;
      const data = /** @type {AttentionFrame} */ (JSON.parse(script.textContent));
      this.#data = data;
      this.#frame = readFrame(data);
    }
    this.#head = indexOf(this, "data-head", this.#frame?.h) ?? 0;
    const query = indexOf(this, "data-query", this.#frame?.nq);
    this.#pinned = query === null ? null : { axis: "query", index: query };
    const asked = this.#frame && linked(location.hash, this.getAttribute("name") ?? "", this.#frame);
    if (asked) [this.#head, this.#pinned] = [asked.head, asked.line];
    void this.#build().then(() => asked && this.scrollIntoView({ block: "center" }));
  }

  disconnectedCallback() {
    this.#listening?.abort();
    this.#frame?.lazy?.worker?.end();
    this.#speech.silence();
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
    if (name === "data-head" && now !== String(this.#head)) this.#choose(indexOf(this, name, this.#frame.h) ?? 0);
    if (name === "data-query" && now !== this.#reflected("query")) {
      const index = indexOf(this, name, this.#frame.nq);
      this.#pin(index === null ? null : { axis: "query", index });
    }
  }

  /** The row or column that is shown. @returns {Line | null} */
  get #shown() {
    return this.#pinned ?? (this.#hover ? lineAt(this.#hover, this.#axis) : this.#walking ? lineAt(this.#cursor, this.#axis) : null);
  }

  /** The cell that is pointed at or walked on. @returns {CellPlace | null} */
  get #cell() {
    const place = this.#hover ?? (this.#walking ? this.#cursor : null);
    return place && place.key >= 0 && place.query >= 0 ? place : null;
  }

  get #walking() {
    return this.#focused && this.#byKeyboard;
  }

  #lens = plainSource;

  /** Another way to look at heads than their plain weights. */
  set lens(/** @type {(frame: Frame, head: number) => Source} */ lens) {
    this.#lens = lens;
    this.#made = null;
    this.#paint();
    this.#update();
  }

  /** What is shown now, for the tools; null before there is a frame. */
  get now() {
    const [frame, view] = [this.#frame, this.#view];
    const at = { head: this.#head, line: this.#shown, cell: this.#cell };
    return frame && view && { frame, ...at, extent: view.extent(), source: this.#source(frame), canvas: view.canvas };
  }

  #made = /** @type {{frame: Frame, head: number, source: Source} | null} */ (null);

  /** What the picture shows. @param {Frame} frame @returns {Source} */
  #source(frame) {
    const head = this.#head;
    if (this.#made?.frame !== frame || this.#made.head !== head) this.#made = { frame, head, source: this.#lens(frame, head) };
    return this.#made.source;
  }

  /** Make everything for the current frame and put it in the place of what was there. */
  async #build() {
    const frame = this.#frame;
    if (!frame) return;
    const { makeStages, makeOverview } = await companionsOf(frame);
    if (frame !== this.#frame || !this.isConnected) return; // a newer one has come meanwhile
    this.#listening?.abort();
    this.#head = Math.min(this.#head, frame.h - 1);
    if (this.#pinned && this.#pinned.index >= (this.#pinned.axis === "query" ? frame.nq : frame.nk)) this.#pinned = null;
    this.#cursor = {
      query: Math.min(this.#cursor.query, frame.nq - 1),
      key: Math.min(this.#cursor.key, frame.nk - 1),
    };
    const id = `hm-${this.getAttribute("name") ?? "map"}`;
    const view = makeView(frame, id, (head) => this.#choose(head));
    view.figure.append(this.#speech.element);
    this.#stages = makeStages(frame, id, view);
    const hadFocus = this.#view?.grid.contains(document.activeElement) ?? false;
    const choseHead = this.#view?.heads.element.contains(document.activeElement) ?? false;
    const before = this.querySelector("figure, .hm-later");
    if (before) before.replaceWith(view.figure);
    else this.prepend(view.figure);
    this.#view = view;
    this.#overview = makeOverview(frame, view, (place) => this.#show(place, true));
    this.#listening = new AbortController();
    this.#listen(view, frame, this.#listening.signal);
    watchLooks(this, view.matrix, () => this.#paint(), this.#listening.signal);
    this.attributeChangedCallback("stale", null, this.getAttribute("stale"));
    view.move(following(view.extent(), this.#pinned ? placeOn(this.#pinned) : this.#cursor, frame));
    this.#update();
    offerMore(this, frame, this.#listening.signal);
    this.dispatchEvent(new Event("heat-map:frame"));
    if (hadFocus) this.#focusCell();
    else if (choseHead) (view.heads.stop(this.#head) ?? view.cell(this.#cursor.key))?.focus({ preventScroll: true });
  }

  #paint() {
    if (!this.#frame || !this.#view) return;
    const [ratio, { canvas, matrix }] = [devicePixelRatio, this.#view];
    const [source, extent] = [this.#source(this.#frame), this.#view.extent()];
    const due = this.#frame.lazy?.worker?.awaits("cells", source, extent.query, extent.query + extent.nq, () => this.#paint());
    canvas.toggleAttribute("data-due", due ?? false);
    if (due) return;
    fit(canvas, matrix.getBoundingClientRect(), ratio);
    const palette = readPalette(this);
    paint(canvas, this.#frame, source, extent, palette, ratio);
    this.#overview?.paint(source, palette);
    if (matchMedia("print").matches) this.#view.drawStill();
  }

  /** Have a place in the picture, where that shows only a part. @param {CellPlace} place @param {boolean} [centred] */
  #show(place, centred) {
    const [frame, view] = [this.#frame, this.#view];
    if (!frame || !view) return;
    const extent = following(view.extent(), place, frame, centred);
    if (extent === view.extent()) return;
    view.move(extent);
    if (centred) this.#cursor = following(extent, this.#cursor, frame) === extent ? this.#cursor : place;
    this.#paint();
    this.#update();
  }

  /** Bring everything but the canvas up to the state. */
  #update() {
    const [frame, view] = [this.#frame, this.#view];
    if (!frame || !view) return;
    const [source, shown, cell] = [this.#source(frame), this.#shown, this.#cell];
    // A column takes all rows.
    const line = shown?.axis === "key" && frame.lazy?.worker?.awaits("column", source, 0, frame.nq, () => this.#update()) ? null : shown;
    view.showHead(this.#head);
    view.showScale(source);
    view.showLine(line && valuesOf(source, line), line, this.#pinned, source);
    view.showCells(source, this.#cursor, this.#pinned, (place) => cellName(frame, source, place));
    this.#stages?.show(this.#head, cell);
    showReadout(view.readout, frame, source, line, { pinned: this.#pinned !== null, cell });
    showStrip(view.strip, frame, source, line);
    reflect(this, "data-head", String(this.#head));
    reflect(this, "data-query", this.#reflected("query"));
    reflect(this, "data-key", this.#reflected("key"));
    this.toggleAttribute("data-pinned", this.#pinned !== null);
    view.figure.toggleAttribute("data-pointer", !this.#byKeyboard);
    this.dispatchEvent(new Event("heat-map:update"));
  }

  /** The index of the line that is shown, if it lies on this axis. @param {Axis} axis */
  #reflected(axis) {
    const line = this.#shown;
    return line?.axis === axis ? String(line.index) : null;
  }

  /**
   * Change what shows a line, then tell the world if another one is shown or it is pinned now.
   * @param {() => void} change
   */
  #changeLine(change) {
    const [line, pin] = [this.#shown, this.#pinned];
    change();
    this.#update();
    const now = this.#shown;
    if (sameLine(line, now) && sameLine(pin, this.#pinned)) return;
    const detail = { query: null, key: null, ...(now && { [now.axis]: now.index }), pinned: this.#pinned !== null };
    this.dispatchEvent(new CustomEvent("heat-map:query", { bubbles: true, detail }));
  }

  /** @param {Line | null} line */
  #pin(line) {
    if (line) this.#show(placeOn(line));
    this.#changeLine(() => (this.#pinned = line));
  }

  /** @param {Line} line */
  #togglePin(line) {
    this.#pin(sameLine(this.#pinned, line) ? null : line);
  }

  /** @param {number} head */
  #choose(head) {
    if (head === this.#head) return;
    this.#head = head;
    this.#paint();
    this.#update();
    this.dispatchEvent(new CustomEvent("heat-map:head", { bubbles: true, detail: { head } }));
  }

  /** @type {import("./pointing.js").Pointing} */
  #pointing = {
    press: () => (this.#byKeyboard = false),
    hover: (place) => {
      if (place?.query !== this.#hover?.query || place?.key !== this.#hover?.key) this.#changeLine(() => (this.#hover = place));
    },
    click: (place, byTouch) => {
      this.#cursor = place;
      this.#togglePin(lineAt(place, this.#axis));
      if (!byTouch) this.#focusCell(); // so that the arrow keys go on from here
    },
    slide: (line) => sameLine(line, this.#pinned) || this.#pin(line),
    tap: (line) => this.#togglePin(line),
  };

  /** Have another picture of the same cells read as the large one is. @param {HTMLElement} matrix @param {AbortSignal} [signal] */
  join(matrix, signal) {
    listenOnCells(matrix, () => this.#view?.extent() ?? { query: 0, key: 0, nq: 0, nk: 0 }, this.#pointing, signal);
  }

  /** @param {View} view @param {Frame} frame @param {AbortSignal} signal */
  #listen(view, frame, signal) {
    listenToPointer(view, view.extent, this.#pointing, signal);
    for (const matrix of this.#stages?.matrices ?? []) this.join(matrix, signal);
    view.grid.addEventListener("focusin", () => this.#changeLine(() => (this.#focused = true)), { signal });
    view.grid.addEventListener("focusout", () => this.#changeLine(() => ([this.#focused, this.#byKeyboard] = [false, true])), { signal });
    view.grid.addEventListener("keydown", (event) => this.#key(event, frame), { signal });
  }

  /** @param {KeyboardEvent} event @param {Frame} frame */
  #key(event, frame) {
    const wish = wishOf(event, this.#cursor, frame);
    if (!wish || (wish === "let go" && !this.#pinned)) return;
    event.preventDefault();
    const here = () => lineAt(this.#cursor, this.#axis);
    /** @param {Line} line */
    const sentence = (line) => lineSentence(frame, this.#source(frame), line);
    if (wish === "pin") {
      this.#togglePin(here());
      this.#speech.say(() => (this.#pinned === null ? "Let go" : `Pinned. ${sentence(this.#pinned)}`));
    } else if (wish === "let go") {
      this.#pin(null);
      this.#speech.say(() => "Let go");
    } else if (wish === "turn") {
      this.#walk(() => (this.#axis = this.#axis === "query" ? "key" : "query"));
      this.#speech.say(() => sentence(here()));
    } else if ("heads" in wish) {
      this.#choose((this.#head + wish.heads + frame.h) % frame.h);
      this.#speech.say(() => sentence(here()));
    } else {
      const before = here();
      this.#show(wish.move);
      this.#walk(() => (this.#cursor = wish.move));
      this.#focusCell();
      this.#speech.say(() => (sameLine(before, here()) ? cellSentence(frame, this.#source(frame), wish.move) : sentence(here())));
    }
  }

  /** The keyboard takes over from the pointer. @param {() => void} change */
  #walk(change) {
    this.#changeLine(() => {
      change();
      this.#hover = null;
      this.#byKeyboard = true;
    });
  }

  #focusCell = () => this.#view?.cell(this.#cursor.key)?.focus({ preventScroll: false });
}
