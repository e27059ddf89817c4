// Items as files: CSV and JSON, there and back.

import assert from "node:assert/strict";
import { test } from "node:test";
import { csvRows, fromCsv, fromJson, toCsv } from "../../../crates/console/web/files.js";
import { dynamoText, plainText } from "../../../crates/console/web/values.js";

const TABLE = { AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "S" }, { AttributeName: "sk", AttributeType: "N" }] };
const ITEMS = [
  { pk: { S: 'a,"b"' }, sk: { N: "12345678901234567890123456789012345678" }, flag: { BOOL: true }, mixed: { S: "1" }, set: { SS: ["x", "y"] }, note: { S: "line\nbreak" }, blank: { S: "" } },
  { pk: { S: " spaced " }, sk: { N: "-0.5" }, mixed: { N: "1" }, list: { L: [{ B: "AA==" }, { NULL: true }] }, blank: { S: "x" } },
];

test("CSV keeps every type and value", () => {
  const columns = ["pk", "sk", "flag", "mixed", "set", "note", "list", "blank"];
  const text = toCsv(ITEMS, columns);
  assert.match(text, /^pk \(S\),sk \(N\),flag \(BOOL\),mixed \(JSON\),set \(JSON\),note \(S\),list \(JSON\),blank \(JSON\)\r\n/);
  assert.deepEqual(fromCsv(text, TABLE), ITEMS);
});

test("CSV of other programs: keys have their types, the rest is text", () => {
  assert.deepEqual(fromCsv("\ufeffpk,sk,zip\nx,5,00123\n", TABLE), [{ pk: { S: "x" }, sk: { N: "5" }, zip: { S: "00123" } }]);
  assert.deepEqual(csvRows('a,"b ""c"", d"\r\n,\r\n'), [["a", 'b "c", d'], ["", ""]]);
  assert.throws(() => csvRows('a,"b\n'), /cannot be read/);
  assert.throws(() => fromCsv("sk\nx\n", TABLE), /Row 2, sk/);
});

test("JSON in all the forms that are about", () => {
  const typed = ITEMS.map(dynamoText);
  assert.deepEqual(fromJson(`[${typed.join(",")}]`), ITEMS);
  assert.deepEqual(fromJson(typed.join("\n")), ITEMS);
  assert.deepEqual(fromJson(JSON.stringify({ Items: ITEMS, Count: 2 })), ITEMS);
  assert.deepEqual(fromJson(ITEMS.map((item) => JSON.stringify({ Item: item })).join("\n")), ITEMS);
  const plain = [{ pk: { S: "a" }, n: { N: "12345678901234567890" } }];
  assert.deepEqual(fromJson(`[${plain.map(plainText).join(",")}]`), plain);
});
