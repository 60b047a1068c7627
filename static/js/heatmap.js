/**
 * `<heat-map>`: attention weights to point at, pin and walk through by keyboard.
 *
 * In: `frame` (an AttentionFrame; the JSON in the element's `[data-frame]` script is the first), the attributes
 * `data-head` and `data-query` (indices from 0; setting the latter pins that row), and `stale`.
 * Out: `data-head`, `data-query` or `data-key` (the row or column shown, absent while there is none), `data-pinned`,
 * the bubbling events `heat-map:head` {head} and `heat-map:query` {query, key, pinned}; `heat-map:frame`, `heat-map:update`.
 *
 * @typedef {import("./frame.js").AttentionFrame} AttentionFrame
 * @typedef {import("./frame.js").Frame} Frame
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
import { Reading } from "./reading.js";
import { showReadout, showStrip } from "./readout.js";
import { cellName, cellSentence, lineSentence } from "./sentences.js";
import { placeOn, plainSource, sameLine, valuesOf } from "./source.js";
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
  #reading = new Reading();
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
    this.#reading.hover = null;
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
    this.#reading.pinned = query === null ? null : { axis: "query", index: query };
    const asked = this.#frame && linked(location.hash, this.getAttribute("name") ?? "", this.#frame);
    if (asked) {
      this.#head = asked.head;
      this.#reading.pinned = asked.line;
    }
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
    if (name === "data-query" && now !== this.#reading.along("query")) {
      const index = indexOf(this, name, this.#frame.nq);
      this.#pin(index === null ? null : { axis: "query", index });
    }
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
    const frame = this.#frame;
    const view = this.#view;
    const at = { head: this.#head, line: this.#reading.line, cell: this.#reading.cell };
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
    this.#reading.keepWithin(frame);
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
    const { pinned, cursor } = this.#reading;
    view.move(following(view.extent(), pinned ? placeOn(pinned) : cursor, frame));
    this.#update();
    offerMore(this, frame, this.#listening.signal);
    this.dispatchEvent(new Event("heat-map:frame"));
    if (hadFocus) this.#focusCell();
    else if (choseHead) (view.heads.stop(this.#head) ?? view.cell(cursor.key))?.focus({ preventScroll: true });
  }

  #paint() {
    if (!this.#frame || !this.#view) return;
    const { canvas, matrix } = this.#view;
    const source = this.#source(this.#frame);
    const extent = this.#view.extent();
    const due = this.#frame.lazy?.worker?.awaitsPicture("cells", source, extent, () => {
      this.#paint();
      if (source.whole) this.#update(); // its scale has an end now
    });
    canvas.toggleAttribute("data-due", due ?? false);
    if (due) return;
    fit(canvas, matrix.getBoundingClientRect(), devicePixelRatio);
    const palette = readPalette(this);
    paint(canvas, this.#frame, source, extent, palette, devicePixelRatio);
    this.#overview?.paint(source, palette);
    if (matchMedia("print").matches) this.#view.drawStill();
  }

  /** Have a place in the picture, where that shows only a part. @param {CellPlace} place @param {boolean} [centred] */
  #show(place, centred) {
    const frame = this.#frame;
    const view = this.#view;
    if (!frame || !view) return;
    const extent = following(view.extent(), place, frame, centred);
    if (extent === view.extent()) return;
    view.move(extent);
    const { cursor } = this.#reading;
    if (centred && following(extent, cursor, frame) !== extent) this.#reading.cursor = place;
    this.#paint();
    this.#update();
  }

  /** Bring everything but the canvas up to the state. */
  #update() {
    const frame = this.#frame;
    const view = this.#view;
    if (!frame || !view) return;
    const source = this.#source(frame);
    const { line: shown, cell, cursor, pinned, byKeyboard } = this.#reading;
    const line = this.#awaits("column", shown, () => this.#update()) ? null : shown;
    view.showHead(this.#head);
    view.showScale(source);
    view.showLine(line && valuesOf(source, line), line, pinned, source);
    view.showCells(source, cursor, pinned, (place) => cellName(frame, source, place));
    this.#stages?.show(this.#head, cell);
    showReadout(view.readout, frame, source, line, { pinned: pinned !== null, cell });
    showStrip(view.strip, frame, source, line);
    reflect(this, "data-head", String(this.#head));
    reflect(this, "data-query", this.#reading.along("query"));
    reflect(this, "data-key", this.#reading.along("key"));
    this.toggleAttribute("data-pinned", pinned !== null);
    view.figure.toggleAttribute("data-pointer", !byKeyboard);
    this.dispatchEvent(new Event("heat-map:update"));
  }

  /**
   * Whether a line is a column, which takes all rows, and some are still to come.
   * @param {string} purpose
   * @param {Line | null} line
   * @param {() => void} then     they have come
   */
  #awaits(purpose, line, then) {
    const frame = this.#frame;
    return line?.axis === "key" && frame?.lazy?.worker?.awaits(purpose, this.#source(frame), 0, frame.nq, then);
  }

  /** @param {() => string} sentence */
  #say(sentence) {
    this.#speech.say(() => (this.#awaits("speech", this.#reading.lineAtCursor, () => this.#say(sentence)) ? "" : sentence()));
  }

  /**
   * Change what shows a line, then tell the world if another one is shown or it is pinned now.
   * @param {() => void} change
   */
  #changeLine(change) {
    const { line: before, pinned: pinnedBefore } = this.#reading;
    change();
    this.#update();
    const { line, pinned } = this.#reading;
    if (sameLine(before, line) && sameLine(pinnedBefore, pinned)) return;
    const detail = { query: null, key: null, ...(line && { [line.axis]: line.index }), pinned: pinned !== null };
    this.dispatchEvent(new CustomEvent("heat-map:query", { bubbles: true, detail }));
  }

  /** @param {Line | null} line */
  #pin(line) {
    if (line) this.#show(placeOn(line));
    this.#changeLine(() => (this.#reading.pinned = line));
  }

  /** @param {Line} line */
  #togglePin(line) {
    this.#pin(sameLine(this.#reading.pinned, line) ? null : line);
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
    press: () => (this.#reading.byKeyboard = false),
    hover: (place) => {
      const { hover } = this.#reading;
      if (place?.query !== hover?.query || place?.key !== hover?.key) this.#changeLine(() => (this.#reading.hover = place));
    },
    click: (place, byTouch) => {
      this.#reading.cursor = place;
      this.#togglePin(this.#reading.lineAtCursor);
      if (!byTouch) this.#focusCell(); // so that the arrow keys go on from here
    },
    slide: (line) => sameLine(line, this.#reading.pinned) || this.#pin(line),
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
    view.grid.addEventListener("focusin", () => this.#changeLine(() => (this.#reading.focused = true)), { signal });
    const leave = () => view.grid.contains(document.activeElement) || this.#changeLine(() => this.#reading.leave());
    view.grid.addEventListener(
      "focusout", // under a press nothing may move: its click would miss what was pressed
      () => (document.querySelector(":active") ? addEventListener("pointerup", () => setTimeout(leave), { once: true, signal }) : leave()),
      { signal },
    );
    view.grid.addEventListener("keydown", (event) => this.#key(event, frame), { signal });
  }

  /** @param {KeyboardEvent} event @param {Frame} frame */
  #key(event, frame) {
    const reading = this.#reading;
    const wish = wishOf(event, reading.cursor, frame);
    if (!wish || (wish === "let go" && !reading.pinned)) return;
    event.preventDefault();
    /** @param {Line} line */
    const sentence = (line) => lineSentence(frame, this.#source(frame), line);
    const here = () => sentence(reading.lineAtCursor);
    if (wish === "pin") {
      this.#togglePin(reading.lineAtCursor);
      this.#say(() => (reading.pinned ? `Pinned. ${sentence(reading.pinned)}` : "Let go"));
    } else if (wish === "let go") {
      this.#pin(null);
      this.#say(() => "Let go");
    } else if (wish === "turn") {
      this.#changeLine(() => reading.turn());
      this.#say(here);
    } else if ("heads" in wish) {
      this.#choose((this.#head + wish.heads + frame.h) % frame.h);
      this.#say(here);
    } else {
      const before = reading.lineAtCursor;
      this.#show(wish.move);
      this.#changeLine(() => reading.walkTo(wish.move));
      this.#focusCell();
      const along = sameLine(before, reading.lineAtCursor);
      this.#say(() => (along ? cellSentence(frame, this.#source(frame), wish.move) : here()));
    }
  }

  #focusCell = () => this.#view?.cell(this.#reading.cursor.key)?.focus({ preventScroll: false });
}
