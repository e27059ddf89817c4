// Attribute values: their types, their texts, and the two JSON views of an item. Knows no tables.
//
// A number is never a number of JavaScript here. In DynamoDB JSON it is a text; in plain JSON it is read by `json.js`,
// which keeps the digits as they stand.

import { Unreadable, parse } from "./json.js";

/** @typedef {{S?: string, N?: string, B?: string, BOOL?: boolean, NULL?: boolean, SS?: string[], NS?: string[], BS?: string[], L?: Value[], M?: Item}} Value */
/** @typedef {{[name: string]: Value}} Item */
/** @typedef {import("./json.js").Json} Json */

/** Every type, with the name that people know it by. */
export const TYPES = /** @type {Array<[string, string]>} */ ([
  ["S", "String"],
  ["N", "Number"],
  ["B", "Binary"],
  ["BOOL", "Boolean"],
  ["NULL", "Null"],
  ["SS", "String set"],
  ["NS", "Number set"],
  ["BS", "Binary set"],
  ["L", "List"],
  ["M", "Map"],
]);

/**
 * The type of a value.
 * @param {Value} value
 */
export function typeOf(value) {
  return Object.keys(value)[0] ?? "NULL";
}

/** @param {string} type */
export function typeName(type) {
  return TYPES.find(([key]) => key === type)?.[1] ?? type;
}

/**
 * A value that a new attribute of this type begins with.
 * @param {string} type
 * @returns {Value}
 */
export function emptyValue(type) {
  switch (type) {
    case "N":
      return { N: "0" };
    case "B":
      return { B: "" };
    case "BOOL":
      return { BOOL: true };
    case "NULL":
      return { NULL: true };
    case "SS":
      return { SS: [""] };
    case "NS":
      return { NS: ["0"] };
    case "BS":
      return { BS: [""] };
    case "L":
      return { L: [] };
    case "M":
      return { M: {} };
    default:
      return { S: "" };
  }
}

/**
 * How many bytes base64 stands for.
 * @param {string} text
 */
export function base64Bytes(text) {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return Math.max(0, (text.length / 4) * 3 - padding);
}

