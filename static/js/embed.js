/**
 * The heat map alone: one script and one tag on any page, `<heat-map src="frame.json">` or `.npz`, or with the frame's JSON
 * in a `<script type="application/json" data-frame>` inside. Nothing else is fetched.
 */

import { h as make } from "./dom.js";
import { HeatMap } from "./heatmap.js";
import { frameOfNpz } from "./npz.js";
import { adopt } from "./styles.js";

class StandaloneHeatMap extends HeatMap {
  /** @override */
  connectedCallback() {
    if (!this.querySelector("details"))
      this.append(
        make("div", { class: "hm-tools" }),
        make("details", { class: "hm-data" }, make("summary", {}, "The weights in words and tables")),
      );
    super.connectedCallback();
    const src = this.getAttribute("src");
    if (src && !this.frame)
      void this.#load(src).catch((/** @type {Error} */ error) => {
        this.textContent = `This heat map cannot be shown: ${error.message}`;
      });
  }

  /** @param {string} src */
  async #load(src) {
    const response = await fetch(src);
    if (!response.ok) throw new Error(`${src} answered ${response.status}.`);
    const npz = /\.npz$/i.test(new URL(src, location.href).pathname);
    this.frame = npz ? await frameOfNpz(await response.arrayBuffer()) : await response.json();
  }
}

if (!customElements.get("heat-map")) {
  adopt(EMBEDDED_STYLES);
  customElements.define("heat-map", StandaloneHeatMap);
}
