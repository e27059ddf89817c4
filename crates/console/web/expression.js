// Requests made from what a person chose: names aliased, values bound, one builder for every operator.
// Knows no elements of a page.

import { Unreadable } from "./json.js";
import { isBase64, valueFromDynamo } from "./values.js";

/** @typedef {import("./values.js").Value} Value */
/** @typedef {import("./values.js").Item} Item */
/** @typedef {{name: string, type: string, hash: boolean}} KeyPart */
/** @typedef {{attribute: string, operator: string, type: string, value: string, second: string}} Condition */
/** @typedef {{mode: string, index: string, keys: Condition[], filters: Condition[], projection: string[], descending: boolean, consistent: boolean, limit: number}} View */
/** @typedef {{operation: string, body: Record<string, any>}} Request */

/** Conditions on a sort key. */
export const KEY_OPERATORS = /** @type {Array<[string, string]>} */ ([
  ["=", "Equal to"],
  ["<=", "Less than or equal to"],
  ["<", "Less than"],
  [">=", "Greater than or equal to"],
  [">", "Greater than"],
  ["between", "Between"],
  ["begins_with", "Begins with"],
]);

/** Conditions of a filter. */
export const FILTER_OPERATORS = /** @type {Array<[string, string]>} */ ([
  ["=", "Equal to"],
  ["<>", "Not equal to"],
  ["<=", "Less than or equal to"],
  ["<", "Less than"],
  [">=", "Greater than or equal to"],
  [">", "Greater than"],
  ["between", "Between"],
  ["exists", "Exists"],
  ["not_exists", "Not exists"],
  ["contains", "Contains"],
  ["not_contains", "Not contains"],
  ["begins_with", "Begins with"],
  ["in", "Is one of"],
  ["attribute_type", "Is of type"],
  ["size_eq", "Size equal to"],
  ["size_lt", "Size less than"],
  ["size_gt", "Size greater than"],
]);

/**
 * How many values an operator takes.
 * @param {string} operator
 */
export function valuesOf(operator) {
  if (operator === "exists" || operator === "not_exists") return 0;
  return operator === "between" ? 2 : 1;
}

/**
 * The keys of a table or one of its indexes, with their types.
 * @param {any} table
 * @param {string} index
 * @returns {KeyPart[]}
 */
export function keyOf(table, index) {
  const found = indexesOf(table).find((one) => one.IndexName === index);
  const schema = found ? found.KeySchema : table.KeySchema;
  const types = new Map(table.AttributeDefinitions.map((/** @type {any} */ one) => [one.AttributeName, one.AttributeType]));
  return schema.map((/** @type {any} */ one) => ({
    name: one.AttributeName,
    type: types.get(one.AttributeName) ?? "S",
    hash: one.KeyType === "HASH",
  }));
}

/**
 * All indexes of a table, local ones marked.
 * @param {any} table
 * @returns {any[]}
 */
export function indexesOf(table) {
  const local = (table.LocalSecondaryIndexes ?? []).map((/** @type {any} */ one) => ({ ...one, local: true }));
  return [...(table.GlobalSecondaryIndexes ?? []), ...local];
}

/**
 * A value of a type, from what was typed.
 * @param {string} type
 * @param {string} text
 * @param {string} where
 * @returns {Value}
 */
export function typedValue(type, text, where) {
  switch (type) {
    case "N":
      if (!/^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$/.test(text)) throw new Unreadable(`${where}: ${JSON.stringify(text)} is no number`);
      return { N: text.trim() };
    case "B":
      if (!isBase64(text)) throw new Unreadable(`${where}: a binary is written in base64`);
      return { B: text };
    case "BOOL":
      if (text !== "true" && text !== "false") throw new Unreadable(`${where}: a boolean is true or false`);
      return { BOOL: text === "true" };
    case "NULL":
      return { NULL: true };
    case "S":
      return { S: text };
    default: {
      const value = valueFromDynamo(text.trim().startsWith("{") ? text : `{"${type}": ${text}}`);
      if (!(type in value)) throw new Unreadable(`${where}: this is not of type ${type}`);
      return value;
    }
  }
}

/** Gathers the names and values of a request and gives each a placeholder. */
class Placeholders {
  constructor() {
    /** @type {Map<string, string>} */
    this.names = new Map();
    /** @type {Map<string, Value>} */
    this.values = new Map();
  }

  /** @param {string} name */
  name(name) {
    for (const [placeholder, known] of this.names) if (known === name) return placeholder;
    const stem = `#${name.replace(/[^A-Za-z0-9_]/g, "_")}`;
    let placeholder = stem;
    for (let count = 2; this.names.has(placeholder); count += 1) placeholder = `${stem}${count}`;
    this.names.set(placeholder, name);
    return placeholder;
  }

  /**
   * A path such as a.b[3]; a name with dots in it stands in double quotes.
   * @param {string} path
   */
  path(path) {
    return splitPath(path)
      .map((part) => (typeof part === "number" ? `[${part}]` : this.name(part)))
      .reduce((sum, part) => (part.startsWith("[") ? sum + part : sum ? `${sum}.${part}` : part), "");
  }

