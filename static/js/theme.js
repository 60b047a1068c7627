/** The reader's choice of light, dark or the system's theme: one button, remembered, followed by other tabs. */

import { button } from "./dom.js";
import { readSetting, writeSetting } from "./progress.js";

/** @typedef {"auto" | "light" | "dark"} Theme */

const NEXT = /** @type {const} */ ({ auto: "light", light: "dark", dark: "auto" });
const LABEL = { auto: "Auto", light: "Light", dark: "Dark" };

/** Applies the remembered theme. @param {Document} page */
export function applyTheme(page) {
  apply(page, remembered());
}

/** Puts the switch into its slot. @param {Document} page */
export function startTheme(page) {
  addEventListener("storage", (event) => {
    if (event.key === "lectern:theme") show(remembered());
  });
  const slot = page.querySelector("[data-theme-switch]");

  /** @param {Theme} theme */
  function show(theme) {
    apply(page, theme);
    const held = slot?.contains(page.activeElement);
    const next = button("theme", theme, LABEL[theme], "theme");
    next.className = "theme-switch";
    next.addEventListener("click", () => {
      writeSetting("theme", NEXT[theme]);
      show(NEXT[theme]);
    });
    slot?.replaceChildren(next);
    if (held) next.focus();
  }
  show(remembered());
}

/** @returns {Theme} */
function remembered() {
  const theme = readSetting("theme");
  return theme === "light" || theme === "dark" ? theme : "auto";
}

/** @param {Document} page @param {Theme} theme */
function apply(page, theme) {
  if (theme === "auto") delete page.documentElement.dataset.theme;
  else page.documentElement.dataset.theme = theme;
}
