// Items: every type edited without loss, conflicts noticed, many deleted, files in and out.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { close, serve, shots, table, visit } from "../harness.js";
import { EVERY_TYPE } from "../samples.js";

let server;
before(async () => {
  server = await serve();
  for (const name of ["types", "conflict", "many", "files", "expr"]) await server.call("CreateTable", table(name));
});
after(async () => {
  await close();
  await server.stop();
});

const KEY = { pk: { S: "every" }, sk: { S: "1, and a comma" } };
const ITEM = { ...EVERY_TYPE, ...KEY };
const stored = async (name, key = KEY) => (await server.call("GetItem", { TableName: name, Key: key, ConsistentRead: true })).Item;
const address = (name, key) => `${server.console}/#/tables/${name}/items/edit?${new URLSearchParams({ key: JSON.stringify(key) })}`;
const sorted = (value) => {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, ["SS", "NS", "BS"].includes(name) && Array.isArray(one) ? [...one].sort() : sorted(one)]));
};

test("an item with every type goes through form, JSON and DynamoDB JSON and comes out the same", async (t) => {
  await server.call("PutItem", { TableName: "types", Item: ITEM });
  const before = await stored("types");
  const page = await visit(t, `${server.console}/#/tables/types/items`);
  await page.getByRole("link", { name: "every" }).click();
  await page.getByRole("heading", { name: "Edit item" }).waitFor();
  // One value is changed in the form; all others must come back untouched, also by way of the JSON view.
  await page.getByLabel("Value of decimal").fill("0.25");
  await page.getByRole("radio", { name: "JSON view" }).check();
  const text = await page.getByRole("textbox", { name: "Item as JSON" }).inputValue();
  assert.deepEqual(sorted(JSON.parse(text)), sorted({ ...before, decimal: { N: "0.25" } }));
  // Plain JSON cannot say sets and binaries, and says so.
  await page.getByLabel("View DynamoDB JSON").click();
  await page.getByText("plain JSON cannot say without loss").waitFor();
  await page.getByRole("radio", { name: "Form" }).check();
  await page.getByRole("button", { name: "Save changes" }).click();
  await page.getByText("Changes saved").waitFor();
  assert.deepEqual(sorted(await stored("types")), sorted({ ...before, decimal: { N: "0.25" } }));
});

test("38 digits, sets and binaries are typed in the form", async (t) => {
  const page = await visit(t, `${server.console}/#/tables/types/items/create`);
  await page.getByLabel("Value of pk").fill("typed");
  await page.getByLabel("Value of sk").fill("1");
  const add = async (type, name) => {
    await page.getByLabel("Add new attribute").selectOption({ label: type });
    await page.getByLabel("Attribute name").last().fill(name);
  };
  await add("Number", "n");
  await page.getByLabel("Value of attribute").last().fill("98765432109876543210987654321098765432");
  await add("String set", "ss");
  await page.getByLabel(/^Member 1 of/).last().fill("one");
  await page.getByRole("button", { name: "Add member" }).last().click();
  await page.getByLabel(/^Member 2 of/).last().fill("two");
  await add("Binary", "b");
  await page.getByPlaceholder("base64").fill("3q2+7w==");
  await add("Map", "m");
  await page.getByLabel(/^Add to/).last().selectOption({ label: "Boolean" });
  await page.getByLabel("Attribute name").last().fill("inner");
  await page.getByRole("button", { name: "Create item" }).click();
  await page.getByText("Item created").waitFor();
  const item = await stored("types", { pk: { S: "typed" }, sk: { S: "1" } });
  assert.deepEqual(item, { pk: { S: "typed" }, sk: { S: "1" }, n: { N: "98765432109876543210987654321098765432" }, ss: { SS: ["one", "two"] }, b: { B: "3q2+7w==" }, m: { M: { inner: { BOOL: true } } } });
});

