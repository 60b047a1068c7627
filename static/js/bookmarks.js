/** Says on the front page what the reader has done in each lesson, and which one they read last. */

import { h } from "./dom.js";
import { Progress } from "./progress.js";
import { count } from "./words.js";

const DAY = 24 * 60 * 60 * 1000;

/** @typedef {import("./progress.js").Summary} Summary */

/** @param {Element} list  of `[data-slug]` cards, with how many exercises and questions each lesson has */
export function showBookmarks(list) {
  const base = new URL("./", document.baseURI).pathname;
  const cards = /** @type {HTMLElement[]} */ ([...list.querySelectorAll("[data-slug]")]).map((card) => ({
    card,
    done: new Progress({ base, slug: card.dataset.slug ?? "" }).summary(),
  }));
  const last = Math.max(0, ...cards.map(({ done }) => done.visited ?? 0));
  for (const { card, done } of cards) {
    if (done.visited === null) continue;
    const { exercises, questions } = card.dataset;
    const facts = card.querySelector(".lesson-facts");
    facts?.replaceChildren(said(done, Number(exercises), Number(questions), Date.now()));
    if (done.visited === last) facts?.prepend(h("strong", {}, "You were here last. "));
  }
}

/** @returns {string} @param {Summary} done @param {number} exercises @param {number} questions @param {number} now */
export function said({ solved, answered, visited }, exercises, questions, now) {
  const days = startOfDay(visited ?? now) - startOfDay(now);
  const parts = [
    ...(exercises ? [share(solved.length, exercises, "exercise", "solved")] : []),
    ...(questions ? [share(answered.length, questions, "question", "answered")] : []),
    `read ${new Intl.RelativeTimeFormat("en", { numeric: "auto" }).format(days, "day")}`,
  ];
  return parts.join(" · ");
}

/** A lesson may have lost an exercise since it was solved. @param {number} done @param {number} all @param {string} noun @param {string} verb */
function share(done, all, noun, verb) {
  return done >= all ? `${all > 1 ? "all " : ""}${count(all, noun)} ${verb}` : `${done} of ${count(all, noun)} ${verb}`;
}

/** @param {number} time  ms @returns {number} whole days since the epoch, where the reader is */
function startOfDay(time) {
  const local = new Date(time);
  return Math.round(Date.UTC(local.getFullYear(), local.getMonth(), local.getDate()) / DAY);
}
