// One table: its overview, indexes, monitor, backups, stream and settings, each at its own address.

import { call, describe, get, session } from "../api.js";
import { button, checkbox, confirmTyped, dialog, field, h, messageOf, notify, replace, segments, select } from "../dom.js";
import { indexesOf } from "../expression.js";
import { away, count, many, moment, size, units } from "../format.js";
import { go, link } from "../route.js";
import { shown } from "../values.js";
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
  } else if (tab === "settings") await settings(inside, table, again);
  else if (tab === "indexes") indexes(inside, table, again);
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
 * @param {Array<[string, import("../dom.js").Child]>} rows
 */
function facts(rows) {
  return h("dl", { class: "facts" }, rows.map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value))));
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

/**
 * @param {HTMLElement} place
 * @param {any} table
 * @param {() => void} again
 */
async function settings(place, table, again) {
  const name = table.TableName;
  const [ttl, tags, expiring] = await Promise.all([
    call("DescribeTimeToLive", { TableName: name }),
    call("ListTagsOfResource", { ResourceArn: table.TableArn }),
    get(`expiring?table=${encodeURIComponent(name)}`).catch(() => ({ items: [] })),
  ]);
  const about = ttl.TimeToLiveDescription;
  const isOn = about.TimeToLiveStatus === "ENABLED" || about.TimeToLiveStatus === "ENABLING";
  replace(
    place,
    h(
      "section",
      { class: "card" },
      h("div", { class: "head" }, h("h2", null, "Time to Live (TTL)"), h("span", { class: `badge ${isOn ? "good" : ""}` }, isOn ? "On" : "Off"), session.readOnly ? null : h("div", { class: "buttons" }, button("Manage TTL", () => manageTtl(name, isOn ? about.AttributeName : "", again)))),
      isOn ? h("p", null, "Items expire at the time in ", h("code", null, about.AttributeName), ", in seconds since 1970.") : h("p", { class: "dim" }, "Items are kept until they are deleted. Name an attribute with a time in seconds, and items go by themselves when it has come."),
      isOn ? expiry(table, expiring.items) : null,
    ),
    capacityCard(table, again),
    protectionCard(table, again),
    tagCard(table, tags.Tags ?? [], again),
  );
}

/**
 * @param {any} table
 * @param {any[]} items
 */
function expiry(table, items) {
  if (!items.length) return h("p", { class: "dim" }, "No item is going to expire.");
  const keys = table.KeySchema.map((/** @type {any} */ one) => one.AttributeName);
  return [
    h("h3", null, "What expires next"),
    h(
      "div",
      { class: "scroll" },
      h(
        "table",
        { class: "list" },
        h("thead", null, h("tr", null, h("th", { scope: "col" }, "When"), h("th", { scope: "col" }, ""), keys.map((/** @type {string} */ key) => h("th", { scope: "col" }, key)))),
        h("tbody", null, items.map((one) => {
          const key = Object.fromEntries(keys.map((/** @type {string} */ part) => [part, one.key[part]]));
          return h("tr", null, h("td", null, moment(one.at * 1000)), h("td", null, away(one.at * 1000)), keys.map((/** @type {string} */ part, /** @type {number} */ nth) => h("td", null, nth === 0 ? h("a", { href: link(["tables", table.TableName, "items", "edit"], { key: JSON.stringify(key) }) }, shown(one.key[part])) : shown(one.key[part]))));
        })),
      ),
    ),
  ];
}

/**
 * @param {string} name
 * @param {string} attribute
 * @param {() => void} again
 */
function manageTtl(name, attribute, again) {
  dialog("Time to Live (TTL)", (close) => {
    const error = h("p", { class: "error", role: "alert", hidden: true });
    const input = h("input", { value: attribute, disabled: Boolean(attribute), spellcheck: "false" });
    const act = h("button", { type: "submit", class: attribute ? "danger" : "primary" }, attribute ? "Disable" : "Enable");
    return h(
      "form",
      {
        onsubmit: async (/** @type {Event} */ event) => {
          event.preventDefault();
          act.disabled = true;
          try {
            await call("UpdateTimeToLive", { TableName: name, TimeToLiveSpecification: { Enabled: !attribute, AttributeName: attribute || input.value.trim() } });
            close();
            notify(attribute ? "Items do not expire any more" : "Items expire from now on", "good");
            again();
          } catch (failure) {
            error.hidden = false;
            error.textContent = messageOf(failure);
            act.disabled = false;
          }
        },
      },
      field("TTL attribute name", input, { hint: "A number: seconds since 1970." }),
      error,
      h("div", { class: "buttons end" }, button("Cancel", close), act),
    );
  });
}

/**
 * @param {any} table
 * @param {() => void} again
 */