test("plain JSON keeps all digits, and what is wrong is said", async (t) => {
  const page = await visit(t, `${server.console}/#/tables/types/items/create`);
  await page.getByRole("radio", { name: "JSON view" }).check();
  await page.getByLabel("View DynamoDB JSON").uncheck();
  const area = page.getByRole("textbox", { name: "Item as JSON" });
  await area.fill('{"pk": "plain", "sk": "1", "n": 12345678901234567890123456789.5,}');
  await page.getByRole("button", { name: "Create item" }).click();
  await page.getByText(/A name in quotes is missing/).waitFor();
  await area.fill('{"pk": "plain", "sk": "1", "n": 12345678901234567890123456789.5, "l": [1, null, true]}');
  await page.getByRole("button", { name: "Create item" }).click();
  await page.getByText("Item created").waitFor();
  const item = await stored("types", { pk: { S: "plain" }, sk: { S: "1" } });
  assert.deepEqual(item.n, { N: "12345678901234567890123456789.5" });
  assert.deepEqual(item.l, { L: [{ N: "1" }, { NULL: true }, { BOOL: true }] });
});

test("somebody else's change is noticed, shown and never written over unasked", async (t) => {
  const key = { pk: { S: "p" }, sk: { S: "s" } };
  await server.call("PutItem", { TableName: "conflict", Item: { ...key, a: { S: "first" }, b: { N: "1" } } });
  const page = await visit(t, address("conflict", key));
  await page.getByLabel("Value of a").fill("mine");
  await server.call("UpdateItem", { TableName: "conflict", Key: key, UpdateExpression: "SET b = :b", ExpressionAttributeValues: { ":b": { N: "2" } } });
  await page.getByRole("button", { name: "Save changes" }).click();
  await page.getByRole("heading", { name: "Somebody else has changed this item" }).waitFor();
  assert.deepEqual((await stored("conflict", key)).a, { S: "first" });
  await page.screenshot({ path: join(shots, "conflict-light.png") });
  assert.match(await page.getByRole("row", { name: /^b / }).innerText(), /1\s+1\s+2/);
  // It changes once more before the person decides: again nothing is lost.
  await server.call("UpdateItem", { TableName: "conflict", Key: key, UpdateExpression: "SET b = :b", ExpressionAttributeValues: { ":b": { N: "3" } } });
  await page.getByRole("button", { name: "Overwrite with mine" }).click();
  await page.getByRole("heading", { name: "It has changed once more" }).waitFor();
  assert.deepEqual((await stored("conflict", key)).b, { N: "3" });
  await page.getByRole("dialog", { name: "It has changed once more" }).getByRole("button", { name: "Overwrite with mine" }).click();
  await page.getByText("Item saved").waitFor();
  assert.deepEqual(await stored("conflict", key), { ...key, a: { S: "mine" }, b: { N: "1" } });
});

test("both changes can be kept", async (t) => {
  const key = { pk: { S: "merge" }, sk: { S: "s" } };
  await server.call("PutItem", { TableName: "conflict", Item: { ...key, a: { S: "first" }, b: { N: "1" }, c: { S: "x" } } });
  const page = await visit(t, address("conflict", key));
  await page.getByLabel("Value of a").fill("mine");
  await page.getByRole("button", { name: "Remove c" }).click();
  await server.call("UpdateItem", { TableName: "conflict", Key: key, UpdateExpression: "SET b = :b, d = :d", ExpressionAttributeValues: { ":b": { N: "2" }, ":d": { BOOL: true } } });
  await page.getByRole("button", { name: "Save changes" }).click();
  await page.getByRole("button", { name: "Keep my changes, take the rest" }).click();
  await page.getByRole("button", { name: "Save changes" }).click();
  await page.getByText("Changes saved").waitFor();
  assert.deepEqual(await stored("conflict", key), { ...key, a: { S: "mine" }, b: { N: "2" }, d: { BOOL: true } });
});

test("an item that was deleted meanwhile does not come back by itself", async (t) => {
  const key = { pk: { S: "gone" }, sk: { S: "s" } };
  await server.call("PutItem", { TableName: "conflict", Item: { ...key, a: { S: "x" } } });
  const page = await visit(t, address("conflict", key));
  await page.getByLabel("Value of a").fill("y");
  await server.call("DeleteItem", { TableName: "conflict", Key: key });
  await page.getByRole("button", { name: "Save changes" }).click();
  await page.getByRole("heading", { name: "Somebody else has deleted this item" }).waitFor();
  await page.getByRole("button", { name: "Keep editing" }).click();
  assert.equal(await stored("conflict", key), undefined);
});

