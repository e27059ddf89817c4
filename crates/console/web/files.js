// Items as the text of a file and back: CSV with types in its header, JSON of every usual form. Knows no elements of a
// page.

import { typedValue } from "./expression.js";
import { Unreadable, parseMany } from "./json.js";
import { dynamoItem, looksTyped, plainItem, typeOf, valueFromDynamo } from "./values.js";

/** @typedef {import("./values.js").Item} Item */
/** @typedef {import("./values.js").Value} Value */

/**
 * @param {Item[]} items
 * @param {string[]} columns
 */
export function toCsv(items, columns) {
  const types = columns.map((column) => {
    const found = new Set(items.flatMap((item) => (item[column] ? [typeOf(/** @type {Value} */ (item[column]))] : [])));
    const only = found.size === 1 ? [...found][0] : undefined;
    // An empty cell is an attribute that is not there, so a column with an empty text needs its type in each cell.
    const hasEmpty = items.some((item) => item[column]?.S === "");
    return only && !hasEmpty && ["S", "N", "BOOL"].includes(only) ? only : "JSON";
  });
  const lines = [columns.map((column, place) => cell(`${column} (${types[place]})`)).join(",")];
  for (const item of items) {
    lines.push(
      columns
        .map((column, place) => {
          const value = item[column];
          if (!value) return "";
          return cell(types[place] === "JSON" ? JSON.stringify(value) : String(value.S ?? value.N ?? value.BOOL));
        })
        .join(","),
    );
  }
  return `${lines.join("\r\n")}\r\n`;
}

/** @param {string} text */
function cell(text) {
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * The cells of a CSV text.
 * @param {string} text
 * @returns {string[][]}
 */
export function csvRows(text) {
  /** @type {string[][]} */
  const rows = [];
  /** @type {string[]} */
  let row = [];
  const pattern = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/y;
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text);
    if (!match) throw new Unreadable(`Line ${rows.length + 1} of the CSV cannot be read`);
    row.push(match[1] !== undefined ? match[1].replaceAll('""', '"') : (match[2] ?? ""));
    if (match[3] !== ",") {
      if (row.length > 1 || row[0] !== "") rows.push(row);
      row = [];
    } else if (pattern.lastIndex === text.length) {
      row.push("");
      rows.push(row);
    }
  }
  return rows;
}

/**
 * Items from a CSV text. A header without a type means a key's own type, else text.
 * @param {string} text
 * @param {any} table
 * @returns {Item[]}
 */
export function fromCsv(text, table) {
  const [header = [], ...rows] = csvRows(text.replace(/^\ufeff/, ""));
  const keyTypes = new Map(table.AttributeDefinitions.map((/** @type {any} */ one) => [one.AttributeName, one.AttributeType]));
  const columns = header.map((title) => {
    const match = /^(.*) \((S|N|B|BOOL|JSON)\)$/s.exec(title);
    return match ? { name: match[1] ?? "", type: match[2] ?? "S" } : { name: title, type: keyTypes.get(title) ?? "S" };
  });
  return rows.map((row, place) =>
    Object.fromEntries(
      columns.flatMap(({ name, type }, nth) => {
        const text = row[nth] ?? "";
        if (text === "") return [];
        const where = `Row ${place + 2}, ${name}`;
        return [[name, type === "JSON" ? valueFromDynamo(text) : typedValue(type, text, where)]];
      }),
    ),
  );
}

/**
 * Items from a JSON text of either form.
 * @param {string} text
 * @returns {Item[]}
 */
export function fromJson(text) {
  const all = parseMany(text);
  const isTyped = all.length > 0 && all.every(looksTyped);
  // The command line writes {"Items": […]}, an export of the service {"Item": {…}} a line.
  return all.flatMap((one) => {
    if (one.kind === "object" && one.members.length >= 1) {
      const items = one.members.find(([name, value]) => name === "Items" && value.kind === "array")?.[1];
      if (items?.kind === "array") return items.members.map(dynamoItem);
      const item = one.members.length === 1 && one.members[0]?.[0] === "Item" ? one.members[0][1] : undefined;
      if (item && looksTyped(item)) return [dynamoItem(item)];
    }
    return [isTyped ? dynamoItem(one) : plainItem(one)];
  });
}
