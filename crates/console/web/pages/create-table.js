// Create table: every option the service has, the usual ones first. What is rarely wanted is folded away.

import { call, describe } from "../api.js";
import { button, checkbox, copy, dialog, field, h, messageOf, notify, replace, segments, select } from "../dom.js";
import { LANGUAGES, spell } from "../code.js";
import { session } from "../api.js";
import { go, link } from "../route.js";

/** @typedef {{name: string, type: string}} Key */
/** @typedef {{name: string, local: boolean, hash: Key, range: Key, projection: string, included: string, read: string, write: string}} Index */

const KEY_TYPES = /** @type {Array<[string, string]>} */ ([["S", "String"], ["N", "Number"], ["B", "Binary"]]);
const PROJECTIONS = /** @type {Array<[string, string]>} */ ([["ALL", "All"], ["KEYS_ONLY", "Only keys"], ["INCLUDE", "Include"]]);
const VIEWS = /** @type {Array<[string, string]>} */ ([["", "Off"], ["NEW_AND_OLD_IMAGES", "New and old images"], ["NEW_IMAGE", "New image"], ["OLD_IMAGE", "Old image"], ["KEYS_ONLY", "Key attributes only"]]);

/** @param {import("../app.js").Visit} visit */
export async function draw({ page }) {
  replace(page, new Form().element);
}

class Form {
  constructor() {
    this.name = "";
    this.hash = { name: "", type: "S" };
    this.range = { name: "", type: "S" };
    this.billing = "PAY_PER_REQUEST";
    this.read = "5";
    this.write = "5";
    this.ttl = "";
    this.stream = "";
    this.recovery = false;
    this.protection = false;
    this.encryption = "";
    this.tableClass = "STANDARD";
    /** @type {Array<{key: string, value: string}>} */
    this.tags = [];
    /** @type {Index[]} */
    this.indexes = [];
    this.error = h("p", { class: "error", role: "alert", hidden: true });
    this.parts = h("div", { class: "stack" });
    this.act = button("Create table", () => this.create(), { class: "primary", "data-default": true });
    this.element = h(
      "div",
      { class: "stack" },
      h("div", { class: "crumbs" }, h("a", { href: link(["tables"]) }, "Tables"), "›", h("span", null, "Create table")),
      h("h1", null, "Create table"),
      this.parts,
      this.error,
      h("div", { class: "buttons" }, this.act, h("a", { class: "button", href: link(["tables"]) }, "Cancel"), button("Show code", () => this.showCode())),
    );
    this.fill();
  }

  /**
   * An input that keeps its text in a place of ours.
   * @template {string} K
   * @param {Record<K, string>} target
   * @param {K} name
   * @param {Record<string, any>} [props]
   */
  bound(target, name, props = {}) {
    const input = h("input", { spellcheck: "false", autocomplete: "off", ...props, value: target[name] });
    input.addEventListener("input", () => {
      target[name] = /** @type {any} */ (input.value);
    });
    return input;
  }

  /**
   * @param {Key} key
   * @param {string} label
   * @param {string} hint
   */
  keyRow(key, label, hint) {
    const type = select(KEY_TYPES, key.type, { "aria-label": `Type of the ${label.toLowerCase()}` });
    type.addEventListener("change", () => (key.type = type.value));
    return h("div", { class: "row" }, field(label, this.bound(key, "name", { placeholder: hint })), field("Type", type, { class: "narrow" }));
  }

  fill() {
    replace(
      this.parts,
      h(
        "section",
        { class: "card" },
        h("h2", null, "Table details"),
        field("Table name", this.bound(/** @type {any} */ (this), "name", { placeholder: "Enter name for table", autofocus: true }), { hint: "Between 3 and 255 letters, digits, underscores, hyphens and periods." }),
        this.keyRow(this.hash, "Partition key", "Enter the partition key name"),
        this.keyRow(this.range, "Sort key – optional", "Enter the sort key name"),
      ),
      this.capacity(),
      h(
        "section",
        { class: "card" },
        h("div", { class: "head" }, h("h2", null, "Secondary indexes"), h("div", { class: "buttons" }, button("Create local index", () => this.addIndex(true)), button("Create global index", () => this.addIndex(false)))),
        this.indexes.length ? this.indexes.map((index, place) => this.indexRows(index, place)) : h("p", { class: "dim" }, "None. A local index has the table's partition key and another sort key, and can only be made together with the table. Global indexes can be added later."),
      ),
      this.settings(),
      this.tagRows(),
    );
  }

