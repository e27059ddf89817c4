// Requests from what a person chose, and the same in code.

import assert from "node:assert/strict";
import { test } from "node:test";
import { spell } from "../../../crates/console/web/code.js";
import { FILTER_OPERATORS, KEY_OPERATORS, build, splitPath, typedValue, unchanged } from "../../../crates/console/web/expression.js";

const TABLE = {
  TableName: "t",
  AttributeDefinitions: [
    { AttributeName: "PK", AttributeType: "S" },
    { AttributeName: "SK", AttributeType: "S" },
    { AttributeName: "n", AttributeType: "N" },
  ],
  KeySchema: [
    { AttributeName: "PK", KeyType: "HASH" },
    { AttributeName: "SK", KeyType: "RANGE" },
  ],
  LocalSecondaryIndexes: [{ IndexName: "byNumber", KeySchema: [{ AttributeName: "PK", KeyType: "HASH" }, { AttributeName: "n", KeyType: "RANGE" }] }],
};

const view = (more) => ({ mode: "scan", index: "", keys: [], filters: [], projection: [], descending: false, consistent: false, limit: 100, ...more });
const condition = (attribute, operator, type, value, second = "") => ({ attribute, operator, type, value, second });

test("a query on a local index asks by its key, not by a filter", () => {
  const { operation, body } = build(TABLE, view({ mode: "query", index: "byNumber", keys: [condition("PK", "=", "S", "a"), condition("n", ">=", "N", "1")], descending: true, consistent: true }));
  assert.equal(operation, "Query");
  assert.deepEqual(body, {
    TableName: "t",
    IndexName: "byNumber",
    KeyConditionExpression: "#PK = :PK AND #n >= :n",
    ExpressionAttributeNames: { "#PK": "PK", "#n": "n" },
    ExpressionAttributeValues: { ":PK": { S: "a" }, ":n": { N: "1" } },
    ScanIndexForward: false,
    ConsistentRead: true,
  });
});

test("every operator makes its own expression", () => {
  const expected = {
    "=": "#a = :a",
    "<>": "#a <> :a",
    "<=": "#a <= :a",
    "<": "#a < :a",
    ">=": "#a >= :a",
    ">": "#a > :a",
    between: "#a BETWEEN :a AND :a2",
    exists: "attribute_exists(#a)",
    not_exists: "attribute_not_exists(#a)",
    contains: "contains(#a, :a)",
    not_contains: "NOT contains(#a, :a)",
    begins_with: "begins_with(#a, :a)",
    in: "#a IN (:a, :a2)",
    attribute_type: "attribute_type(#a, :a)",
    size_eq: "size(#a) = :a",
    size_lt: "size(#a) < :a",
    size_gt: "size(#a) > :a",
  };
  assert.deepEqual(FILTER_OPERATORS.map(([key]) => key).sort(), Object.keys(expected).sort());
  for (const [operator, text] of Object.entries(expected)) {
    const value = operator === "in" ? "1, 2" : operator === "attribute_type" ? "S" : "1";
    const { body } = build(TABLE, view({ filters: [condition("a", operator, "N", value, "2")] }));
    assert.equal(body.FilterExpression, text);
  }
  for (const [operator] of KEY_OPERATORS) {
    const { body } = build(TABLE, view({ mode: "query", keys: [condition("PK", "=", "S", "a"), condition("SK", operator, "S", "b", "c")] }));
    assert.match(body.KeyConditionExpression, /^#PK = :PK AND /);
  }
});

test("paths, reserved words and odd names are aliased", () => {
  assert.deepEqual(splitPath('a.b[3]."c.d"'), ["a", "b", 3, "c.d"]);
  const { body } = build(TABLE, view({ filters: [condition("ttl", "<", "N", "5"), condition('map.list[0]."x.y"', "=", "S", "z"), condition("a-b", "exists", "S", ""), condition("a_b", "exists", "S", "")], projection: ["name", "map.x"] }));
  assert.equal(body.FilterExpression, "#ttl < :ttl AND #map.#list[0].#x_y = :map_list_0___x_y_ AND attribute_exists(#a_b) AND attribute_exists(#a_b2)");
  assert.equal(body.ProjectionExpression, "#name, #map.#x");
  assert.equal(body.ExpressionAttributeNames["#x_y"], "x.y");
});

test("values of every type, and those that are none", () => {
  assert.deepEqual(typedValue("N", " 12345678901234567890123456789012345678 ", "x"), { N: "12345678901234567890123456789012345678" });
  assert.deepEqual(typedValue("BOOL", "false", "x"), { BOOL: false });
  assert.deepEqual(typedValue("SS", '["a", "b"]', "x"), { SS: ["a", "b"] });
  assert.deepEqual(typedValue("M", '{"M": {"a": {"N": "1"}}}', "x"), { M: { a: { N: "1" } } });
  for (const [type, text] of [["N", "1x"], ["N", ""], ["B", "*"], ["BOOL", "yes"], ["SS", "a"], ["L", '{"S": "x"}']]) assert.throws(() => typedValue(type, text, "x"), undefined, `${type} ${text}`);
  assert.throws(() => build(TABLE, view({ mode: "query" })), /partition key PK/);
});

test("a condition that holds only of an unchanged item", () => {
  const body = unchanged({ a: { S: "x" }, b: { N: "1" } }, ["b"], ["c"]);
  assert.equal(body.ConditionExpression, "#c0 = :c0 AND #c1 = :c1 AND attribute_not_exists(#n0)");
  assert.deepEqual(body.ExpressionAttributeNames, { "#c0": "b", "#c1": "a", "#n0": "c" });
  const wide = Object.fromEntries(Array.from({ length: 1000 }, (_, nth) => [`a${nth}`, { N: "1" }]));
  const large = unchanged(wide, ["a999"]);
  assert.ok(large.ConditionExpression.length < 4096 && Object.values(large.ExpressionAttributeNames).includes("a999"));
});

test("code in every language", () => {
  const request = build(TABLE, view({ mode: "query", keys: [condition("PK", "=", "S", "it's \"x\"")], filters: [condition("b", "=", "BOOL", "true")] }));
  const endpoint = "http://127.0.0.1:8000";
  assert.match(spell("cli", request, endpoint), /^aws dynamodb query --endpoint-url http:\/\/127\.0\.0\.1:8000 \\\n {2}--table-name t \\\n/);
  assert.match(spell("cli", request, endpoint), /it'\\''s/);
  assert.match(spell("python", request, endpoint), /client\.query\(\n {4}TableName="t",/);
  assert.match(spell("python", request, endpoint), /\{"BOOL": True\}/);
  assert.match(spell("javascript", request, endpoint), /new QueryCommand\(\{\n {2}TableName: "t",/);
  assert.match(spell("rust", request, endpoint), /\.expression_attribute_values\(":PK", AttributeValue::S\("it's \\"x\\""\.into\(\)\)\)/);
  assert.deepEqual(JSON.parse(spell("json", request, endpoint)), request.body);
});
