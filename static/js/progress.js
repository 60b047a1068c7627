/**
 * What a student's browser remembers: edited cells and the reader's settings. The only file that touches storage, and
 * the only one that has to know that storage can be full, blocked, or written by another tab.
 *
 * @typedef {object} Edit
 * @property {string} source    the student's text
 * @property {string} starter   hash of the lesson's code it was made from
 *
 * @typedef {Edit & {older?: Edit}} Saved   `older`: an edit of an earlier version of the lesson, kept until decided on
 *
 * @typedef {Pick<Storage, "getItem" | "setItem" | "removeItem">} Store
 */

export class Progress {
  #store;
  #prefix;
  /** False once a write has failed: edits then last as long as the page. */
  lasting = true;

  /**
   * @param {object} place
   * @param {string} place.base   path of the site's root: several courses may share one origin
   * @param {string} place.slug   the lesson
   * @param {Store | null} [store]
   */
  constructor({ base, slug }, store = browserStore()) {
    this.#store = store;
    this.#prefix = `lectern:${base}:${slug}:`;
  }

  /** @returns {Saved | null} @param {string} cell */
  load(cell) {
    return parse(read(this.#store, this.#prefix + cell));
  }

  /**
   * Each cell is one entry, written whole: with several tabs the last write wins and none is ever half there.
   *
   * @returns {boolean} whether it will survive a reload
   * @param {string} cell @param {Saved} saved
   */
  save(cell, saved) {
    this.lasting = write(this.#store, this.#prefix + cell, JSON.stringify(saved));
    return this.lasting;
  }

  /** @param {string} cell */
  forget(cell) {
    try {
      this.#store?.removeItem(this.#prefix + cell);
    } catch {
      // Nothing could be stored either, so nothing is left behind.
    }
  }
}

/** A setting of the reader, shared by all lessons of the origin. @param {string} name @returns {string | null} */
export function readSetting(name, store = browserStore()) {
  return read(store, `lectern:${name}`);
}

/** @param {string} name @param {string} value */
export function writeSetting(name, value, store = browserStore()) {
  return write(store, `lectern:${name}`, value);
}

/** @returns {Store | null} null where the browser forbids even looking (cookies blocked, sandboxed frame) */
function browserStore() {
  try {
    return globalThis.localStorage ?? null;
  } catch {
    return null;
  }
}

/** @param {Store | null} store @param {string} key */
function read(store, key) {
  try {
    return store?.getItem(key) ?? null;
  } catch {
    return null;
  }
}

/** @param {Store | null} store @param {string} key @param {string} value */
function write(store, key, value) {
  try {
    store?.setItem(key, value);
    return store !== null;
  } catch {
    return false;
  }
}

/** @returns {Saved | null} @param {string | null} json  null for anything this version did not write */
function parse(json) {
  try {
    const value = JSON.parse(json ?? "null");
    if (!isEdit(value)) return null;
    const { source, starter } = value;
    const older = /** @type {Saved} */ (value).older;
    return { source, starter, ...(isEdit(older) && { older: { source: older.source, starter: older.starter } }) };
  } catch {
    return null;
  }
}

/** @returns {value is Edit} @param {unknown} value */
function isEdit(value) {
  const edit = /** @type {Partial<Edit> | null | undefined} */ (value);
  return typeof edit?.source === "string" && typeof edit.starter === "string";
}
