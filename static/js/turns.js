/** Does work piece by piece, one piece per animation frame, so that the page answers in between. Pure but for the clock. */

export class Turns {
  #soon;
  /** @type {(() => void)[]} */
  #waiting = [];
  #due = false;

  /** @param {(act: () => void) => void} [soon]  calls `act` before the next frame is painted */
  constructor(soon = (act) => void requestAnimationFrame(act)) {
    this.#soon = soon;
  }

  /** The first piece is done at once. @param {() => void} piece */
  add(piece) {
    if (this.#due) {
      this.#waiting.push(piece);
      return;
    }
    this.#wait();
    piece();
  }

  /** What has not been done is not wanted any more. */
  clear() {
    this.#waiting = [];
  }

  #wait() {
    this.#due = true;
    this.#soon(() => {
      this.#due = false;
      const piece = this.#waiting.shift();
      if (!piece) return;
      this.#wait();
      piece();
    });
  }
}