  capacity() {
    return h(
      "section",
      { class: "card" },
      h("h2", null, "Read/write capacity"),
      segments("Capacity mode", [["PAY_PER_REQUEST", "On-demand"], ["PROVISIONED", "Provisioned"]], this.billing, (mode) => {
        this.billing = mode;
        this.fill();
      }),
      this.billing === "PROVISIONED"
        ? h("div", { class: "row" }, field("Read capacity units", this.bound(/** @type {any} */ (this), "read", { inputmode: "numeric" })), field("Write capacity units", this.bound(/** @type {any} */ (this), "write", { inputmode: "numeric" })))
        : null,
    );
  }

  /** @param {boolean} isLocal */
  addIndex(isLocal) {
    this.indexes.push({ name: "", local: isLocal, hash: { name: isLocal ? this.hash.name : "", type: isLocal ? this.hash.type : "S" }, range: { name: "", type: "S" }, projection: "ALL", included: "", read: "5", write: "5" });
    this.fill();
  }

  /**
   * @param {Index} index
   * @param {number} place
   */
  indexRows(index, place) {
    return h(
      "fieldset",
      { class: "card" },
      h("legend", null, index.local ? "Local secondary index" : "Global secondary index"),
      indexFields(index, this.bound.bind(this), this.billing === "PROVISIONED", () => this.fill()),
      h("div", null, button("Remove index", () => {
        this.indexes.splice(place, 1);
        this.fill();
      })),
    );
  }

  settings() {
    const stream = select(VIEWS, this.stream);
    stream.addEventListener("change", () => (this.stream = stream.value));
    const encryption = select([["", "Owned by the service"], ["KMS", "AWS managed key"]], this.encryption);
    encryption.addEventListener("change", () => (this.encryption = encryption.value));
    const tableClass = select([["STANDARD", "Standard"], ["STANDARD_INFREQUENT_ACCESS", "Standard, infrequent access"]], this.tableClass);
    tableClass.addEventListener("change", () => (this.tableClass = tableClass.value));
    return h(
      "section",
      { class: "card" },
      h("h2", null, "Table settings"),
      h("div", { class: "row" }, field("Time to Live (TTL) attribute – optional", this.bound(/** @type {any} */ (this), "ttl", { placeholder: "Such as ttl" })), field("Stream", stream)),
      h("div", { class: "row" }, field("Encryption at rest", encryption), field("Table class", tableClass)),
      h("div", { class: "row" }, checkbox("Point-in-time recovery", this.recovery, (isOn) => (this.recovery = isOn)), checkbox("Deletion protection", this.protection, (isOn) => (this.protection = isOn))),
    );
  }

  tagRows() {
    return h(
      "section",
      { class: "card" },
      h("div", { class: "head" }, h("h2", null, "Tags"), h("div", { class: "buttons" }, button("Add new tag", () => {
        this.tags.push({ key: "", value: "" });
        this.fill();
      }))),
      this.tags.map((tag, place) =>
        h("div", { class: "row" }, field("Key", this.bound(tag, "key")), field("Value", this.bound(tag, "value")), button("Remove", () => {
          this.tags.splice(place, 1);
          this.fill();
        }, { "aria-label": `Remove tag ${place + 1}` })),
      ),
    );
  }

  request() {
    /** @type {Map<string, string>} */
    const types = new Map();
    const note = (/** @type {Key} */ key) => {
      if (key.name.trim()) types.set(key.name.trim(), key.type);
    };
    note(this.hash);
    note(this.range);
    for (const index of this.indexes) {
      if (index.local) index.hash = { ...this.hash };
      note(index.hash);
      note(index.range);
    }
    /** @type {Record<string, any>} */
    const body = {
      TableName: this.name.trim(),
      AttributeDefinitions: [...types].map(([name, type]) => ({ AttributeName: name, AttributeType: type })),
      KeySchema: schema(this.hash, this.range),
      BillingMode: this.billing,
    };
    if (this.billing === "PROVISIONED") body.ProvisionedThroughput = throughput(this.read, this.write);
    const local = this.indexes.filter((index) => index.local);
    const global = this.indexes.filter((index) => !index.local);
    if (local.length) body.LocalSecondaryIndexes = local.map((index) => indexBody(index, false));
    if (global.length) body.GlobalSecondaryIndexes = global.map((index) => indexBody(index, this.billing === "PROVISIONED"));
    if (this.stream) body.StreamSpecification = { StreamEnabled: true, StreamViewType: this.stream };
    if (this.encryption) body.SSESpecification = { Enabled: true, SSEType: "KMS" };
    if (this.tableClass !== "STANDARD") body.TableClass = this.tableClass;
    if (this.protection) body.DeletionProtectionEnabled = true;
    const tags = this.tags.filter((tag) => tag.key);
    if (tags.length) body.Tags = tags.map((tag) => ({ Key: tag.key, Value: tag.value }));
    return { operation: "CreateTable", body };
  }

