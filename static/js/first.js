/**
 * What runs before anything of a page is drawn; the page holds it itself, so it must stay tiny. The remembered theme, or
 * a dark page would flash up light; and a word where the page's script does not arrive, for nothing else could say it.
 */

import { applyTheme } from "./theme.js";

applyTheme(document);

addEventListener(
  "error",
  ({ target }) => {
    if (!(target instanceof HTMLScriptElement)) return;
    document.documentElement.dataset.runtime = "failed";
    if (document.readyState === "loading") addEventListener("DOMContentLoaded", tell);
    else tell();
  },
  true, // a script's failure does not bubble
);

function tell() {
  const note = document.createElement("p");
  note.className = "script-fault";
  note.setAttribute("role", "alert");
  note.textContent =
    "This page’s script did not arrive, so its code cannot be run here. The site may just have been published anew. ";
  const again = document.createElement("button");
  again.textContent = "Reload the page";
  again.onclick = () => location.reload();
  note.append(again);
  document.querySelector("main")?.prepend(note);
}
