// Where we are: the address after the hash, so that every view can be linked to. Knows no pages.

/** @typedef {{path: string[], params: URLSearchParams}} Place */

/** @returns {Place} */
export function here() {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?", 2);
  return { path: path.split("/").filter(Boolean).map(decodeURIComponent), params: new URLSearchParams(query) };
}

/**
 * The address of a view.
 * @param {string[]} path
 * @param {Record<string, string | undefined> | URLSearchParams} [params]
 */
export function link(path, params = {}) {
  const query = params instanceof URLSearchParams ? params : new URLSearchParams();
  if (!(params instanceof URLSearchParams)) {
    for (const [name, value] of Object.entries(params)) if (value) query.set(name, value);
  }
  const text = query.toString();
  return `#/${path.map(encodeURIComponent).join("/")}${text ? `?${text}` : ""}`;
}

/**
 * Goes to a view.
 * @param {string[]} path
 * @param {Record<string, string | undefined> | URLSearchParams} [params]
 */
export function go(path, params) {
  location.hash = link(path, params);
}

/**
 * Writes the state of the view into the address without leaving it.
 * @param {URLSearchParams} params
 */
export function remember(params) {
  history.replaceState(null, "", link(here().path, params));
}

/** @type {Map<string, URLSearchParams>} */
const questions = new Map();

/**
 * Keeps what was asked of a table last, so that whoever comes back from an item finds it again.
 * @param {string} table
 * @param {URLSearchParams} params
 */
export function keepQuestion(table, params) {
  questions.set(table, params);
}

/**
 * What was asked of a table last.
 * @param {string} table
 */
export function keptQuestion(table) {
  return questions.get(table) ?? new URLSearchParams();
}