  showCode() {
    const request = this.request();
    dialog("The request in code", (close) => {
      const code = h("pre", { class: "code", tabindex: "0" }, spell("cli", request, session.endpoint));
      const spelled = LANGUAGES.filter(([key]) => key !== "rust");
      return [
        segments("Language", spelled, "cli", (language) => (code.textContent = spell(language, request, session.endpoint))),
        code,
        h("div", { class: "buttons end" }, button("Copy", () => copy(code.textContent ?? "")), button("Close", close)),
      ];
    }, { wide: true });
  }

  async create() {
    this.error.hidden = true;
    this.act.disabled = true;
    const name = this.name.trim();
    let isMade = false;
    try {
      if (!name) throw new Error("Enter a name for the table.");
      if (!this.hash.name.trim()) throw new Error("Enter a partition key.");
      await call("CreateTable", this.request().body);
      isMade = true;
      if (this.ttl.trim() || this.recovery) await active(name);
      if (this.ttl.trim()) await call("UpdateTimeToLive", { TableName: name, TimeToLiveSpecification: { Enabled: true, AttributeName: this.ttl.trim() } });
      if (this.recovery) await call("UpdateContinuousBackups", { TableName: name, PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } });
      notify(`The table ${name} was created`, "good");
      go(["tables", name]);
    } catch (failure) {
      if (isMade) {
        notify(`The table was created, but: ${messageOf(failure)}`, "bad");
        go(["tables", name]);
        return;
      }
      this.error.hidden = false;
      this.error.textContent = messageOf(failure);
      this.error.scrollIntoView({ block: "nearest" });
    } finally {
      this.act.disabled = false;
    }
  }
}

/**
 * The fields of an index, shared with the page that adds one to a table.
 * @param {Index} index
 * @param {(target: any, name: string, props?: Record<string, any>) => HTMLInputElement} bound
 * @param {boolean} isProvisioned
 * @param {() => void} fill
 */
export function indexFields(index, bound, isProvisioned, fill) {
  const projection = select(PROJECTIONS, index.projection);
  projection.addEventListener("change", () => {
    index.projection = projection.value;
    fill();
  });
  const typed = (/** @type {Key} */ key, /** @type {string} */ label) => {
    const type = select(KEY_TYPES, key.type);
    type.addEventListener("change", () => (key.type = type.value));
    return [field(label, bound(key, "name")), field("Type", type, { class: "narrow" })];
  };
  return h(
    "div",
    { class: "stack" },
    index.local ? null : h("div", { class: "row" }, typed(index.hash, "Partition key")),
    h("div", { class: "row" }, typed(index.range, index.local ? "Sort key" : "Sort key – optional")),
    h(
      "div",
      { class: "row" },
      field("Index name", bound(index, "name")),
      field("Attribute projections", projection, { class: "narrow" }),
      index.projection === "INCLUDE" ? field("Attributes, with commas between", bound(index, "included"), { class: "wide" }) : null,
    ),
    isProvisioned && !index.local ? h("div", { class: "row" }, field("Read capacity units", bound(index, "read")), field("Write capacity units", bound(index, "write"))) : null,
  );
}

/**
 * @param {Key} hash
 * @param {Key} range
 */
function schema(hash, range) {
  const key = [{ AttributeName: hash.name.trim(), KeyType: "HASH" }];
  if (range.name.trim()) key.push({ AttributeName: range.name.trim(), KeyType: "RANGE" });
  return key;
}

/**
 * @param {string} read
 * @param {string} write
 */
function throughput(read, write) {
  return { ReadCapacityUnits: Number(read), WriteCapacityUnits: Number(write) };
}

/**
 * An index as the API has it.
 * @param {Index} index
 * @param {boolean} isProvisioned
 */
export function indexBody(index, isProvisioned) {
  /** @type {Record<string, any>} */
  const body = { IndexName: index.name.trim(), KeySchema: schema(index.hash, index.range), Projection: { ProjectionType: index.projection } };
  if (index.projection === "INCLUDE") body.Projection.NonKeyAttributes = index.included.split(",").map((one) => one.trim()).filter(Boolean);
  if (isProvisioned) body.ProvisionedThroughput = throughput(index.read, index.write);
  return body;
}

/**
 * Waits until a table can be used.
 * @param {string} name
 */
export async function active(name) {
  for (let attempt = 0; attempt < 120; attempt += 1) {
    if ((await describe(name)).TableStatus === "ACTIVE") return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
