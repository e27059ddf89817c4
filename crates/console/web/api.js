// Requests: operations of the database, and the console's own small API. Knows no pages.

/** @typedef {import("./values.js").Item} Item */

/**
 * @param {string} name
 */
function meta(name) {
  return document.querySelector(`meta[name="larder-${name}"]`)?.getAttribute("content") ?? "";
}

/** What only this server knows. */
export const session = {
  token: meta("token"),
  version: meta("version"),
  endpoint: meta("endpoint"),
  readOnly: meta("read-only") === "true",
};

/** A refusal, with the exception's name. */
export class Refusal extends Error {
  /**
   * @param {string} kind
   * @param {string} message
   * @param {number} status
   * @param {any} body
   */
  constructor(kind, message, status, body) {
    super(message || kind);
    this.kind = kind;
    this.status = status;
    this.body = body;
  }
}

/**
 * @param {string} path
 * @param {RequestInit} init
 */
async function ask(path, init) {
  let answer;
  try {
    answer = await fetch(`api/${path}`, { ...init, headers: { ...init.headers, "x-larder-token": session.token } });
  } catch (failure) {
    if (failure instanceof DOMException && failure.name === "AbortError") throw failure;
    throw new Refusal("Unreachable", "The server does not answer. Is it still running?", 0, null);
  }
  const text = await answer.text();
  /** @type {any} */
  let body = {};
  if (text) {
    try {
      body = JSON.parse(text);
    } catch {
      body = { message: text };
    }
  }
  if (!answer.ok) {
    const kind = String(body.__type ?? "Error").split("#").pop() ?? "Error";
    const message = body.message ?? body.Message ?? "";
    throw new Refusal(kind, message ? `${kind}: ${message}` : kind, answer.status, body);
  }
  return body;
}

/**
 * An operation of the database. Numbers of items are texts in DynamoDB JSON, so nothing is lost on the way.
 * @param {string} operation
 * @param {object} body
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export function call(operation, body, signal) {
  const family = STREAMS.has(operation) ? "DynamoDBStreams_20120810" : "DynamoDB_20120810";
  return ask("call", {
    method: "POST",
    headers: { "content-type": "application/x-amz-json-1.0", "x-amz-target": `${family}.${operation}` },
    body: JSON.stringify(body),
    signal: signal ?? null,
  });
}

const STREAMS = new Set(["DescribeStream", "GetShardIterator", "GetRecords", "ListStreams"]);

/**
 * Something of the console's own API.
 * @param {string} path
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export function get(path, signal) {
  return ask(path, { method: "GET", signal: signal ?? null });
}

/**
 * @param {string} path
 * @param {object} body
 * @returns {Promise<any>}
 */
export function post(path, body) {
  return ask(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
}

/** @type {Promise<string[]> | null} */
let asked = null;

/** Asks for the names of all tables before anybody wants them: the first page is soon to. */
export function askTableNames() {
  asked = allTableNames();
  // Whoever wants them is told of a failure; until then it is nobody's.
  asked.catch(() => {});
}

/** The names of all tables. */
export function tableNames() {
  const names = asked ?? allTableNames();
  asked = null;
  return names;
}

async function allTableNames() {
  /** @type {string[]} */
  const names = [];
  /** @type {string | undefined} */
  let start;
  do {
    const answer = await call("ListTables", start ? { ExclusiveStartTableName: start } : {});
    names.push(...answer.TableNames);
    start = answer.LastEvaluatedTableName;
  } while (start);
  return names;
}

/**
 * A table as it is.
 * @param {string} name
 * @returns {Promise<any>}
 */
export async function describe(name) {
  return (await call("DescribeTable", { TableName: name })).Table;
}

/**
 * Does something for each, a few at a time, in order of the list.
 * @template T, R
 * @param {T[]} list
 * @param {number} atOnce
 * @param {(one: T, place: number) => Promise<R>} act
 * @returns {Promise<R[]>}
 */
export async function each(list, atOnce, act) {
  /** @type {R[]} */
  const results = new Array(list.length);
  let next = 0;
  const worker = async () => {
    while (next < list.length) {
      const place = next;
      next += 1;
      results[place] = await act(/** @type {T} */ (list[place]), place);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, list.length) }, worker));
  return results;
}

/** @type {Promise<any[]> | null} */
let designs = null;

/** The designs that the server was told of; asked once, until something changes. */
export function loadedDesigns() {
  designs ??= get("designs").then(
    (answer) => answer.designs,
    () => [],
  );
  return designs;
}

/** Designs are asked for anew. */
export function forgetDesigns() {
  designs = null;
}
