// JSON, read without turning numbers into anything: their digits stay as they stand. Knows no attribute values.

/** Something that was typed and cannot be read. */
export class Unreadable extends Error {}

/** @typedef {{kind: "object", members: Array<[string, Json]>} | {kind: "array", members: Json[]} | {kind: "text", text: string} | {kind: "number", text: string} | {kind: "word", word: true | false | null}} Json */

/** JSON, read without turning numbers into anything. */
class Reader {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    this.place = 0;
  }

  /**
   * @param {string} message
   * @returns {never}
   */
  fail(message) {
    const before = this.text.slice(0, this.place).split("\n");
    throw new Unreadable(`${message} (line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1})`);
  }

  space() {
    while (/\s/.test(this.text[this.place] ?? "")) this.place += 1;
  }

  /** @param {string} letter */
  takes(letter) {
    this.space();
    if (this.text[this.place] !== letter) return false;
    this.place += 1;
    return true;
  }

  /** @param {string} letter */
  needs(letter) {
    if (!this.takes(letter)) this.fail(`${letter} is missing`);
  }

  /**
   * @param {number} depth
   * @returns {Json}
   */
  value(depth) {
    if (depth > 64) this.fail("This is nested too deeply");
    this.space();
    const first = this.text[this.place];
    if (first === undefined) this.fail("The text ends too early");
    if (this.takes("{")) return { kind: "object", members: this.members(depth) };
    if (this.takes("[")) return { kind: "array", members: this.list(depth) };
    if (first === '"') return { kind: "text", text: this.string() };
    const number = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/.exec(this.text.slice(this.place, this.place + 400));
    if (number) {
      this.place += number[0].length;
      return { kind: "number", text: number[0] };
    }
    for (const [word, value] of /** @type {Array<[string, true | false | null]>} */ ([["true", true], ["false", false], ["null", null]])) {
      if (this.text.startsWith(word, this.place)) {
        this.place += word.length;
        return { kind: "word", word: value };
      }
    }
    return this.fail(`A value cannot begin with ${first}`);
  }

  string() {
    const pattern = /"(?:[^"\\\u0000-\u001f]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
    pattern.lastIndex = this.place;
    const found = pattern.exec(this.text);
    if (!found) return this.fail("A text is not closed or holds a character that must be escaped");
    this.place += found[0].length;
    return /** @type {string} */ (JSON.parse(found[0]));
  }

  /** @param {number} depth */
  members(depth) {
    /** @type {Array<[string, Json]>} */
    const members = [];
    const names = new Set();
    if (this.takes("}")) return members;
    do {
      this.space();
      if (this.text[this.place] !== '"') this.fail("A name in quotes is missing");
      const name = this.string();
      if (names.has(name)) this.fail(`${JSON.stringify(name)} is there twice`);
      names.add(name);
      this.needs(":");
      members.push([name, this.value(depth + 1)]);
    } while (this.takes(","));
    this.needs("}");
    return members;
  }

  /** @param {number} depth */
  list(depth) {
    /** @type {Json[]} */
    const members = [];
    if (this.takes("]")) return members;
    do members.push(this.value(depth + 1));
    while (this.takes(","));
    this.needs("]");
    return members;
  }
}

/**
 * One JSON text.
 * @param {string} text
 * @returns {Json}
 */
export function parse(text) {
  const reader = new Reader(text);
  const value = reader.value(0);
  reader.space();
  if (reader.place < text.length) reader.fail("There is something after the end");
  return value;
}

/**
 * Several JSON texts: an array of objects, or one object after the other.
 * @param {string} text
 * @returns {Json[]}
 */
export function parseMany(text) {
  const reader = new Reader(text);
  /** @type {Json[]} */
  const found = [];
  reader.space();
  while (reader.place < text.length) {
    const value = reader.value(0);
    if (value.kind === "array") found.push(...value.members);
    else found.push(value);
    reader.takes(",");
    reader.space();
  }
  return found;
}
