// A person who has never seen Larder: a table, an item, a query on a local index, a stream followed, a table restored.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { close, serve, shots, visit } from "../harness.js";

let server;
before(async () => {
  server = await serve();
});
after(async () => {
  await close();
  await server.stop();
});

test("from an empty server to a restored table", async (t) => {
  const page = await visit(t, server.console);
  await page.getByRole("heading", { name: "There are no tables yet" }).waitFor();
  await page.screenshot({ path: join(shots, "empty-light.png") });

  // A table with a local index, a stream, recovery and expiry.
  await page.getByRole("link", { name: "Create your first table" }).click();
  await page.getByLabel("Table name").fill("pantry");
  await page.getByLabel("Partition key", { exact: true }).fill("shelf");
  await page.getByLabel("Sort key – optional", { exact: true }).fill("thing");
  await page.getByRole("button", { name: "Create local index" }).click();
  const index = page.getByRole("group", { name: "Local secondary index" });
  await index.getByLabel("Sort key", { exact: true }).fill("best_before");
  await index.getByLabel("Type").selectOption("N");
  await index.getByLabel("Index name").fill("ByDate");
  await page.getByRole("button", { name: "Create global index" }).click();
  const global = page.getByRole("group", { name: "Global secondary index" });
  await global.getByLabel("Partition key").fill("kind");
  await global.getByLabel("Index name").fill("ByKind");
  await global.getByLabel("Attribute projections").selectOption("INCLUDE");
  await page.getByRole("group", { name: "Global secondary index" }).getByLabel("Attributes, with commas between").fill("best_before, amount");
  await page.getByLabel("Time to Live (TTL) attribute – optional").fill("best_before");
  await page.getByLabel("Stream", { exact: true }).selectOption({ label: "New and old images" });
  await page.getByLabel("Point-in-time recovery").check();
  await page.screenshot({ path: join(shots, "create-filled-light.png"), fullPage: true });
  await page.getByRole("button", { name: "Create table" }).click();
  await page.getByRole("heading", { name: "pantry" }).waitFor();
  const { Table } = await server.call("DescribeTable", { TableName: "pantry" });
  assert.deepEqual(Table.GlobalSecondaryIndexes[0].Projection, { ProjectionType: "INCLUDE", NonKeyAttributes: ["amount", "best_before"] });

  // An item by the form.
  await page.getByRole("link", { name: "Explore table items" }).click();
  await page.getByRole("link", { name: "Create item" }).click();
  await page.getByLabel("Value of shelf").fill("top");
  await page.getByLabel("Value of thing").fill("flour");
  await page.getByLabel("Add new attribute").selectOption({ label: "Number" });
  await page.getByLabel("Attribute name").last().fill("best_before");
  await page.getByLabel("Value of attribute").last().fill("4000000000");
  await page.getByRole("button", { name: "Create item" }).click();
  await page.getByRole("link", { name: "top" }).waitFor();

  // A query on the local index.
  await page.getByRole("radio", { name: "Query" }).check();
  await page.getByLabel("Table or index").selectOption({ label: "Local index: ByDate" });
  await page.getByLabel(/^shelf \(/).fill("top");
  await page.getByLabel("Condition on best_before").selectOption({ label: "Greater than" });
  await page.getByLabel(/^best_before \(/).fill("1");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByText("1 item returned").waitFor();

  // What expires next.
  await page.getByRole("link", { name: "View table details" }).click();
  await page.getByRole("link", { name: "Additional settings" }).click();
  await page.getByRole("heading", { name: "What expires next" }).waitFor();
  await page.getByRole("cell", { name: "flour" }).waitFor();

  // The stream, live.
  await page.getByRole("link", { name: "Exports and streams" }).click();
  await page.getByRole("heading", { name: "Live tail" }).waitFor();
  await page.getByText("INSERT").first().waitFor();
  await server.call("UpdateItem", { TableName: "pantry", Key: { shelf: { S: "top" }, thing: { S: "flour" } }, UpdateExpression: "SET amount = :a", ExpressionAttributeValues: { ":a": { N: "2" } } });
  await page.getByText("MODIFY").first().waitFor();
  await page.getByRole("row", { name: /amount – 2/ }).waitFor();
  await page.screenshot({ path: join(shots, "stream-light.png") });

  // Restored as it was before a mistake.
  await page.getByRole("link", { name: "Backups" }).last().click();
  await page.getByRole("slider", { name: "Choose a time" }).waitFor();
  await page.screenshot({ path: join(shots, "recovery-light.png") });
  // A second is restored with all that happened in it, so the mistake is made in a later one.
  await page.waitForTimeout(1100);
  await server.call("DeleteItem", { TableName: "pantry", Key: { shelf: { S: "top" }, thing: { S: "flour" } } });
  await page.getByLabel("Name of the restored table").fill("pantry-saved");
  await page.getByRole("button", { name: "Restore", exact: true }).click();
  await page.getByRole("heading", { name: "pantry-saved" }).waitFor({ timeout: 30_000 });
  await page.getByRole("link", { name: "Explore table items" }).click();
  await page.getByRole("link", { name: "top" }).waitFor();

  // A backup, kept and restored.
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Backups" }).click();
  await page.getByRole("button", { name: "Create backup" }).click();
  await page.getByLabel("Table", { exact: true }).selectOption("pantry-saved");
  await page.getByLabel("Backup name").fill("kept");
  await page.getByRole("dialog").getByRole("button", { name: "Create backup" }).click();
  await page.getByRole("button", { name: "Restore kept" }).click();
  await page.getByLabel("Name of the restored table").fill("pantry-again");
  await page.getByRole("dialog").getByRole("button", { name: "Restore", exact: true }).click();
  await page.getByRole("heading", { name: "pantry-again" }).waitFor({ timeout: 30_000 });

  // An index added later, then the table deleted by typing its name.
  await page.goto(`${server.console}/#/tables/pantry-again/indexes`);
  await page.getByRole("button", { name: "Create index" }).click();
  await page.getByRole("dialog").getByLabel("Partition key").fill("amount");
  await page.getByRole("dialog").getByLabel("Type").first().selectOption("N");
  await page.getByRole("dialog").getByLabel("Index name").fill("ByAmount");
  await page.getByRole("dialog").getByRole("button", { name: "Create index" }).click();
  await page.getByRole("cell", { name: "ByAmount", exact: true }).waitFor();
  await page.getByRole("row", { name: /ByAmount.*Active/ }).waitFor();
  await page.getByRole("button", { name: "Delete table" }).click();
  const act = page.getByRole("dialog").getByRole("button", { name: "Delete table" });
  assert.ok(await act.isDisabled());
  await page.getByLabel("To confirm, type pantry-again").fill("pantry-again");
  await act.click();
  await page.getByRole("heading", { name: "Tables" }).waitFor();
  assert.deepEqual((await server.call("ListTables", {})).TableNames, ["pantry", "pantry-saved"]);
});
