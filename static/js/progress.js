/**
 * What a student's browser remembers: edited cells, what was solved and answered, the reader's settings. The only file
 * that touches storage, and the only one that has to know that storage can be full, blocked, or written by another tab.
 *
 * @typedef {object} Edit
 * @property {string} source    the student's text
 * @property {string} starter   hash of the lesson's code it was made from
 *
 * @typedef {Edit & {older?: Edit}} Saved   `older`: an edit of an earlier version of the lesson, kept until decided on
 *
 * @typedef {object} Work       on one exercise
 * @property {number} attempts    answers that were judged and did not pass, before the first that did
 * @property {Passed | null} passed
 * @property {string | null} mine   what the student had written when they took the solution over
 *
 * @typedef {object} Passed     an answer that passed
 * @property {string} source
 * @property {string} task        hash of the exercise (starter and check) as it was then
 *
 * @typedef {object} Summary    what became of one lesson
 * @property {string[]} solved          names of its exercises
 * @property {string[]} answered        names of its quizzes that were answered rightly
 * @property {number | null} visited    when it was last opened, in milliseconds since 1970
 *
 * @typedef {Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">} Store
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

  /** @returns {Work} @param {string} exercise */
  work(exercise) {
    return parseWork(read(this.#store, `${this.#prefix}${exercise}:work`));
  }

  /** @param {string} exercise @param {Work} work */
  keep(exercise, work) {
    write(this.#store, `${this.#prefix}${exercise}:work`, JSON.stringify(work));
  }

  /** A quiz was answered rightly. @param {string} quiz */
  answer(quiz) {
    write(this.#store, `${this.#prefix}${quiz}:answered`, "yes");
  }

  /** The lesson is being read. @param {number} now */
  visit(now) {
    write(this.#store, `${this.#prefix}:visited`, String(now));
  }

  /** @returns {Summary} */
  summary() {
    const kept = names(this.#store, this.#prefix);
    const named = (/** @type {string} */ kind) =>
      kept.flatMap((key) => (key.endsWith(kind) ? [key.slice(0, -kind.length)] : []));
    const visited = Number(read(this.#store, `${this.#prefix}:visited`));
    return {
      solved: named(":work").filter((name) => this.work(name).passed),
      answered: named(":answered"),
      visited: visited > 0 ? visited : null,
    };
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

/** @returns {string[]} what the store has below a prefix @param {Store | null} store @param {string} prefix */
function names(store, prefix) {
  try {
    const keys = Array.from({ length: store?.length ?? 0 }, (_, i) => store?.key(i) ?? "");
    return keys.flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []));
  } catch {
    return [];
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

/** @returns {Work} @param {string | null} json  whatever this version did not write counts as nothing done */
function parseWork(json) {
  /** @type {any} */
  let value = null;
  try {
    value = JSON.parse(json ?? "null");
  } catch {
    // Nothing is known.
  }
  const { attempts, passed, mine } = value ?? {};
  const right = typeof passed?.source === "string" && typeof passed.task === "string";
  return {
    attempts: Number.isInteger(attempts) && attempts > 0 ? attempts : 0,
    passed: right ? { source: passed.source, task: passed.task } : null,
    mine: typeof mine === "string" ? mine : null,
  };
}
