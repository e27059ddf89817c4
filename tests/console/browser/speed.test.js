// Speed: the first page's weight and time, and a table of 100,000 items that stays fluent. The figures are printed.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { close, open, serve, table, visit } from "../harness.js";

const ITEMS = 100_000;
const FIRST_BYTES_MAX = 150_000;
const USABLE_MS_MAX = 300;
/** On a slow machine: as long as so many empty pages take. */
const BARE_PAGES_MAX = 10;
/** A frame that takes longer is seen as a stutter. */
const FRAME_MS_MAX = 100;

let server;
before(async () => {
  server = await serve();
  await server.call("CreateTable", table("large"));
  const batches = Array.from({ length: ITEMS / 25 }, (_, nth) => nth);
  const write = async () => {
    for (let nth = batches.pop(); nth !== undefined; nth = batches.pop()) {
      const requests = Array.from({ length: 25 }, (_, place) => {
        const id = nth * 25 + place;
        return { PutRequest: { Item: { pk: { S: `p${id % 100}` }, sk: { S: String(id).padStart(6, "0") }, n: { N: String(id) }, text: { S: `item number ${id}` }, set: { SS: ["a", `t${id % 7}`] }, map: { M: { id: { N: String(id) } } } } } };
      });
      await server.call("BatchWriteItem", { RequestItems: { large: requests } });
    }
  };
  await Promise.all(Array.from({ length: 8 }, write));
});
after(async () => {
  await close();
  await server.stop();
});

test("the first page is light and soon usable", async (t) => {
  const samples = [];
  const bare = [];
  let bytes = 0;
  let requests = 0;
  // Other work on the machine only ever adds time, so the quickest of several visits is what the page needs. A slow machine
  // takes longer for any page, so an empty one is loaded beside it.
  for (let round = 0; round < 12 && !(Math.min(...samples) < USABLE_MS_MAX && round >= 5); round += 1) {
    const context = await (await open()).newContext();
    const page = await context.newPage();
    // Usable is when the table can be clicked, as the page itself sees it.
    await page.addInitScript(() => {
      const look = () => {
        const link = document.querySelector('main a[href="#/tables/large"]');
        if (link) globalThis.usableAt = performance.now();
        else requestAnimationFrame(look);
      };
      look();
    });
    const devtools = await context.newCDPSession(page);
    await devtools.send("Network.enable");
    bytes = 0;
    requests = 0;
    // The bodies as the page gets them, unpacked, and the request lines: more than what goes over the wire.
    devtools.on("Network.dataReceived", (event) => (bytes += event.dataLength));
    devtools.on("Network.requestWillBeSent", () => (requests += 1));
    await page.goto(server.console, { waitUntil: "commit" });
    await page.getByRole("link", { name: "large", exact: true }).waitFor();
    samples.push(await page.evaluate(() => globalThis.usableAt));
    const empty = await context.newPage();
    await empty.addInitScript(() => {
      const look = () => {
        if (document.readyState === "complete") globalThis.usableAt = performance.now();
        else requestAnimationFrame(look);
      };
      look();
    });
    await empty.goto(`${server.console}/nothing-here`);
    await empty.waitForFunction(() => globalThis.usableAt !== undefined);
    bare.push(await empty.evaluate(() => globalThis.usableAt));
    await context.close();
  }
  const usable = Math.min(...samples);
  const least = Math.min(...bare);
  t.diagnostic(`first page: ${bytes} bytes in ${requests} requests, usable after ${Math.round(usable)} ms (visits: ${samples.map(Math.round).join(", ")}; an empty page: ${Math.round(least)} ms)`);
  assert.ok(bytes < FIRST_BYTES_MAX, `${bytes} bytes`);
  assert.ok(usable < Math.max(USABLE_MS_MAX, BARE_PAGES_MAX * least), `${usable} ms, an empty page ${least} ms`);
});

test("100,000 items stay fluent", async (t) => {
  const page = await visit(t, `${server.console}/#/tables/large/items`);
  await page.getByText("100 items returned").waitFor();
  const began = Date.now();
  await page.getByRole("button", { name: "Retrieve all" }).click();
  await page.getByText("100,000 items returned").waitFor({ timeout: 60_000 });
  const loaded = Date.now() - began;
  assert.ok((await page.locator(".grid tbody tr").count()) < 120, "only rows that can be seen are there");
  // Scrolls through all of it and measures every frame.
  const frames = await page.evaluate(async () => {
    const grid = /** @type {HTMLElement} */ (document.querySelector(".grid"));
    const times = [];
    let last = performance.now();
    for (let step = 0; step <= 150; step += 1) {
      grid.scrollTop = (grid.scrollHeight * step) / 150;
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const now = performance.now();
      times.push(now - last);
      last = now;
    }
    return times.sort((one, other) => one - other);
  });
  const p50 = frames[Math.floor(frames.length * 0.5)] ?? Infinity;
  const p95 = frames[Math.floor(frames.length * 0.95)] ?? Infinity;
  const sortBegan = Date.now();
  await page.getByRole("columnheader", { name: "n", exact: true }).getByRole("button").click();
  await page.getByRole("columnheader", { name: "n ↑" }).waitFor();
  const sorted = Date.now() - sortBegan;
  t.diagnostic(`100,000 items: loaded in ${loaded} ms, frames while scrolling p50 ${Math.round(p50)} ms, p95 ${Math.round(p95)} ms, sorted in ${sorted} ms`);
  assert.ok(p50 < FRAME_MS_MAX, `frames of ${p50} ms`);
  await page.getByRole("region", { name: "Items returned" }).focus();
  await page.keyboard.press("End");
  await page.getByRole("gridcell", { name: "item number 99999" }).waitFor();
});
