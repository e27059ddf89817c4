// Every page with all five designs loaded: it draws, axe-core finds no serious fault, and it is photographed in light
// and dark, wide and narrow, for people to look at.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { close, root, serve, shots, visit } from "../harness.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let server;
before(async () => {
  const folder = join(root, "designs");
  const files = readdirSync(folder).filter((name) => name.endsWith(".design.yaml")).map((name) => join(folder, name));
  server = await serve("--design", ...files, "--designs", folder);
  for (let nth = 0; nth < 60; nth += 1) {
    await server.call("Query", { TableName: "aura-historia-data", IndexName: "IsProductIndex", KeyConditionExpression: "PK = :p", ExpressionAttributeValues: { ":p": { S: "SHOP#example.com" } } });
    await server.call("PutItem", { TableName: "smart-cooking-data-dev", Item: { PK: { S: "USER#test" }, SK: { S: "PROFILE" }, visits: { N: String(nth) } } });
  }
  await server.call("GetItem", { TableName: "nothing", Key: { a: { S: "b" } } }).catch(() => {});
  await server.call("CreateBackup", { TableName: "nishiki-table-dev-db", BackupName: "before-the-move" });
});
after(async () => {
  await close();
  await server.stop();
});

const key = encodeURIComponent(JSON.stringify({ PK: { S: "SHOP#example.com" }, SK: { S: "META#" } }));
const filter = encodeURIComponent(JSON.stringify([["domain", "begins_with", "S", "e"]]));
const PAGES = [
  ["tables", "#/tables", "heading", "Tables"],
  ["choose", "#/items", "heading", "Explore items"],
  ["create-table", "#/create-table", "heading", "Create table"],
  ["overview", "#/tables/aura-historia-data", "heading", "General information"],
  ["indexes", "#/tables/nishiki-table-dev-db/indexes", "heading", "Indexes (4)"],
  ["table-monitor", "#/tables/aura-historia-data/monitor", "heading", "Latency"],
  ["table-backups", "#/tables/lunch-cache-dev/backups", "heading", "Point-in-time recovery (PITR)"],
  ["streams", "#/tables/smart-cooking-data-dev/streams", "heading", "Live tail"],
  ["settings", "#/tables/smart-cooking-data-dev/settings", "heading", "Time to Live (TTL)"],
  ["explore", "#/tables/aura-historia-data/items", "link", "SHOP#new.example"],
  ["explore-query", `#/tables/aura-historia-data/items?mode=query&index=CountryLastCrawledIndex&filters=${filter}`, "button", "Run"],
  ["item-form", `#/tables/aura-historia-data/items/edit?key=${key}`, "heading", "Edit item"],
  ["item-create", "#/tables/aura-historia-data/items/create", "heading", "Create item"],
  ["backups", "#/backups", "heading", "Backups (1)"],
  ["monitor", "#/monitor", "heading", "Operations since the start"],
  ["traffic", "#/traffic", "heading", "Live traffic"],
  ["designs", "#/designs", "link", "stock-price-cache"],
  ...["aura-historia", "lunch-cache", "nishiki", "smart-cooking", "stock-price-cache"].map((name) => [`design-${name}`, `#/designs/${name}`, "heading", "Coverage: patterns and indexes"]),
];

/** Serious faults that axe-core finds. */
async function faults(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return violations
    .filter((one) => one.impact === "serious" || one.impact === "critical")
    .map((one) => `${one.id}: ${one.help}: ${one.nodes.map((node) => `${node.html.slice(0, 160)} ${node.any[0]?.message ?? ""}`).slice(0, 3).join(" | ")}`);
}

for (const [name, address, role, text] of PAGES) {
  test(`the page ${name}`, async (t) => {
    const page = await visit(t, `${server.console}/${address}`, { colorScheme: "light" });
    await page.getByRole(role, { name: text, exact: true }).first().waitFor();
    await page.locator("main:not([aria-busy])").waitFor();
    await page.waitForTimeout(250);
    assert.equal(await page.getByText("This page cannot be shown").count(), 0);
    assert.deepEqual(await faults(page), [], "light");
    await page.screenshot({ path: join(shots, `${name}-light.png`) });
    await page.emulateMedia({ colorScheme: "dark" });
    assert.deepEqual(await faults(page), [], "dark");
    await page.screenshot({ path: join(shots, `${name}-dark.png`) });
    await page.setViewportSize({ width: 390, height: 844 });
    await page.waitForTimeout(100);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(overflow <= 0, `the page is ${overflow} pixels too wide for a narrow screen`);
    await page.screenshot({ path: join(shots, `${name}-narrow.png`) });
  });
}

