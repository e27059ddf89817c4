// One table: its overview, indexes, monitor, backups, stream and settings, each at its own address.

import { call, describe, session } from "../api.js";
import { button, confirmTyped, dialog, h, messageOf, notify, replace, facts } from "../dom.js";
import { indexesOf } from "../expression.js";
import { count, many, moment, size, units } from "../format.js";
import { go, link } from "../route.js";
import { indexBody, indexFields } from "./create-table.js";
import { status } from "./tables.js";

/** @typedef {import("../app.js").Visit} Visit */

const TABS = /** @type {Array<[string, string]>} */ ([
  ["", "Overview"],
  ["indexes", "Indexes"],
  ["monitor", "Monitor"],
  ["backups", "Backups"],
  ["streams", "Exports and streams"],
  ["settings", "Additional settings"],
]);

/** A table that is being changed is looked at again after this time. */
const AGAIN_MS = 1500;

/** @param {Visit} visit */
export async function draw(visit) {
  const { page, place, signal } = visit;
  const name = place.path[1] ?? "";
  const tab = place.path[2] ?? "";
  const table = await describe(name);
  if (signal.aborted) return;
  const again = () => {
    if (!signal.aborted) draw(visit);
  };
  const inside = h("div", { class: "stack" });
  replace(
    page,
    h("div", { class: "crumbs" }, h("a", { href: link(["tables"]) }, "Tables"), "›", h("span", null, name)),
    h(
      "div",
      { class: "head" },
      h("h1", null, name),
      status(table.TableStatus),
      h(
        "div",
        { class: "buttons" },
        button("Refresh", again),
        session.readOnly ? null : button("Delete table", () => remove(name), { class: "danger" }),
        h("a", { class: "button primary", href: link(["tables", name, "items"]) }, "Explore table items"),
      ),
    ),
    h("nav", { class: "tabs", "aria-label": "Table" }, TABS.map(([key, text]) => h("a", { href: link(key ? ["tables", name, key] : ["tables", name]), "aria-current": key === tab ? "page" : undefined }, text))),
    inside,
  );
  if (tab === "monitor") {
    const { drawPlots } = await import("./monitor.js");
    drawPlots(inside, name, place, signal);
  } else if (tab === "backups") {
    const { drawBackups } = await import("./backups.js");
    await drawBackups(inside, table, signal);
  } else if (tab === "streams") {
    const { drawStream } = await import("./streams.js");
    await drawStream(inside, table, signal, again);
  } else if (tab === "settings") {
    const { drawSettings } = await import("./settings.js");
    await drawSettings(inside, table, again);
  } else if (tab === "indexes") indexes(inside, table, again);
  else await overview(inside, table);
  const isSettled = table.TableStatus === "ACTIVE" && indexesOf(table).every((one) => one.local || one.IndexStatus === "ACTIVE");
  if (!isSettled && (tab === "" || tab === "indexes")) setTimeout(again, AGAIN_MS);
}

/** @param {string} name */
function remove(name) {
  confirmTyped({
    title: "Delete table",
    text: h("span", null, "All items and indexes of ", h("b", null, name), " will be gone."),
    word: name,
    action: "Delete table",
    run: async () => {
      await call("DeleteTable", { TableName: name });
      notify(`${name} is being deleted`, "good");
      go(["tables"]);
    },
  });
}

/**
 * @param {any} table
 * @param {any[]} schema
 */
function keyText(table, schema) {
  const type = (/** @type {string} */ name) => table.AttributeDefinitions.find((/** @type {any} */ one) => one.AttributeName === name)?.AttributeType ?? "";
  return schema.map((one) => h("span", { class: "chip" }, `${one.AttributeName} (${type(one.AttributeName)})`));
}

/**
 * @param {HTMLElement} place
 * @param {any} table
 */
async function overview(place, table) {
  const [ttl, recovery] = await Promise.all([
    call("DescribeTimeToLive", { TableName: table.TableName }).catch(() => null),
    call("DescribeContinuousBackups", { TableName: table.TableName }).catch(() => null),
  ]);
  const isOnDemand = table.BillingModeSummary?.BillingMode === "PAY_PER_REQUEST";
  const key = (/** @type {string} */ kind) => keyText(table, table.KeySchema.filter((/** @type {any} */ one) => one.KeyType === kind));
  const attribute = ttl?.TimeToLiveDescription?.TimeToLiveStatus === "ENABLED" ? ttl.TimeToLiveDescription.AttributeName : null;
  replace(
    place,
    h(
      "section",
      { class: "card" },
      h("h2", null, "General information"),
      facts([
        ["Partition key", key("HASH")],
        ["Sort key", table.KeySchema.length > 1 ? key("RANGE") : "–"],
        ["Capacity mode", isOnDemand ? "On-demand" : `Provisioned: ${units(table.ProvisionedThroughput?.ReadCapacityUnits)} read, ${units(table.ProvisionedThroughput?.WriteCapacityUnits)} write`],
        ["Item count", count(table.ItemCount)],
        ["Table size", size(table.TableSizeBytes)],
        ["Average item size", table.ItemCount ? size(table.TableSizeBytes / table.ItemCount) : "–"],
        ["Indexes", many((table.GlobalSecondaryIndexes ?? []).length, "global index").replace("indexs", "indexes") + ", " + many((table.LocalSecondaryIndexes ?? []).length, "local index").replace("indexs", "indexes")],
        ["Time to Live (TTL)", attribute ? `On: ${attribute}` : "Off"],
        ["Point-in-time recovery", recovery?.ContinuousBackupsDescription?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus === "ENABLED" ? "On" : "Off"],
        ["Stream", table.StreamSpecification?.StreamEnabled ? table.StreamSpecification.StreamViewType : "Off"],
        ["Deletion protection", table.DeletionProtectionEnabled ? "On" : "Off"],
        ["Encryption", table.SSEDescription?.SSEType === "KMS" ? "AWS managed key" : "Owned by the service"],
        ["Table class", table.TableClassSummary?.TableClass ?? "STANDARD"],
        ["Created", moment(table.CreationDateTime * 1000)],
        ["Amazon Resource Name (ARN)", h("code", null, table.TableArn)],
      ]),
    ),
  );
}

