/**
 * The shelf: where a course's files are kept for offline use, and what is on it. The service worker and the page share
 * this file; nobody else touches Cache Storage.
 *
 * Two caches for each course, named by its path, so that courses on one origin never meet. `files` holds what has its
 * hash in its name (`assets/`, `runtime/`): a name never changes its content, so deploys cannot mix. `pages` holds the
 * rest by address. A lesson is kept once its page lies in `pages`: that is put there last, and it names the list of all
 * that it needs.
 *
 * @typedef {object} Contents             what a lesson consists of; paths from the site's root → SHA-256, hex
 * @property {Record<string, string>} needed    without one of these it does not work
 * @property {Record<string, string>} imported  archives of modules, which some cell may import first when offline
 * @property {Record<string, string>} further   fonts, wheels, …: kept if the browser has fetched them
 */

const PREFIX = "lectern-offline:";
const LIST = /assets\/offline-[0-9a-f]{12}\.json/;

/** Whether a path from the site's root is that of a file with a hash in its name. @param {string} path */
export function isHashed(path) {
  return /^(assets|runtime)\//.test(path);
}

/** The path of the list that a page names. @returns {string | null} @param {string} html */
export function listNamed(html) {
  return html.match(LIST)?.[0] ?? null;
}

export class Shelf {
  /** @param {string} root  address of the site's root, absolute, ends in "/" @param {CacheStorage} [storage] */
  constructor(root, storage = caches) {
    this.root = root;
    this.storage = storage;
    const course = `${PREFIX}${new URL(root).pathname}:`;
    this.names = { files: `${course}files-1`, pages: `${course}pages-1` };
    this.course = course;
  }

  /** @returns {string} from the site's root @param {string} url */
  path(url) {
    return url.slice(this.root.length);
  }

  /** @returns {Promise<Cache>} @param {string} path */
  async of(path) {
    return this.storage.open(isHashed(path) ? this.names.files : this.names.pages);
  }

  /** @returns {Promise<Response | undefined>} @param {string} path */
  async get(path) {
    return (await this.of(path)).match(this.root + path, { ignoreVary: true });
  }

  /** @param {string} path @param {Response} response */
  async put(path, response) {
    await (await this.of(path)).put(this.root + path, response);
  }

  /** Takes everything of the course away. */
  async clear() {
    for (const name of await this.storage.keys()) if (name.startsWith(this.course)) await this.storage.delete(name);
  }

  /** @returns {Promise<Contents | null>} @param {string | null} list  its path */
  async contents(list) {
    const kept = list && (await this.get(list));
    return kept ? kept.json() : null;
  }

  /** The paths of all that lies in one of the two caches. @param {"files" | "pages"} name */
  async paths(name) {
    const cache = await this.storage.open(this.names[name]);
    return (await cache.keys()).map(({ url }) => this.path(url));
  }

  /** The SHA-256 that some list has for a file; null for one that no list names. @param {string} path */
  async hashOf(path) {
    for (const list of (await this.paths("files")).filter(listNamed)) {
      const contents = await this.contents(list);
      const hash = contents && { ...contents.needed, ...contents.imported, ...contents.further }[path];
      if (hash) return hash;
    }
    return null;
  }

  /** Takes away what no kept page needs, and earlier versions of the shelf. @param {string | null} list  of an open page */
  async tidy(list) {
    const wanted = new Set(list ? [list] : []);
    const pages = await this.paths("pages");
    for (const page of pages) {
      const named = isPage(page) ? listNamed((await (await this.get(page))?.text()) ?? "") : null;
      if (named) wanted.add(named);
    }
    const paths = new Set([...wanted, ...pages.filter(isPage)]);
    for (const each of wanted) {
      const contents = await this.contents(each);
      for (const path of Object.keys({ ...contents?.needed, ...contents?.imported, ...contents?.further })) paths.add(path);
    }
    for (const path of [...pages, ...(await this.paths("files"))]) {
      if (!paths.has(path)) await (await this.of(path)).delete(this.root + path, { ignoreVary: true });
    }
    const current = Object.values(this.names);
    for (const name of await this.storage.keys()) {
      if (name.startsWith(this.course) && !current.includes(name)) await this.storage.delete(name);
    }
  }
}

/** Pages have the address of a folder. @param {string} path */
export function isPage(path) {
  return path === "" || path.endsWith("/");
}

/** @returns {Promise<string>} hex @param {BufferSource} bytes */
export async function sha256(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
