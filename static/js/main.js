/** The entry of every page: makes the runtime and the session, brings the elements to life. Nobody imports it. */

import { CELL_SOLVED, CodeCell } from "./cell.js";
import { passOverWhenFar } from "./far.js";
import { HeatMap } from "./heatmap.js";
import { readLessonData, sizeOnWire } from "./lesson-data.js";
import { Progress, readSetting, writeSetting } from "./progress.js";
import { QUIZ_RIGHT, QuizCard } from "./quiz.js";
import { Runtime } from "./runtime.js";
import { Session } from "./session.js";
import { ShapeFigure } from "./shapes.js";
import { startTheme } from "./theme.js";
import { markExercises, startToc } from "./toc.js";

startTheme(document);
startToc(document);
customElements.define("heat-map", HeatMap);
customElements.define("quiz-card", QuizCard);
customElements.define("shape-figure", ShapeFigure);
customElements.define("code-cell", CodeCell);

const list = document.querySelector(".lesson-list");
if (list) void import("./bookmarks.js").then(({ showBookmarks }) => showBookmarks(list));
const lesson = readLessonData(document);
if (lesson) startLesson(lesson);

/** @param {import("./lesson-data.js").LessonData} lesson */
function startLesson(lesson) {
  const runtime = new Runtime(lesson.runtime);
  runtime.addEventListener("state", () => {
    document.documentElement.dataset.runtime = runtime.status.state;
  });
  const thrifty = /** @type {any} */ (navigator).connection?.saveData === true;
  const keep = keeper(lesson, thrifty);
  const remember = rememberer(runtime, lesson.runtime);
  if (!thrifty && serviceWorkers()?.controller) void keep(null);
  const session = new Session({
    runtime,
    setup: lesson.cells.flatMap(({ kind, name, source }) => (kind === "setup" && source ? [{ name, source }] : [])),
    root: document,
    restore: restoreSetting(),
    thrifty,
    onSuccess: (cell) => {
      void keep(/** @type {CodeCell} */ (cell));
      remember();
    },
  });
  const progress = new Progress(lesson);
  progress.visit(Date.now());
  document.addEventListener(QUIZ_RIGHT, ({ target }) => progress.answer(/** @type {Element} */ (target).getAttribute("name") ?? ""));
  const known = new Map(lesson.cells.map((data) => [data.name, data]));
  const symbols = new Map(
    Object.entries(lesson.notation).flatMap(([role, names]) => names.map((name) => [name, `sym-${role}`])),
  );
  const bytes = sizeOnWire(lesson.runtime);
  for (const cell of document.querySelectorAll("code-cell")) {
    if (!(cell instanceof CodeCell)) continue;
    const data = known.get(cell.name) ?? { name: cell.name, kind: "run", hash: "" };
    cell.attach({ data, progress, symbols, bytes });
    if (cell.runnable) session.add(cell);
    passOverWhenFar(cell);
  }
  const mark = () => markExercises(document, new Set(progress.summary().solved));
  document.addEventListener(CELL_SOLVED, mark);
  mark();
}

/**
 * Makes the lesson work offline, once it can: the files of Python are there after a first Run. An earlier visit may have
 * left them.
 *
 * @param {import("./lesson-data.js").LessonData} lesson @param {boolean} thrifty
 * @returns {(cell: CodeCell | null) => Promise<void>}
 */
function keeper(lesson, thrifty) {
  // An author may have switched it off since: what an earlier deploy has left goes now.
  if (!lesson.offline && serviceWorkers()?.controller)
    void import("./offline.js").then(({ forgetLessons }) => forgetLessons(lesson.base)).catch(() => {});
  let done = !lesson.offline || !serviceWorkers();
  return async (cell) => {
    if (done) return;
    done = true;
    // Failures are silent: the page works without it.
    const kept = await import("./offline.js").then(({ keepLesson }) => keepLesson(lesson, cell, thrifty), () => false);
    // Before a first Run Python's files may have been missing.
    done = kept || cell !== null;
  };
}

/** In a sandboxed frame, even asking for them throws. @returns {ServiceWorkerContainer | null} */
function serviceWorkers() {
  try {
    return navigator.serviceWorker ?? null;
  } catch {
    return null;
  }
}

/**
 * Prepares later starts after the first result, once for each page.
 *
 * @param {Runtime} runtime @param {import("./protocol.js").RuntimeManifest} manifest
 */
function rememberer(runtime, manifest) {
  let asked = !manifest.snapshot;
  return () => {
    if (asked) return;
    asked = true;
    const made = () => void (document.documentElement.dataset.snapshot = "kept");
    const warm = import("./warm.js").then(({ keepSpare, takeSnapshot }) => {
      keepSpare(runtime);
      takeSnapshot(runtime, manifest, made);
    });
    warm.catch(() => {}); // only slower without
  };
}

/** Whether variables are restored after a stop: remembered for all lessons, and at least as long as the page lives. */
function restoreSetting() {
  let on = readSetting("restore") !== "no";
  return {
    get on() {
      return on;
    },
    set on(wanted) {
      on = wanted;
      writeSetting("restore", on ? "yes" : "no");
    },
  };
}