test("creating an item over another one is a conflict too, and duplicating starts from it", async (t) => {
  const key = { pk: { S: "dup" }, sk: { S: "s" } };
  await server.call("PutItem", { TableName: "conflict", Item: { ...key, a: { S: "x" } } });
  const page = await visit(t, address("conflict", key));
  await page.getByRole("button", { name: "Duplicate" }).click();
  await page.getByRole("heading", { name: "Duplicate item" }).waitFor();
  await page.getByRole("button", { name: "Create item" }).click();
  await page.getByRole("heading", { name: "An item with this key is there already" }).waitFor();
  await page.getByRole("button", { name: "Keep editing" }).click();
  await page.getByLabel("Value of sk").fill("s2");
  await page.getByRole("button", { name: "Create item" }).click();
  await page.getByText("Item created").waitFor();
  assert.deepEqual(await stored("conflict", { ...key, sk: { S: "s2" } }), { ...key, sk: { S: "s2" }, a: { S: "x" } });
});

test("many are deleted, but none that changed since it was read", async (t) => {
  for (let nth = 0; nth < 12; nth += 1) await server.call("PutItem", { TableName: "many", Item: { pk: { S: "p" }, sk: { S: `s${nth}` }, v: { N: "1" } } });
  const page = await visit(t, `${server.console}/#/tables/many/items`);
  await page.getByLabel("Select all items").check();
  await server.call("UpdateItem", { TableName: "many", Key: { pk: { S: "p" }, sk: { S: "s3" } }, UpdateExpression: "SET v = :v", ExpressionAttributeValues: { ":v": { N: "2" } } });
  await page.getByRole("button", { name: "Delete 12 items" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText(/1 item changed since they were read/).waitFor();
  const left = await server.call("Scan", { TableName: "many" });
  assert.deepEqual(left.Items, [{ pk: { S: "p" }, sk: { S: "s3" }, v: { N: "2" } }]);
});

test("what is shown goes out as a file and comes in again", async (t) => {
  const items = [ITEM, { pk: { S: "second" }, sk: { S: "2" }, decimal: { N: "1E-5" }, text: { S: "a,b" } }];
  for (const Item of items) await server.call("PutItem", { TableName: "files", Item });
  const expected = sorted((await server.call("Scan", { TableName: "files" })).Items);
  for (const form of ["DynamoDB JSON", "CSV"]) {
    const page = await visit(t, `${server.console}/#/tables/files/items`);
    await page.getByRole("link", { name: "second" }).waitFor();
    await page.getByRole("button", { name: "Export" }).click();
    await page.getByRole("radio", { name: form, exact: true }).check();
    const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save file" }).click()]);
    const path = join(shots, `export.${form === "CSV" ? "csv" : "json"}`);
    await file.saveAs(path);
    assert.ok(readFileSync(path).length > 100);
    for (const item of items) await server.call("DeleteItem", { TableName: "files", Key: { pk: item.pk, sk: item.sk } });
    await page.getByRole("button", { name: "Import" }).click();
    await page.getByLabel("File").setInputFiles(path);
    await page.getByRole("dialog").getByRole("button", { name: "Import" }).click();
    await page.getByText("2 items imported").waitFor();
    assert.deepEqual(sorted((await server.call("Scan", { TableName: "files" })).Items), expected, form);
  }
  // Items that are there already stay as they are.
  const page = await visit(t, `${server.console}/#/tables/files/items`);
  const path = join(shots, "import.json");
  writeFileSync(path, JSON.stringify([{ pk: "second", sk: "2", text: "other" }, { pk: "third", sk: "3", n: 5 }]));
  await page.getByRole("button", { name: "Import" }).click();
  await page.getByLabel("File").setInputFiles(path);
  await page.getByRole("dialog").getByRole("button", { name: "Import" }).click();
  await page.getByText("1 item imported, 1 were there already and stayed").waitFor();
});

test("filters of every kind, a projection, and the hint when most was thrown away", async (t) => {
  for (let nth = 0; nth < 40; nth += 1) {
    await server.call("PutItem", { TableName: "expr", Item: { pk: { S: `p${nth % 4}` }, sk: { S: `s${nth}` }, n: { N: String(nth) }, tags: { SS: ["even", `t${nth}`] }, map: { M: { deep: { L: [{ S: `v${nth}` }] } } }, flag: { BOOL: nth % 2 === 0 } } });
  }
  const page = await visit(t, `${server.console}/#/tables/expr/items`);
  const filter = async (rows) => {
    await page.getByRole("button", { name: "Reset" }).click();
    for (const [nth, [attribute, operator, type, value, second]] of rows.entries()) {
      await page.getByRole("button", { name: "Add filter" }).click();
      const row = page.locator(".filter").nth(nth);
      await row.getByLabel("Attribute name").fill(attribute);
      await row.getByLabel("Condition").selectOption({ label: operator });
      if (type) await row.getByLabel("Type").selectOption(type);
      if (value !== undefined && type !== "BOOL") await row.getByLabel("Value").fill(value);
      if (type === "BOOL") await row.getByLabel("Value").selectOption(value);
      if (second) await row.getByLabel("and", { exact: true }).fill(second);
    }
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByText(/capacity units/).waitFor();
    return page.locator(".bar b").innerText();
  };
  assert.equal(await filter([["n", "Between", "N", "10", "12"]]), "3 items");
  assert.equal(await filter([["map.deep[0]", "Equal to", "S", "v7"]]), "1 item");
  assert.equal(await filter([["tags", "Contains", "S", "t9"]]), "1 item");
  assert.equal(await filter([["flag", "Equal to", "BOOL", "true"], ["n", "Less than", "N", "10"]]), "5 items");
  assert.equal(await filter([["sk", "Is one of", "S", "s1, s2"]]), "2 items");
  assert.equal(await filter([["nothing", "Not exists", "", undefined]]), "40 items");
  assert.equal(await filter([["pk", "Equal to", "S", "p1"], ["n", "Less than", "N", "6"]]), "2 items");
  await page.getByText("The filter threw away 95 % of the 40 items").waitFor();
  await page.getByRole("button", { name: "Query the table instead" }).click();
  await page.getByText("10 read").waitFor();
  // The view is in the address: whoever opens it sees the same.
  const other = await visit(t, page.url());
  await other.getByText("2 items returned").waitFor();
  assert.equal(await other.getByLabel(/^pk \(/).inputValue(), "p1");
  await other.getByRole("button", { name: "Show code" }).click();
  assert.match(await other.locator("dialog pre").innerText(), /aws dynamodb query/);
  for (const [language, expected] of [["boto3", /client\.query\(/], ["JavaScript", /QueryCommand/], ["Rust", /\.query\(\)/]]) {
    await other.getByRole("dialog").getByRole("radio", { name: language }).check();
    assert.match(await other.locator("dialog pre").innerText(), expected);
  }
  await other.keyboard.press("Escape");
  await other.getByLabel("Attributes to return").fill("n, map.deep");
  await other.getByRole("button", { name: "Run", exact: true }).click();
  await other.getByText("2 items returned").waitFor();
  assert.equal(await other.getByRole("columnheader", { name: "flag" }).count(), 0);
});

test("whoever comes back from an item finds the question again", async (t) => {
  await server.call("PutItem", { TableName: "expr", Item: { pk: { S: "back" }, sk: { S: "1" }, v: { S: "a" } } });
  const page = await visit(t, `${server.console}/#/tables/expr/items`);
  await page.getByRole("radio", { name: "Query" }).check();
  await page.getByLabel(/^pk \(/).fill("back");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByText("1 item returned").waitFor();
  await page.getByRole("link", { name: "back", exact: true }).click();
  await page.getByLabel("Value of v").fill("b");
  await page.getByRole("button", { name: "Save changes" }).click();
  await page.getByText("1 item returned").waitFor();
  assert.equal(await page.getByLabel(/^pk \(/).inputValue(), "back");
  await page.getByRole("gridcell", { name: "b", exact: true }).waitFor();
});

test("columns are chosen and ordered, and the choice is in the address", async (t) => {
  const page = await visit(t, `${server.console}/#/tables/expr/items`);
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("checkbox", { name: "flag" }).uncheck();
  await page.getByRole("button", { name: "Move n up", exact: true }).click();
  await page.getByRole("button", { name: "Show these" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  assert.equal(await page.getByRole("columnheader", { name: "flag" }).count(), 0);
  assert.match(page.url(), /cols=/);
  await page.getByRole("columnheader", { name: "n", exact: true }).getByRole("button").click();
  await page.getByRole("columnheader", { name: "n ↑" }).waitFor();
});
