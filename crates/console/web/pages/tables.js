// All tables: what there is, how large it is, how it stands. For a newcomer, what to do first.

import { call, describe, each, session, tableNames } from "../api.js";
import { button, checkbox, confirmTyped, copy, h, notify, replace } from "../dom.js";
import { count, size } from "../format.js";
import { link, remember } from "../route.js";

/** @typedef {import("../app.js").Visit} Visit */

/** Beyond so many tables the rest is shown by name alone. */
const DESCRIBED_MAX = 300;

/** @param {Visit} visit */
export async function draw({ page, place, signal }) {
  const names = await tableNames();
  if (signal.aborted) return;
  // Names are there at once and can be clicked; what else is known of them follows.
  /** @type {any[]} */
  const tables = names.map((name) => ({ TableName: name, TableStatus: "–" }));
  const again = () => draw({ page, place, signal });
  /** @type {Set<string>} */
  const chosen = new Set();
  const remove = button("Delete", () => deleteTables([...chosen], again), { class: "danger", disabled: true });
  const body = h("tbody");
  const find = h("input", { type: "search", placeholder: "Find tables", "aria-label": "Find tables", value: place.params.get("find") ?? "" });
  const rowOf = (/** @type {any} */ table) =>
    row(table, chosen.has(table.TableName), (isChosen) => {
      if (isChosen) chosen.add(table.TableName);
      else chosen.delete(table.TableName);
      remove.disabled = session.readOnly || chosen.size === 0;
    });
  /** @type {Map<string, HTMLElement>} */
  let rows = new Map();
  const drawRows = () => {
    const wanted = find.value.toLowerCase();
    rows = new Map(tables.filter((table) => table.TableName.toLowerCase().includes(wanted)).map((table) => [table.TableName, rowOf(table)]));
    replace(body, [...rows.values()]);
  };
  find.addEventListener("input", () => {
    remember(new URLSearchParams(find.value ? { find: find.value } : {}));
    drawRows();
  });
  drawRows();
  const create = session.readOnly ? null : h("a", { class: "button primary", href: link(["create-table"]) }, "Create table");
  replace(
    page,
    h("div", { class: "head" }, h("h1", null, "Tables"), h("span", { class: "dim" }, `(${count(tables.length)})`), h("div", { class: "buttons" }, button("Refresh", again), tables.length ? remove : null, create)),
    tables.length ? [h("div", { class: "row" }, h("div", { class: "field" }, find)), h("div", { class: "scroll" }, list(body))] : empty(),
  );
  await each(names.slice(0, DESCRIBED_MAX), 6, async (name, nth) => {
    const table = await describe(name).catch(() => null);
    if (!table || signal.aborted) return;
    tables[nth] = table;
    const drawn = rows.get(name);
    // The row that somebody is about to use stays where the focus is.
    if (!drawn || drawn.contains(document.activeElement)) return;
    const fresh = rowOf(table);
    drawn.replaceWith(fresh);
    rows.set(name, fresh);
  });
}

/** @param {HTMLElement} body */
function list(body) {
  const heads = [["", ""], ["Name", ""], ["Status", ""], ["Partition key", ""], ["Sort key", ""], ["Indexes", "num"], ["Items", "num"], ["Size", "num"], ["Capacity mode", ""]];
  return h(
    "table",
    { class: "list" },
    h("thead", null, h("tr", null, heads.map(([text, kind]) => (text ? h("th", { class: kind, scope: "col" }, text) : h("td", null, h("span", { class: "hidden" }, "Selected")))))),
    body,
  );
}

/**
 * @param {any} table
 * @param {boolean} isChosen
 * @param {(isChosen: boolean) => void} choose
 */
function row(table, isChosen, choose) {
  const types = new Map((table.AttributeDefinitions ?? []).map((/** @type {any} */ one) => [one.AttributeName, one.AttributeType]));
  const key = (/** @type {string} */ kind) =>
    (table.KeySchema ?? [])
      .filter((/** @type {any} */ one) => one.KeyType === kind)
      .map((/** @type {any} */ one) => `${one.AttributeName} (${types.get(one.AttributeName)})`)
      .join(", ");
  const indexes = (table.GlobalSecondaryIndexes?.length ?? 0) + (table.LocalSecondaryIndexes?.length ?? 0);
  const box = checkbox("", isChosen, choose);
  box.input.setAttribute("aria-label", `Select ${table.TableName}`);
  return h(
    "tr",
    null,
    h("td", null, box),
    h("td", { class: "name" }, h("a", { href: link(["tables", table.TableName]) }, table.TableName)),
    h("td", null, status(table.TableStatus)),
    h("td", null, key("HASH")),
    h("td", null, key("RANGE") || "–"),
    h("td", { class: "num" }, indexes),
    h("td", { class: "num" }, h("a", { href: link(["tables", table.TableName, "items"]) }, count(table.ItemCount))),
    h("td", { class: "num" }, size(table.TableSizeBytes)),
    h("td", null, table.BillingModeSummary?.BillingMode === "PAY_PER_REQUEST" ? "On-demand" : table.ProvisionedThroughput ? "Provisioned" : "–"),
  );
}

/** @param {string} text */
export function status(text) {
  if (text === "–") return h("span", { class: "dim" }, text);
  const kind = text === "ACTIVE" || text === "ENABLED" || text === "AVAILABLE" ? "good" : text === "DELETING" ? "bad" : "warn";
  return h("span", { class: `badge ${kind}` }, text ? text[0] + text.slice(1).toLowerCase().replaceAll("_", " ") : "–");
}

/**
 * @param {string[]} names
 * @param {() => Promise<void>} after
 */
function deleteTables(names, after) {
  const word = names.length === 1 ? (names[0] ?? "") : "delete";
  confirmTyped({
    title: names.length === 1 ? "Delete table" : `Delete ${names.length} tables`,
    text: h("span", null, "All items and indexes of ", h("b", null, names.join(", ")), " will be gone."),
    word,
    action: names.length === 1 ? "Delete table" : "Delete tables",
    run: async () => {
      for (const name of names) await call("DeleteTable", { TableName: name });
      notify(names.length === 1 ? `${names[0]} is being deleted` : `${names.length} tables are being deleted`, "good");
      await after();
    },
  });
}

function empty() {
  const command = `aws dynamodb create-table --endpoint-url ${session.endpoint} --table-name notes \\
  --attribute-definitions AttributeName=id,AttributeType=S \\
  --key-schema AttributeName=id,KeyType=HASH --billing-mode PAY_PER_REQUEST`;
  return h(
    "div",
    { class: "empty card" },
    h("h2", null, "There are no tables yet"),
    h("p", null, "A table holds items. Create one here, let your program create it, or deploy a design."),
    h("div", { class: "buttons" }, session.readOnly ? null : h("a", { class: "button primary", href: link(["create-table"]) }, "Create your first table"), h("a", { class: "button", href: link(["designs"]) }, "Look at designs")),
    h("p", null, "Or from a terminal, with any region and any credentials:"),
    h("pre", { class: "code" }, command),
    button("Copy", () => copy(command)),
  );
}