/** @param {string} text */
export function isBase64(text) {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

/**
 * A value on one line.
 * @param {Value | undefined} value
 * @param {number} [depth]
 * @returns {string}
 */
export function shown(value, depth = 0) {
  if (!value) return "";
  if (value.S !== undefined) return depth ? JSON.stringify(value.S) : value.S;
  if (value.N !== undefined) return value.N;
  if (value.B !== undefined) return `0x${hex(value.B)}`;
  if (value.BOOL !== undefined) return String(value.BOOL);
  if (value.NULL !== undefined) return "null";
  if (value.SS) return `{ ${value.SS.map((one) => JSON.stringify(one)).join(", ")} }`;
  if (value.NS) return `{ ${value.NS.join(", ")} }`;
  if (value.BS) return `{ ${value.BS.map((one) => `0x${hex(one)}`).join(", ")} }`;
  if (depth > 6) return "…";
  if (value.L) return `[ ${value.L.map((one) => shown(one, depth + 1)).join(", ")} ]`;
  if (value.M) {
    return `{ ${Object.entries(value.M)
      .map(([name, one]) => `${JSON.stringify(name)}: ${shown(one, depth + 1)}`)
      .join(", ")} }`;
  }
  return "";
}

/** So much of a value is shown in a list. */
const BRIEF_LETTERS_MAX = 300;
/** @type {WeakMap<Value, string>} */
const briefs = new WeakMap();

/**
 * The beginning of a value on one line, however large it is; worked out once.
 * @param {Value | undefined} value
 */
export function brief(value) {
  if (!value) return "";
  let text = briefs.get(value);
  if (text === undefined) {
    text = shown(cut(value, { left: BRIEF_LETTERS_MAX }));
    if (text.length > BRIEF_LETTERS_MAX) text = `${text.slice(0, BRIEF_LETTERS_MAX)}…`;
    briefs.set(value, text);
  }
  return text;
}

/**
 * As much of a value as there is room for.
 * @param {Value} value
 * @param {{left: number}} room
 * @returns {Value}
 */
function cut(value, room) {
  const take = (/** @type {string} */ text) => {
    const part = text.slice(0, Math.max(0, room.left) + 1);
    room.left -= part.length + 2;
    return part;
  };
  if (value.S !== undefined) return { S: take(value.S) };
  if (value.L) {
    /** @type {Value[]} */
    const members = [];
    for (const one of value.L) {
      if (room.left <= 0) break;
      members.push(cut(one, room));
    }
    return { L: members };
  }
  if (value.M) {
    /** @type {Array<[string, Value]>} */
    const members = [];
    for (const [name, one] of Object.entries(value.M)) {
      if (room.left <= 0) break;
      members.push([take(name), cut(one, room)]);
    }
    return { M: Object.fromEntries(members) };
  }
  for (const set of /** @type {const} */ (["SS", "NS", "BS"])) {
    const members = value[set];
    if (members) return { [set]: members.slice(0, BRIEF_LETTERS_MAX).map((one) => (set === "BS" ? one : take(one))) };
  }
  room.left -= 8;
  return value;
}

/** @param {string} base64 */
function hex(base64) {
  let bytes;
  try {
    bytes = atob(base64.slice(0, 64));
  } catch {
    return base64;
  }
  const text = Array.from(bytes, (byte) => byte.charCodeAt(0).toString(16).padStart(2, "0")).join("");
  return base64.length > 64 ? `${text}… (${base64Bytes(base64)} bytes)` : text;
}

/**
 * The same value, attributes in any order.
 * @param {Value | undefined} left
 * @param {Value | undefined} right
 * @returns {boolean}
 */
export function same(left, right) {
  if (!left || !right) return left === right;
  return canonical(left) === canonical(right);
}

/**
 * @param {Value} value
 * @returns {string}
 */
function canonical(value) {
  if (value.M) {
    const members = Object.entries(value.M).sort(([one], [other]) => (one < other ? -1 : 1));
    return `M{${members.map(([name, one]) => `${JSON.stringify(name)}:${canonical(one)}`).join()}}`;
  }
  if (value.L) return `L[${value.L.map(canonical).join()}]`;
  for (const set of /** @type {const} */ (["SS", "NS", "BS"])) {
    const members = value[set];
    if (members) return `${set}${JSON.stringify([...members].sort())}`;
  }
  return JSON.stringify(value);
}

/**
 * Whether plain JSON says all there is to say of a value: sets and binaries have no form of their own in it.
 * @param {Value} value
 * @returns {boolean}
 */
export function isPlain(value) {
  if (value.M) return Object.values(value.M).every(isPlain);
  if (value.L) return value.L.every(isPlain);
  return value.S !== undefined || value.N !== undefined || value.BOOL !== undefined || value.NULL !== undefined;
}

/**
 * An item as plain JSON. Ask `isPlain` first.
 * @param {Item} item
 */
export function plainText(item) {
  return plain({ M: item }, "");
}

/**
 * @param {Value} value
 * @param {string} indent
 * @returns {string}
 */
function plain(value, indent) {
  const deeper = `${indent}  `;
  if (value.M) {
    const members = Object.entries(value.M).map(([name, one]) => `${deeper}${JSON.stringify(name)}: ${plain(one, deeper)}`);
    return members.length ? `{\n${members.join(",\n")}\n${indent}}` : "{}";
  }
  if (value.L) {
    const members = value.L.map((one) => `${deeper}${plain(one, deeper)}`);
    return members.length ? `[\n${members.join(",\n")}\n${indent}]` : "[]";
  }
  if (value.N !== undefined) return value.N;
  if (value.S !== undefined) return JSON.stringify(value.S);
  if (value.BOOL !== undefined) return String(value.BOOL);
  if (value.NULL !== undefined) return "null";
  return JSON.stringify(value);
}

/**
 * An item as DynamoDB JSON: values on one line where they are short.
 * @param {Item} item
 */
export function dynamoText(item) {
  return typed({ M: item }, "").replace(/^\{"M": /, "").replace(/\}$/, "");
}

/**
 * @param {Value} value
 * @param {string} indent
 * @returns {string}
 */
function typed(value, indent) {
  const deeper = `${indent}  `;
  if (value.M && Object.keys(value.M).length) {
    const members = Object.entries(value.M).map(([name, one]) => `${deeper}${JSON.stringify(name)}: ${typed(one, deeper)}`);
    return `{"M": {\n${members.join(",\n")}\n${indent}}}`;
  }
  if (value.L?.length) {
    return `{"L": [\n${value.L.map((one) => `${deeper}${typed(one, deeper)}`).join(",\n")}\n${indent}]}`;
  }
  const [type, inside] = Object.entries(value)[0] ?? ["NULL", true];
  const text = Array.isArray(inside) ? `[${inside.map((one) => JSON.stringify(one)).join(", ")}]` : JSON.stringify(inside);
  return `{"${type}": ${text}}`;
}

/**
 * An item from plain JSON.
 * @param {string} text
 * @returns {Item}
 */
export function fromPlain(text) {
  return plainItem(parse(text));
}

/**
 * @param {Json} json
 * @returns {Item}
 */
export function plainItem(json) {
  if (json.kind !== "object") throw new Unreadable("An item is an object: { … }");
  return plainValue(json).M ?? {};
}

/**
 * @param {Json} json
 * @returns {Value}
 */
function plainValue(json) {
  switch (json.kind) {
    case "object":
      return { M: Object.fromEntries(json.members.map(([name, one]) => [name, plainValue(one)])) };
    case "array":
      return { L: json.members.map(plainValue) };
    case "text":
      return { S: json.text };
    case "number":
      return { N: json.text };
    default:
      return json.word === null ? { NULL: true } : { BOOL: json.word };
  }
}

/**
 * An item from DynamoDB JSON.
 * @param {string} text
 * @returns {Item}
 */
export function fromDynamo(text) {
  return dynamoItem(parse(text));
}

/**
 * A value from DynamoDB JSON.
 * @param {string} text
 */
export function valueFromDynamo(text) {
  return dynamoValue(parse(text), "The value");
}

/**
 * @param {Json} json
 * @returns {Item}
 */
export function dynamoItem(json) {
  if (json.kind !== "object") throw new Unreadable("An item is an object: { … }");
  return Object.fromEntries(json.members.map(([name, one]) => [name, dynamoValue(one, name)]));
}

/**
 * Whether this looks like DynamoDB JSON: every attribute is an object with one type in it.
 * @param {Json} json
 */
export function looksTyped(json) {
  return (
    json.kind === "object" &&
    json.members.length > 0 &&
    json.members.every(([, one]) => one.kind === "object" && one.members.length === 1 && TYPES.some(([type]) => type === one.members[0]?.[0]))
  );
}

/**
 * @param {Json} json
 * @param {string} where
 * @returns {Value}
 */
function dynamoValue(json, where) {
  const member = json.kind === "object" && json.members.length === 1 ? json.members[0] : undefined;
  if (!member || !TYPES.some(([type]) => type === member[0])) {
    throw new Unreadable(`${where} needs a type: {"S": "text"}, {"N": "12.5"}, {"BOOL": true}, {"M": { … }} and so on. For values without types, turn off View DynamoDB JSON.`);
  }
  const [type, inside] = member;
  switch (type) {
    case "S":
      return { S: text(inside, where, "S") };
    case "N":
      return { N: inside.kind === "number" ? inside.text : text(inside, where, "N") };
    case "B":
      return { B: binary(text(inside, where, "B"), where) };
    case "BOOL":
      if (inside.kind !== "word" || inside.word === null) throw new Unreadable(`${where}: BOOL is true or false`);
      return { BOOL: inside.word };
    case "NULL":
      return { NULL: true };
    case "SS":
    case "NS":
    case "BS": {
      const members = list(inside, where, type).map((one) => {
        if (type === "NS" && one.kind === "number") return one.text;
        const member = text(one, where, type);
        return type === "BS" ? binary(member, where) : member;
      });
      return { [type]: members };
    }
    case "L":
      return { L: list(inside, where, "L").map((one, place) => dynamoValue(one, `${where}[${place}]`)) };
    default:
      if (inside.kind !== "object") throw new Unreadable(`${where}: M holds an object`);
      return { M: Object.fromEntries(inside.members.map(([name, one]) => [name, dynamoValue(one, `${where}.${name}`)])) };
  }
}

/**
 * @param {Json} json
 * @param {string} where
 * @param {string} type
 */
function text(json, where, type) {
  if (json.kind !== "text") throw new Unreadable(`${where}: ${type} holds a text in quotes`);
  return json.text;
}

/**
 * @param {Json} json
 * @param {string} where
 * @param {string} type
 */
function list(json, where, type) {
  if (json.kind !== "array") throw new Unreadable(`${where}: ${type} holds a list: [ … ]`);
  return json.members;
}

/**
 * @param {string} value
 * @param {string} where
 */
function binary(value, where) {
  if (!isBase64(value)) throw new Unreadable(`${where}: a binary is written in base64`);
  return value;
}
