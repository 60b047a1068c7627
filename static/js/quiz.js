/**
 * `<quiz-card>`: checks the chosen answer and says what to think of it, as often as the reader likes.
 *
 * The feedback of every answer stands in the page (`[data-feedback-for]`, what a reader without JavaScript opens).
 * A copy of the chosen one goes into the live region `[data-feedback]`, which CSS `order` shows right below the
 * answer: the region itself must not move in the document, or screen readers would miss the change.
 */

/** The event of a card whose right answer was found. */
export const QUIZ_RIGHT = "quiz-right";

export class QuizCard extends HTMLElement {
  /** @type {AbortController | null} */
  #listening = null;

  connectedCallback() {
    const form = this.querySelector("form");
    const check = this.querySelector("button[data-action=check]");
    if (!form || !(check instanceof HTMLButtonElement)) return;
    this.#listening = new AbortController();
    const { signal } = this.#listening;
    check.disabled = false;
    this.querySelectorAll(".choice").forEach((choice, place) => {
      if (choice instanceof HTMLElement) choice.style.order = String(2 * place);
    });
    form.addEventListener(
      "submit",
      (event) => {
        event.preventDefault();
        this.#check();
      },
      { signal },
    );
    // Another answer is chosen: what was said belongs to the one before.
    form.addEventListener("change", () => this.#clear(), { signal });
  }

  disconnectedCallback() {
    this.#listening?.abort();
  }

  #check() {
    const chosen = this.querySelector("input:checked");
    if (!(chosen instanceof HTMLInputElement)) {
      this.#say(null, "", [document.createTextNode("Choose an answer first.")]);
      return;
    }
    const feedback = this.querySelector(`[data-feedback-for="${chosen.value}"]`);
    if (!(feedback instanceof HTMLElement)) return;
    this.#clear();
    const verdict = feedback.dataset.verdict ?? "";
    chosen.closest(".choice")?.setAttribute("data-verdict", verdict);
    this.#say(Number(chosen.value), verdict, [...feedback.cloneNode(true).childNodes]);
    if (verdict === "right") this.dispatchEvent(new Event(QUIZ_RIGHT, { bubbles: true }));
  }

  /**
   * @param {number | null} place     the answer below which it stands; null: below all
   * @param {string} verdict          "right", "wrong", or "" where there is nothing to judge
   * @param {Node[]} words
   */
  #say(place, verdict, words) {
    const region = this.querySelector("[data-feedback]");
    if (!(region instanceof HTMLElement)) return;
    region.style.order = place === null ? "999" : String(2 * place + 1);
    region.dataset.verdict = verdict;
    region.replaceChildren(...words);
  }

  #clear() {
    this.querySelectorAll(".choice[data-verdict]").forEach((choice) => choice.removeAttribute("data-verdict"));
    this.#say(null, "", []);
  }
}
