// Values and the two JSON views: nothing may be lost on any way through them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { EVERY_TYPE } from "../samples.js";
import { brief, dynamoText, fromDynamo, fromPlain, isPlain, plainText, same, shown } from "../../../crates/console/web/values.js";

test("DynamoDB JSON goes there and back", () => {
  assert.deepEqual(fromDynamo(dynamoText(EVERY_TYPE)), EVERY_TYPE);
  assert.deepEqual(JSON.parse(dynamoText(EVERY_TYPE)), EVERY_TYPE);
});

test("plain JSON keeps every digit, and says when it cannot say all", () => {
  const plain = { n: { N: "12345678901234567890123456789012345678" }, m: { M: { l: { L: [{ N: "1E-130" }, { NULL: true }, { BOOL: false }, { S: "" }] } } } };
  assert.ok(Object.values(plain).every(isPlain));
  assert.match(plainText(plain), /12345678901234567890123456789012345678/);
  assert.deepEqual(fromPlain(plainText(plain)), plain);
  for (const value of [{ B: "AA==" }, { SS: ["a"] }, { NS: ["1"] }, { BS: ["AA=="] }, { L: [{ SS: ["a"] }] }, { M: { x: { B: "" } } }]) assert.ok(!isPlain(value));
});

test("a name like __proto__ is a name like any other", () => {
  const item = fromPlain('{"__proto__": {"x": 1}, "constructor": "y"}');
  assert.deepEqual(Object.keys(item), ["__proto__", "constructor"]);
  assert.deepEqual(fromDynamo(dynamoText(item)), item);
});

test("what cannot be read is refused with its place", () => {
  const wrong = [
    ["{", /ends too early|name in quotes/],
    ['{"a": 1,}', /name in quotes is missing \(line 1, column 9\)/],
    ['{"a": 01}', /line 1/],
    ['{"a": 1} x', /after the end/],
    ['{"a": 1, "a": 2}', /twice/],
    ["[1]", /An item is an object/],
    ['{"a": "x\ny"}', /not closed/],
  ];
  for (const [text, expected] of wrong) assert.throws(() => fromPlain(text), expected, text);
  assert.throws(() => fromDynamo('{"a": 1}'), /a needs a type/);
  assert.throws(() => fromDynamo('{"a": {"S": 1}}'), /text in quotes/);
  assert.throws(() => fromDynamo('{"a": {"L": [{"X": 1}]}}'), /a\[0\] needs a type/);
  assert.throws(() => fromDynamo('{"a": {"B": "*"}}'), /base64/);
  assert.throws(() => fromPlain("[".repeat(100)), /nested too deeply/);
});

test("numbers in DynamoDB JSON may stand without quotes and keep their digits", () => {
  assert.deepEqual(fromDynamo('{"a": {"N": 12345678901234567890123}, "b": {"NS": [1, "2"]}}'), { a: { N: "12345678901234567890123" }, b: { NS: ["1", "2"] } });
});

test("values are the same in any order of their members", () => {
  assert.ok(same({ M: { a: { N: "1" }, b: { SS: ["x", "y"] } } }, { M: { b: { SS: ["y", "x"] }, a: { N: "1" } } }));
  assert.ok(!same({ L: [{ N: "1" }, { N: "2" }] }, { L: [{ N: "2" }, { N: "1" }] }));
  assert.ok(!same({ S: "1" }, { N: "1" }) && !same(undefined, { S: "" }) && same(undefined, undefined));
});

test("values on one line", () => {
  assert.equal(shown({ B: "AAEC" }), "0x000102");
  assert.equal(shown({ M: { a: { L: [{ S: "x" }, { N: "1" }] } } }), '{ "a": [ "x", 1 ] }');
  assert.equal(shown({ SS: ["a"] }), '{ "a" }');
});

test("large values are shown by their beginning, at no cost", () => {
  const large = { M: Object.fromEntries(Array.from({ length: 20_000 }, (_, nth) => [`name${nth}`, { L: [{ S: "x".repeat(50) }, { NS: ["1", "2"] }] }])) };
  const began = performance.now();
  const text = brief(large);
  assert.ok(text.startsWith('{ "name0": [ "xxx') && text.length <= 301, text);
  for (let round = 0; round < 1000; round += 1) brief(large);
  assert.ok(performance.now() - began < 1000);
  assert.equal(brief({ S: "short" }), "short");
  assert.equal(brief({ SS: ["a", "b"] }), shown({ SS: ["a", "b"] }));
});