test("every pattern of every design passes with a click", async (t) => {
  for (const name of ["aura-historia", "lunch-cache", "nishiki", "smart-cooking", "stock-price-cache"]) {
    const page = await visit(t, `${server.console}/#/designs/${name}`);
    await page.getByRole("button", { name: "Run all patterns" }).click();
    const said = await page.getByText(/^\d+ of \d+ passed$/).innerText();
    assert.match(said, /^(\d+) of \1 passed$/, name);
    await page.screenshot({ path: join(shots, `design-${name}-run.png`), fullPage: true });
  }
});

test("a fault would be found", async (t) => {
  const page = await visit(t, `${server.console}/#/tables`);
  await page.getByRole("heading", { name: "Tables" }).waitFor();
  await page.evaluate(() => document.querySelector("main")?.append(document.createElement("button"), document.createElement("input")));
  const found = await faults(page);
  assert.ok(found.some((one) => one.startsWith("button-name")) && found.some((one) => one.startsWith("label")), found.join("\n"));
});

test("dialogs are sound too", async (t) => {
  const page = await visit(t, `${server.console}/#/tables`);
  await page.keyboard.press("?");
  await page.getByRole("heading", { name: "Keyboard shortcuts" }).waitFor();
  assert.deepEqual(await faults(page), []);
  await page.keyboard.press("Escape");
  await page.keyboard.press("/");
  await page.getByRole("option", { name: /aura-historia-data/ }).first().waitFor();
  assert.deepEqual(await faults(page), []);
  await page.screenshot({ path: join(shots, "search-light.png") });
  await page.getByRole("searchbox").last().fill("nishiki items");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "nishiki-table-dev-db" }).waitFor();
  assert.match(page.url(), /#\/tables\/nishiki-table-dev-db\/items/);
});

test("pages work by keyboard alone", async (t) => {
  const page = await visit(t, `${server.console}/#/monitor`);
  await page.getByRole("heading", { name: "Monitor" }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("t");
  await page.getByRole("heading", { name: "Tables" }).waitFor();
  await page.goto(`${server.console}/#/tables/aura-historia-data/items`);
  await page.getByRole("link", { name: "SHOP#new.example" }).waitFor();
  await page.getByRole("region", { name: "Items returned" }).focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Space");
  await page.getByText("1 selected").waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Edit item" }).waitFor();
});

test("light and dark can be chosen, and the choice stays", async (t) => {
  const page = await visit(t, `${server.console}/#/tables`, { colorScheme: "light" });
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  await page.getByRole("button", { name: "Dark" }).click();
  const dark = await background();
  assert.notEqual(light, dark);
  await page.reload();
  await page.getByRole("button", { name: "Light" }).waitFor();
  assert.equal(await background(), dark);
});

test("the monitor counts what was asked", async (t) => {
  const page = await visit(t, `${server.console}/#/monitor`);
  await page.getByRole("row", { name: /^Query \d+ 0 \d/ }).waitFor();
  const before = Number((await page.getByRole("row", { name: /^GetItem/ }).getByRole("cell").nth(1).innerText()).replace(",", ""));
  for (let nth = 0; nth < 30; nth += 1) await server.call("GetItem", { TableName: "aura-historia-data", Key: { PK: { S: "SHOP#example.com" }, SK: { S: "META#" } } });
  await page.getByRole("row", { name: new RegExp(`^GetItem ${before + 30} `) }).waitFor();
  await page.goto(`${server.console}/#/tables/aura-historia-data/monitor?span=hours`);
  await page.getByRole("heading", { name: "aura-historia-data" }).waitFor();
  await page.getByRole("radio", { name: "3 hours", checked: true }).waitFor();
  await page.getByRole("img", { name: /^Latency: p50 / }).waitFor();
});

test("live traffic shows who asked what, and finds it", async (t) => {
  const page = await visit(t, `${server.console}/#/traffic`);
  await page.getByRole("heading", { name: "Live traffic" }).waitFor();
  await page.getByLabel("Find requests").fill("isproductindex");
  await server.call("Query", { TableName: "aura-historia-data", IndexName: "IsProductIndex", KeyConditionExpression: "PK = :p", ExpressionAttributeValues: { ":p": { S: "SHOP#traffic.example" } } });
  const row = page.getByRole("row", { name: /Query aura-historia-data IsProductIndex 200 0\.5/ }).first();
  await row.waitFor();
  await page.getByLabel("Find requests").fill("ResourceNotFound");
  await server.call("GetItem", { TableName: "missing", Key: { a: { S: "b" } } }).catch(() => {});
  await page.getByRole("row", { name: /GetItem missing .*400 ResourceNotFound/ }).first().waitFor();
});