  /**
   * @param {string} name
   * @param {Value} value
   */
  value(name, value) {
    const stem = `:${name.replace(/[^A-Za-z0-9_]/g, "_") || "v"}`;
    let placeholder = stem;
    for (let count = 2; this.values.has(placeholder); count += 1) placeholder = `${stem}${count}`;
    this.values.set(placeholder, value);
    return placeholder;
  }

  /** @param {Record<string, any>} body */
  into(body) {
    if (this.names.size) body.ExpressionAttributeNames = Object.fromEntries(this.names);
    if (this.values.size) body.ExpressionAttributeValues = Object.fromEntries(this.values);
  }
}

/**
 * The parts of a path.
 * @param {string} path
 * @returns {Array<string | number>}
 */
export function splitPath(path) {
  /** @type {Array<string | number>} */
  const parts = [];
  const pattern = /"((?:[^"\\]|\\.)*)"|([^.[\]"]+)|\[(\d+)\]|(\.)/y;
  let match;
  while (pattern.lastIndex < path.length && (match = pattern.exec(path))) {
    if (match[1] !== undefined) parts.push(match[1].replace(/\\(.)/g, "$1"));
    else if (match[2] !== undefined) parts.push(match[2]);
    else if (match[3] !== undefined) parts.push(Number(match[3]));
  }
  return parts.length && typeof parts[0] === "string" ? parts : [path];
}

/**
 * @param {Condition} condition
 * @param {Placeholders} placeholders
 * @param {(text: string) => string} spell
 */
function term(condition, placeholders, spell) {
  const { attribute, operator, type } = condition;
  const path = spell(attribute);
  const value = (/** @type {string} */ text, as = type) => placeholders.value(attribute, typedValue(as, text, attribute));
  switch (operator) {
    case "between":
      return `${path} BETWEEN ${value(condition.value)} AND ${value(condition.second)}`;
    case "begins_with":
    case "contains":
      return `${operator}(${path}, ${value(condition.value)})`;
    case "not_contains":
      return `NOT contains(${path}, ${value(condition.value)})`;
    case "exists":
      return `attribute_exists(${path})`;
    case "not_exists":
      return `attribute_not_exists(${path})`;
    case "in":
      return `${path} IN (${condition.value.split(",").map((one) => value(one.trim())).join(", ")})`;
    case "attribute_type":
      return `attribute_type(${path}, ${value(condition.value, "S")})`;
    case "size_eq":
      return `size(${path}) = ${value(condition.value, "N")}`;
    case "size_lt":
      return `size(${path}) < ${value(condition.value, "N")}`;
    case "size_gt":
      return `size(${path}) > ${value(condition.value, "N")}`;
    default:
      return `${path} ${operator} ${value(condition.value)}`;
  }
}

/**
 * The request of a view.
 * @param {any} table
 * @param {View} view
 * @returns {Request}
 */
export function build(table, view) {
  const isQuery = view.mode === "query";
  const placeholders = new Placeholders();
  /** @type {Record<string, any>} */
  const body = { TableName: table.TableName };
  if (view.index) body.IndexName = view.index;
  if (isQuery) {
    const terms = keyOf(table, view.index).flatMap((part) => {
      const given = view.keys.find((one) => one.attribute === part.name);
      if (!given || given.value === "") {
        if (part.hash) throw new Unreadable(`Enter a value for the partition key ${part.name}`);
        return [];
      }
      const condition = { ...given, operator: part.hash ? "=" : given.operator, type: part.type };
      return [term(condition, placeholders, (name) => placeholders.name(name))];
    });
    body.KeyConditionExpression = terms.join(" AND ");
  }
  const filters = view.filters.filter((one) => one.attribute.trim());
  if (filters.length) {
    body.FilterExpression = filters.map((one) => term({ ...one, attribute: one.attribute.trim() }, placeholders, (path) => placeholders.path(path))).join(" AND ");
  }
  if (view.projection.length) {
    body.ProjectionExpression = view.projection.map((one) => placeholders.path(one)).join(", ");
  }
  placeholders.into(body);
  if (isQuery && view.descending) body.ScanIndexForward = false;
  if (view.consistent) body.ConsistentRead = true;
  return { operation: isQuery ? "Query" : "Scan", body };
}

/** The service takes expressions of 4 KB and 300 operators; a little is left for what else a request says. */
const CONDITIONS_MAX = 200;

/**
 * A condition that holds only of an item that is as it was loaded.
 * @param {Item} loaded
 * @param {string[]} needed attributes that must be in it, however many there are
 * @param {string[]} absent attributes that must not be there
 */
export function unchanged(loaded, needed = [], absent = []) {
  const placeholders = new Placeholders();
  const names = Object.keys(loaded);
  const first = needed.filter((name) => name in loaded);
  const rest = names.filter((name) => !first.includes(name));
  const terms = [...first, ...rest].slice(0, CONDITIONS_MAX).map((name, place) => {
    const alias = `#c${place}`;
    placeholders.names.set(alias, name);
    placeholders.values.set(`:c${place}`, /** @type {Value} */ (loaded[name]));
    return `${alias} = :c${place}`;
  });
  absent.forEach((name, place) => {
    placeholders.names.set(`#n${place}`, name);
    terms.push(`attribute_not_exists(#n${place})`);
  });
  /** @type {Record<string, any>} */
  const body = { ConditionExpression: terms.join(" AND ") };
  placeholders.into(body);
  return body;
}
