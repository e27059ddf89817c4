// The steps that the designs' documents write down for a console, done word for word.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { close, root, serve, visit } from "../harness.js";

let server;
before(async () => {
  const folder = join(root, "designs");
  const files = readdirSync(folder).filter((name) => name.endsWith(".design.yaml")).map((name) => join(folder, name));
  server = await serve("--design", ...files);
});
after(async () => {
  await close();
  await server.stop();
});

// The item of the document "Manual Test via AWS Console", as it is to be pasted.
const PASTED = `{
  "symbol": {
    "S": "TEST"
  },
  "dataType": {
    "S": "quote"
  },
  "data": {
    "M": {
      "symbol": {"S": "TEST"},
      "price": {"N": "100.50"}
    }
  },
  "ttl": {
    "N": "1999999999"
  },
  "timestamp": {
    "N": "1705328955"
  }
}`;

test("stock-price-cache: the manual test via the console", async (t) => {
  const page = await visit(t, server.console);
  // 1. Go to DynamoDB → Tables → stock-price-cache
  await page.getByRole("link", { name: "Tables", exact: true }).click();
  await page.getByRole("link", { name: "stock-price-cache", exact: true }).click();
  // 2. Click Explore table items
  await page.getByRole("link", { name: "Explore table items" }).click();
  // 3. Click Create item
  await page.getByRole("link", { name: "Create item" }).click();
  // 4. Switch to JSON view and paste
  await page.getByRole("radio", { name: "JSON view" }).check();
  await page.getByRole("textbox", { name: "Item as JSON" }).fill(PASTED);
  // 5. Click Create item
  await page.getByRole("button", { name: "Create item" }).click();
  // 6. Verify the item appears in the table
  await page.getByRole("row", { name: /TEST/ }).first().waitFor();
  const key = { symbol: { S: "TEST" }, dataType: { S: "quote" } };
  const { Item } = await server.call("GetItem", { TableName: "stock-price-cache", Key: key });
  assert.deepEqual(Item.data, { M: { symbol: { S: "TEST" }, price: { N: "100.5" } } });
});

test("stock-price-cache: the checklist, from an empty server, and how to enable TTL", async (t) => {
  const fresh = await serve();
  t.after(() => fresh.stop());
  const page = await visit(t, fresh.console);
  await page.getByRole("link", { name: "Create your first table" }).click();
  await page.getByLabel("Table name").fill("stock-price-cache");
  await page.getByLabel("Partition key", { exact: true }).fill("symbol");
  await page.getByLabel("Sort key – optional", { exact: true }).fill("dataType");
  await page.getByRole("radio", { name: "On-demand" }).check();
  await page.getByRole("button", { name: "Add new tag" }).click();
  await page.getByLabel("Key", { exact: true }).fill("Project");
  await page.getByLabel("Value", { exact: true }).fill("VirtualStockTrading");
  await page.getByRole("button", { name: "Create table" }).click();
  await page.getByRole("heading", { name: "stock-price-cache" }).waitFor();
  // 2. Click Additional settings tab
  await page.getByRole("link", { name: "Additional settings" }).click();
  // 3. Under Time to Live (TTL), click Manage TTL
  await page.getByRole("heading", { name: "Time to Live (TTL)" }).waitFor();
  await page.getByRole("button", { name: "Manage TTL" }).click();
  // 4. Enter ttl as the TTL attribute name
  await page.getByLabel("TTL attribute name").fill("ttl");
  // 5. Click Enable
  await page.getByRole("button", { name: "Enable" }).click();
  await page.getByText("Items expire at the time in").waitFor();
  await page.getByRole("cell", { name: "VirtualStockTrading" }).waitFor();
  const ttl = await fresh.call("DescribeTimeToLive", { TableName: "stock-price-cache" });
  assert.equal(ttl.TimeToLiveDescription.AttributeName, "ttl");
  const { Table } = await fresh.call("DescribeTable", { TableName: "stock-price-cache" });
  assert.deepEqual(Table.KeySchema, [{ AttributeName: "symbol", KeyType: "HASH" }, { AttributeName: "dataType", KeyType: "RANGE" }]);
  assert.equal(Table.BillingModeSummary.BillingMode, "PAY_PER_REQUEST");
});

