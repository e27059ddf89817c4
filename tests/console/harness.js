// A server and a browser for the tests: started on free ports, with data in memory, stopped again at the end.
// Every page fails its test on an error in the browser's console and on a request to anywhere else.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));
/** The top of the tree. */
export const root = join(here, "../..");
const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");
const binary = process.env.LARDER_BINARY ?? join(target, "release/larder");
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
/** Where screenshots go. */
export const shots = process.env.SHOTS ?? join(target, "check/console");
mkdirSync(shots, { recursive: true });

/** A server with these options. */
export async function serve(...options) {
  const child = spawn(binary, ["serve", "--port", "0", "--in-memory", ...options], { stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  let errors = "";
  child.stderr.on("data", (data) => (errors += data));
  await new Promise((resolve, reject) => {
    child.stdout.on("data", (data) => {
      out += data;
      if (out.includes("Ctrl-C")) resolve(undefined);
    });
    child.on("exit", () => reject(new Error(`the server did not start: ${out}${errors}`)));
  });
  const api = /listening\s+(\S+)/.exec(out)?.[1] ?? "";
  const own = /console\s+(\S+)/.exec(out)?.[1] ?? "";
  const call = async (operation, body, family = "DynamoDB_20120810") => {
    const answer = await fetch(api, { method: "POST", headers: { "x-amz-target": `${family}.${operation}` }, body: JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${operation}: ${text}`);
    return text ? JSON.parse(text) : {};
  };
  const stop = () =>
    new Promise((resolve) => {
      child.on("exit", resolve);
      child.kill("SIGTERM");
    });
  return { api, console: own, call, stop, errors: () => errors };
}

let browser;
/** The browser, started once. */
export async function open() {
  browser ??= await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"] });
  return browser;
}

/** Stops the browser. */
export async function close() {
  await browser?.close();
  browser = undefined;
}

/**
 * A page that notices everything that is not as it should be.
 * @param {import("node:test").TestContext} t
 */
export async function visit(t, address, options = {}) {
  const context = await (await open()).newContext({ viewport: { width: 1280, height: 860 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const faults = [];
  page.on("console", (message) => {
    // A refusal that a test provokes is logged by the browser itself as a failed request.
    if (message.type() === "error" && !/status of 4\d\d/.test(message.text())) faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (!["127.0.0.1", "localhost"].includes(url.hostname) && !["data:", "blob:"].includes(url.protocol)) faults.push(`a request to ${request.url()}`);
  });
  t.after(async () => {
    await context.close();
    assert.deepEqual(faults, [], "the browser's console is clean and nothing is asked from elsewhere");
  });
  await page.goto(address);
  return page;
}

/** A table with a key of two parts. */
export function table(name, more = {}) {
  return {
    TableName: name,
    AttributeDefinitions: [
      { AttributeName: "pk", AttributeType: "S" },
      { AttributeName: "sk", AttributeType: "S" },
    ],
    KeySchema: [
      { AttributeName: "pk", KeyType: "HASH" },
      { AttributeName: "sk", KeyType: "RANGE" },
    ],
    BillingMode: "PAY_PER_REQUEST",
    ...more,
  };
}