/**
 * @param {HTMLElement} place
 * @param {any} table
 * @param {() => void} again
 */
function indexes(place, table, again) {
  const row = (/** @type {any} */ index) =>
    h(
      "tr",
      null,
      h("td", { class: "name" }, index.IndexName),
      h("td", null, index.local ? "Local" : "Global"),
      h("td", null, index.local ? status("ACTIVE") : status(index.IndexStatus), index.Backfilling ? h("div", { class: "dim" }, "Filling…") : null),
      h("td", null, keyText(table, index.KeySchema)),
      h("td", null, index.Projection.ProjectionType === "INCLUDE" ? `Include: ${index.Projection.NonKeyAttributes.join(", ")}` : index.Projection.ProjectionType === "ALL" ? "All" : "Only keys"),
      h("td", { class: "num" }, count(index.ItemCount)),
      h("td", { class: "num" }, size(index.IndexSizeBytes)),
      h(
        "td",
        null,
        h(
          "div",
          { class: "buttons" },
          h("a", { class: "button", href: link(["tables", table.TableName, "items"], { index: index.IndexName, mode: "query" }) }, "Query"),
          index.local || session.readOnly ? null : button("Delete", () => deleteIndex(table.TableName, index.IndexName, again), { class: "danger", "aria-label": `Delete index ${index.IndexName}` }),
        ),
      ),
    );
  const all = indexesOf(table);
  replace(
    place,
    h(
      "section",
      { class: "card" },
      h("div", { class: "head" }, h("h2", null, `Indexes (${all.length})`), session.readOnly ? null : h("div", { class: "buttons" }, button("Create index", () => createIndex(table, again), { class: "primary" }))),
      all.length
        ? h("div", { class: "scroll" }, h("table", { class: "list" }, h("thead", null, h("tr", null, ["Name", "Kind", "Status", "Keys", "Projection", "Items", "Size"].map((text) => h("th", { scope: "col", class: text === "Items" || text === "Size" ? "num" : "" }, text)), h("td"))), h("tbody", null, all.map(row))))
        : h("p", { class: "dim" }, "This table has no indexes. A global index lets you query by other attributes; it can be created at any time."),
    ),
  );
}

/**
 * @param {string} name
 * @param {string} index
 * @param {() => void} again
 */
function deleteIndex(name, index, again) {
  confirmTyped({
    title: "Delete index",
    text: h("span", null, "The index ", h("b", null, index), " will be gone; the items stay."),
    word: index,
    action: "Delete index",
    run: async () => {
      await call("UpdateTable", { TableName: name, GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: index } }] });
      again();
    },
  });
}

/**
 * @param {any} table
 * @param {() => void} again
 */
function createIndex(table, again) {
  const isProvisioned = table.BillingModeSummary?.BillingMode !== "PAY_PER_REQUEST";
  const index = { name: "", local: false, hash: { name: "", type: "S" }, range: { name: "", type: "S" }, projection: "ALL", included: "", read: "5", write: "5" };
  dialog("Create index", (close) => {
    const error = h("p", { class: "error", role: "alert", hidden: true });
    const bound = (/** @type {any} */ target, /** @type {string} */ name, props = {}) => {
      const input = h("input", { spellcheck: "false", ...props, value: target[name] });
      input.addEventListener("input", () => (target[name] = input.value));
      return input;
    };
    const box = h("div");
    const fill = () => replace(box, indexFields(index, bound, isProvisioned, fill));
    fill();
    const act = button("Create index", async () => {
      act.disabled = true;
      const keys = [index.hash, index.range].filter((key) => key.name.trim());
      const known = table.AttributeDefinitions.filter((/** @type {any} */ one) => !keys.some((key) => key.name.trim() === one.AttributeName));
      try {
        await call("UpdateTable", {
          TableName: table.TableName,
          AttributeDefinitions: [...known, ...keys.map((key) => ({ AttributeName: key.name.trim(), AttributeType: key.type }))],
          GlobalSecondaryIndexUpdates: [{ Create: indexBody(index, isProvisioned) }],
        });
        close();
        again();
      } catch (failure) {
        error.hidden = false;
        error.textContent = messageOf(failure);
        act.disabled = false;
      }
    }, { class: "primary", type: "submit" });
    return [box, error, h("div", { class: "buttons end" }, button("Cancel", close), act)];
  });
}