/** Runs a query in Explore as a person would, and returns what the first column shows. */
async function query(t, table, index, keys, more = async () => {}) {
  const page = await visit(t, `${server.console}/#/tables/${table}/items`);
  await page.getByRole("radio", { name: "Query" }).check();
  if (index) await page.getByLabel("Table or index").selectOption(index);
  for (const [label, value, operator, second] of keys) {
    if (operator) await page.getByLabel(new RegExp(`^Condition on ${label}`)).selectOption({ label: operator });
    await page.getByLabel(new RegExp(`^${label} \\(`)).fill(value);
    if (second) await page.getByLabel(`${label}, upper end`).fill(second);
  }
  await more(page);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByText(/\d+ items? returned/).waitFor();
  await page.getByText(/capacity units/).waitFor();
  return page;
}

test("aura-historia: the three example queries, with the local index first", async (t) => {
  // "Find all URLs where PK is SHOP#example.com and is_product = 1."
  let page = await query(t, "aura-historia-data", "IsProductIndex", [["PK", "SHOP#example.com"], ["is_product", "1"]]);
  await page.getByText("2 items returned").waitFor();
  assert.equal(await page.getByRole("gridcell", { name: /^URL#https:\/\/example\.com\/products\/item-12[34]$/ }).count(), 2);
  // "Find all domains where shop_country = 'US' and last_crawled is between 2023-01-01 and 2023-01-31."
  page = await query(t, "aura-historia-data", "CountryLastCrawledIndex", [["shop_country", "US"], ["last_crawled", "2023-01-01T00:00:00Z", "Between", "2023-01-31T23:59:59Z"]]);
  await page.getByText(/[1-9]\d* items? returned/).waitFor();
  // "Find all domains where shop_country = 'DE' and last_scraped is between 2023-02-01 and 2023-02-28."
  page = await query(t, "aura-historia-data", "CountryLastScrapedIndex", [["shop_country", "DE"], ["last_scraped", "2023-02-01T00:00:00Z", "Between", "2023-02-28T23:59:59Z"]]);
  await page.getByText(/[1-9]\d* items? returned/).waitFor();
});

test("lunch-cache: the history of a restaurant, newest first", async (t) => {
  const page = await query(t, "lunch-cache-dev", "RestaurantIndex", [["restaurant", "niagara"]], async (page) => page.getByLabel("Sort descending").check());
  await page.getByText(/[1-9]\d* items? returned/).waitFor();
  const times = await page.getByRole("gridcell", { name: /^20\d\d-\d\d-\d\dT/ }).allTextContents();
  assert.ok(times.length > 1);
  assert.deepEqual(times, [...times].sort().reverse());
});

test("lunch-cache: what has expired is found by a scan with a filter on a reserved word", async (t) => {
  const page = await visit(t, `${server.console}/#/tables/lunch-cache-dev/items`);
  await page.getByRole("button", { name: "Add filter" }).click();
  await page.getByLabel("Attribute name").fill("ttl");
  await page.getByLabel("Condition").selectOption({ label: "Less than" });
  await page.getByLabel("Type").selectOption("N");
  await page.getByLabel("Value").fill("99999999999");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByText(/[1-9]\d* items? returned/).waitFor();
});

test("nishiki and smart-cooking: items that share a partition, told apart by colour", async (t) => {
  let page = await visit(t, `${server.console}/#/tables/nishiki-table-dev-db/items`);
  await page.getByRole("list", { name: "Entities" }).waitFor();
  assert.ok((await page.getByRole("listitem").count()) > 1);
  assert.ok((await page.locator(".grid td.entity").count()) > 0);
  page = await query(t, "smart-cooking-data-dev", "", [["PK", "USER#uuid-123"], ["SK", "COOKING#", "Begins with"]]);
  await page.getByText(/[1-9]\d* items? returned/).waitFor();
});