function capacityCard(table, again) {
  const isOnDemand = table.BillingModeSummary?.BillingMode === "PAY_PER_REQUEST";
  return h(
    "section",
    { class: "card" },
    h("div", { class: "head" }, h("h2", null, "Read/write capacity"), session.readOnly ? null : h("div", { class: "buttons" }, button("Edit capacity", () => editCapacity(table, isOnDemand, again)))),
    facts([
      ["Capacity mode", isOnDemand ? "On-demand" : "Provisioned"],
      ["Read capacity units", isOnDemand ? "As needed" : units(table.ProvisionedThroughput?.ReadCapacityUnits)],
      ["Write capacity units", isOnDemand ? "As needed" : units(table.ProvisionedThroughput?.WriteCapacityUnits)],
    ]),
  );
}

/**
 * @param {any} table
 * @param {boolean} isOnDemand
 * @param {() => void} again
 */
function editCapacity(table, isOnDemand, again) {
  dialog("Edit capacity", (close) => {
    const error = h("p", { class: "error", role: "alert", hidden: true });
    let mode = isOnDemand ? "PAY_PER_REQUEST" : "PROVISIONED";
    const read = h("input", { value: String(table.ProvisionedThroughput?.ReadCapacityUnits || 5), inputmode: "numeric" });
    const write = h("input", { value: String(table.ProvisionedThroughput?.WriteCapacityUnits || 5), inputmode: "numeric" });
    const figures = h("div", { class: "row", hidden: isOnDemand }, field("Read capacity units", read), field("Write capacity units", write));
    const act = button("Save changes", async () => {
      act.disabled = true;
      const throughput = { ReadCapacityUnits: Number(read.value), WriteCapacityUnits: Number(write.value) };
      /** @type {Record<string, any>} */
      const body = { TableName: table.TableName, BillingMode: mode };
      if (mode === "PROVISIONED") {
        body.ProvisionedThroughput = throughput;
        const global = table.GlobalSecondaryIndexes ?? [];
        if (isOnDemand && global.length) body.GlobalSecondaryIndexUpdates = global.map((/** @type {any} */ one) => ({ Update: { IndexName: one.IndexName, ProvisionedThroughput: throughput } }));
      }
      try {
        await call("UpdateTable", body);
        close();
        again();
      } catch (failure) {
        error.hidden = false;
        error.textContent = messageOf(failure);
        act.disabled = false;
      }
    }, { class: "primary", type: "submit" });
    return [
      segments("Capacity mode", [["PAY_PER_REQUEST", "On-demand"], ["PROVISIONED", "Provisioned"]], mode, (chosen) => {
        mode = chosen;
        figures.hidden = chosen === "PAY_PER_REQUEST";
      }),
      figures,
      error,
      h("div", { class: "buttons end" }, button("Cancel", close), act),
    ];
  });
}

/**
 * @param {any} table
 * @param {() => void} again
 */
function protectionCard(table, again) {
  const change = async (/** @type {Record<string, any>} */ body) => {
    try {
      await call("UpdateTable", { TableName: table.TableName, ...body });
      notify("Saved", "good");
    } catch (failure) {
      notify(messageOf(failure), "bad");
    }
    again();
  };
  const tableClass = select([["STANDARD", "Standard"], ["STANDARD_INFREQUENT_ACCESS", "Standard, infrequent access"]], table.TableClassSummary?.TableClass ?? "STANDARD", { disabled: session.readOnly });
  tableClass.addEventListener("change", () => change({ TableClass: tableClass.value }));
  const protection = checkbox("Deletion protection", Boolean(table.DeletionProtectionEnabled), (isOn) => change({ DeletionProtectionEnabled: isOn }));
  protection.input.disabled = session.readOnly;
  return h("section", { class: "card" }, h("h2", null, "Protection and class"), protection, h("div", { class: "row" }, field("Table class", tableClass)));
}

/**
 * @param {any} table
 * @param {Array<{Key: string, Value: string}>} tags
 * @param {() => void} again
 */
function tagCard(table, tags, again) {
  const act = async (/** @type {() => Promise<any>} */ run) => {
    try {
      await run();
    } catch (failure) {
      notify(messageOf(failure), "bad");
    }
    again();
  };
  const key = h("input", { spellcheck: "false" });
  const value = h("input", { spellcheck: "false" });
  return h(
    "section",
    { class: "card" },
    h("h2", null, `Tags (${tags.length})`),
    tags.length
      ? h(
          "table",
          { class: "list" },
          h("thead", null, h("tr", null, h("th", { scope: "col" }, "Key"), h("th", { scope: "col" }, "Value"), h("td"))),
          h("tbody", null, tags.map((tag) => h("tr", null, h("td", null, tag.Key), h("td", null, tag.Value), h("td", { class: "num" }, session.readOnly ? null : button("Remove", () => act(() => call("UntagResource", { ResourceArn: table.TableArn, TagKeys: [tag.Key] })), { "aria-label": `Remove tag ${tag.Key}` }))))),
        )
      : null,
    session.readOnly ? null : h("div", { class: "row" }, field("Key", key), field("Value", value), button("Add tag", () => act(() => call("TagResource", { ResourceArn: table.TableArn, Tags: [{ Key: key.value, Value: value.value }] })))),
  );
}
