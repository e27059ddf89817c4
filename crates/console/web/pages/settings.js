// Additional settings of a table: expiry and what goes next, capacity, protection, class, encryption, tags.

import { call, get, session } from "../api.js";
import { button, checkbox, dialog, field, h, messageOf, notify, replace, segments, select, facts } from "../dom.js";
import { away, moment, units } from "../format.js";
import { link } from "../route.js";
import { shown } from "../values.js";

/**
 * @param {HTMLElement} place
 * @param {any} table
 * @param {() => void} again
 */
export async function drawSettings(place, table, again) {
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
  const encryption = select([["", "Owned by the service"], ["KMS", "AWS managed key"]], table.SSEDescription?.SSEType === "KMS" && table.SSEDescription?.Status !== "DISABLED" ? "KMS" : "", { disabled: session.readOnly });
  encryption.addEventListener("change", () => change({ SSESpecification: encryption.value ? { Enabled: true, SSEType: "KMS" } : { Enabled: false } }));
  const protection = checkbox("Deletion protection", Boolean(table.DeletionProtectionEnabled), (isOn) => change({ DeletionProtectionEnabled: isOn }));
  protection.input.disabled = session.readOnly;
  return h("section", { class: "card" }, h("h2", null, "Protection, class and encryption"), protection, h("div", { class: "row" }, field("Table class", tableClass), field("Encryption at rest", encryption)));
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
