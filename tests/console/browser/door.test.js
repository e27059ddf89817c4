// The door: headers, hosts, tokens, other sites, a console that may only look, and none at all.

import assert from "node:assert/strict";
import http from "node:http";
import { after, before, test } from "node:test";
import { close, serve, table, visit } from "../harness.js";

let server;
before(async () => {
  server = await serve();
  await server.call("CreateTable", table("guarded"));
});
after(async () => {
  await close();
  await server.stop();
});

/** A request with any headers, also those that fetch would not send. */
function ask(address, { method = "GET", headers = {}, body = "" } = {}) {
  return new Promise((resolve, reject) => {
    const request = http.request(address, { method, headers }, (answer) => {
      let text = "";
      answer.on("data", (data) => (text += data));
      answer.on("end", () => resolve({ status: answer.statusCode, headers: answer.headers, text }));
    });
    request.on("error", reject);
    request.end(body);
  });
}

const tokenOf = async (address) => /name="larder-token" content="([0-9a-f]{32})"/.exec((await ask(address)).text)?.[1] ?? "";
const call = (address, headers) => ask(`${address}/api/call`, { method: "POST", headers: { "x-amz-target": "DynamoDB_20120810.ListTables", ...headers }, body: "{}" });

test("pages are strict about scripts, frames and types", async () => {
  for (const address of [`${server.console}/`, `${server.api}/_console/`, `${server.console}/app.js`, `${server.console}/missing`]) {
    const { headers } = await ask(address);
    assert.match(headers["content-security-policy"] ?? "", /default-src 'none'; script-src 'self'; style-src 'self'/);
    assert.doesNotMatch(headers["content-security-policy"] ?? "", /unsafe/);
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["access-control-allow-origin"], undefined);
  }
  assert.equal((await ask(`${server.api}/_console`)).headers.location, "/_console/");
});

test("a name that a stranger can point here is refused", async () => {
  const token = await tokenOf(`${server.console}/`);
  for (const host of ["evil.example", "evil.example:8001", "localhost.evil.example"]) {
    assert.equal((await ask(`${server.console}/`, { headers: { host } })).status, 403, host);
    assert.equal((await call(server.console, { host, "x-larder-token": token })).status, 403, host);
  }
  assert.equal((await ask(`${server.console}/`, { headers: { host: "localhost:1" } })).status, 200);
});

test("without the token, or from another site, nothing is called", async () => {
  const token = await tokenOf(`${server.console}/`);
  assert.equal((await call(server.console, {})).status, 403);
  assert.equal((await call(server.console, { "x-larder-token": "0".repeat(32) })).status, 403);
  assert.equal((await call(server.console, { "x-larder-token": token, origin: "http://evil.example" })).status, 403);
  assert.equal((await call(server.console, { "x-larder-token": token, "sec-fetch-site": "cross-site" })).status, 403);
  const fine = await call(server.console, { "x-larder-token": token, origin: server.console });
  assert.equal(fine.status, 200);
  assert.equal(fine.headers["access-control-allow-origin"], undefined);
  // What a browser asks before it sends headers of our own to us from elsewhere.
  const preflight = await ask(`${server.console}/api/call`, { method: "OPTIONS", headers: { origin: "http://evil.example", "access-control-request-method": "POST", "access-control-request-headers": "x-larder-token" } });
  assert.equal(preflight.headers["access-control-allow-origin"], undefined);
});

test("the console is also at /_console/ of the API's port", async (t) => {
  const page = await visit(t, `${server.api}/_console/`);
  await page.getByRole("link", { name: "guarded", exact: true }).click();
  await page.getByRole("heading", { name: "guarded" }).waitFor();
});

test("a read-only console looks and does not change, and the API is as ever", async (t) => {
  const quiet = await serve("--read-only");
  t.after(() => quiet.stop());
  await quiet.call("CreateTable", table("look"));
  await quiet.call("PutItem", { TableName: "look", Item: { pk: { S: "a" }, sk: { S: "b" } } });
  const token = await tokenOf(`${quiet.console}/`);
  const put = { TableName: "look", Item: { pk: { S: "c" }, sk: { S: "d" } } };
  const refused = await ask(`${quiet.console}/api/call`, { method: "POST", headers: { "x-amz-target": "DynamoDB_20120810.PutItem", "x-larder-token": token }, body: JSON.stringify(put) });
  assert.equal(refused.status, 400);
  assert.match(refused.text, /AccessDeniedException.*read-only/);
  const page = await visit(t, `${quiet.console}/#/tables/look/items`);
  await page.getByText("Read-only").waitFor();
  await page.getByRole("link", { name: "a", exact: true }).waitFor();
  for (const name of ["Create item", "Import"]) assert.equal(await page.getByText(name, { exact: true }).count(), 0, name);
  await page.getByRole("link", { name: "a", exact: true }).click();
  assert.ok(await page.getByRole("button", { name: "Save changes" }).isDisabled());
});

test("with --no-console there is none", async (t) => {
  const plain = await serve("--no-console");
  t.after(() => plain.stop());
  assert.equal(plain.console, "");
  assert.equal((await ask(`${plain.api}/_console/`)).status, 404);
  assert.equal((await ask(plain.api, { method: "POST", headers: { "x-amz-target": "DynamoDB_20120810.ListTables" }, body: "{}" })).status, 200);
});
