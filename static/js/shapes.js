/**
 * `<shape-figure seq d-model heads>`: the shapes of multi-head attention, relabelled and redrawn for any h.
 *
 * The drawing is the lesson's own SVG. What depends on h says so itself: `data-label` (text with numbers in it),
 * `data-cuts` (lines between heads), `data-first` (the first head's part), `data-model` (a side of length d_k, its
 * far edge kept at `data-end`), `data-card` (shown from so many heads on).
 *
 * @typedef {import("./dimensions.js").Dimensions} Dimensions
 */

import { cutsOf, divisors, fillLabel } from "./dimensions.js";
import { h as make } from "./dom.js";

const WIDTH = 96; // of d_model features in the drawing

let made = 0;

export class ShapeFigure extends HTMLElement {
  /** @type {Dimensions} */
  #dimensions = { seq: 12, d: 64, h: 4 };

  connectedCallback() {
    if (this.querySelector(".shape-heads")) return;
    const { seq, d, h } = this.#dimensions;
    this.#dimensions = {
      seq: Number(this.getAttribute("seq") ?? seq),
      d: Number(this.getAttribute("d-model") ?? d),
      h: Number(this.getAttribute("heads") ?? h),
    };
    const said = make("output", { class: "visually-hidden" });
    const choice = this.#choice((heads) => {
      this.#dimensions.h = heads;
      this.setAttribute("heads", String(heads));
      this.#draw();
      const { seq, d } = this.#dimensions;
      said.textContent = `h = ${heads}: d_k = ${d / heads}, heads of shape (${heads}, ${seq}, ${d / heads}).`;
    });
    this.prepend(choice, said);
    this.#draw();
  }

  /** @param {(heads: number) => void} choose */
  #choice(choose) {
    const { d, h } = this.#dimensions;
    const name = `shape-heads-${(made += 1)}`;
    const radios = divisors(d).map((heads) =>
      make(
        "label",
        {},
        make("input", { type: "radio", name, value: String(heads), checked: heads === h }),
        make("span", {}, String(heads)),
      ),
    );
    const choice = make(
      "fieldset",
      { class: "shape-heads" },
      make("legend", {}, "heads, ", make("i", {}, "h")),
      make("div", {}, ...radios),
    );
    choice.addEventListener("change", ({ target }) => {
      if (target instanceof HTMLInputElement) choose(Number(target.value));
    });
    return choice;
  }

  #draw() {
    const { d, h } = this.#dimensions;
    /** @param {string} name @param {(element: SVGElement, value: string) => void} change */
    const each = (name, change) =>
      this.querySelectorAll(`svg [data-${name}]`).forEach((element) => {
        if (element instanceof SVGElement) change(element, element.getAttribute(`data-${name}`) ?? "");
      });
    each("label", (text, template) => {
      text.textContent = fillLabel(template, this.#dimensions);
    });
    each("cuts", (path, box) => {
      path.setAttribute("d", cutsOf(box, h));
      // Fine cuts get fine lines, or sixty-four heads would be one dark block.
      path.style.strokeWidth = String(Math.min(1, WIDTH / h / 4));
    });
    each("first", (rect, side) => rect.setAttribute(side, String(WIDTH / h)));
    each("model", (rect, side) => {
      const length = (WIDTH / d) * (d / h);
      const end = Number(rect.getAttribute("data-end"));
      rect.setAttribute(side, String(length));
      if (end) rect.setAttribute(side === "width" ? "x" : "y", String(end - length));
    });
    each("card", (rect, from) => {
      if (h < Number(from)) rect.setAttribute("display", "none");
      else rect.removeAttribute("display");
    });
  }
}
