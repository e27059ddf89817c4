// One item: made, edited, duplicated, deleted; as a form, as JSON, as DynamoDB JSON. What somebody else changed in the
// meantime is shown and never written over unasked.

import { call, describe, session } from "../api.js";
import { button, checkbox, dialog, h, messageOf, notify, replace, segments } from "../dom.js";
import { keyOf, unchanged } from "../expression.js";
import { attributes } from "../fields.js";
import { go, keptQuestion, link } from "../route.js";
import { Unreadable } from "../json.js";
import { dynamoText, emptyValue, fromDynamo, fromPlain, isPlain, plainText, same, shown } from "../values.js";

/** @typedef {import("../values.js").Item} Item */
/** @typedef {import("../values.js").Value} Value */

/** @param {import("../app.js").Visit} visit */
export async function draw({ page, place, signal }) {
  const name = place.path[1] ?? "";
  const isNew = place.path[3] === "create";
  const table = await describe(name);
  const keyText = place.params.get("key");
  /** @type {Item | null} */
  let loaded = null;
  if (keyText) {
    const key = keyFrom(keyText);
    loaded = (await call("GetItem", { TableName: name, Key: key, ConsistentRead: true })).Item ?? null;
    if (!loaded && !isNew) throw new Error("This item is not there any more.");
  }
  if (signal.aborted) return;
  replace(page, new Editor(table, loaded, isNew).element);
}

/**
 * @param {string} text
 * @returns {Item}
 */
function keyFrom(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("The address does not name an item.");
  }
}

class Editor {
  /**
   * @param {any} table
   * @param {Item | null} loaded
   * @param {boolean} isNew
   */
  constructor(table, loaded, isNew) {
    this.table = table;
    this.name = /** @type {string} */ (table.TableName);
    this.isNew = isNew;
    this.key = keyOf(table, "");
    this.keyNames = this.key.map((part) => part.name);
    /** The item as it was when it was read; none if it is new. */
    this.loaded = isNew ? null : loaded;
    /** @type {Item} */
    this.item = this.ordered(loaded ?? Object.fromEntries(this.key.map((part) => [part.name, part.type === "N" ? { N: "" } : emptyValue(part.type)])));
    this.mode = "form";
    this.isTyped = true;
    /** @type {(() => Item) | null} */
    this.read = null;
    this.error = h("p", { class: "error", role: "alert", hidden: true });
    this.body = h("div", { class: "card editor" });
    this.save = button(isNew ? "Create item" : "Save changes", () => this.write(), { class: "primary", "data-default": true, disabled: session.readOnly });
    const title = isNew ? (loaded ? "Duplicate item" : "Create item") : "Edit item";
    this.element = h(
      "div",
      { class: "stack" },
      h("div", { class: "crumbs" }, h("a", { href: link(["tables"]) }, "Tables"), "›", h("a", { href: link(["tables", this.name]) }, this.name), "›", h("a", { href: link(["tables", this.name, "items"], keptQuestion(this.name)) }, "Explore table items"), "›", h("span", null, title)),
      h("div", { class: "head" }, h("h1", null, title), this.switch()),
      this.body,
      this.error,
      h(
        "div",
        { class: "buttons" },
        this.save,
        h("a", { class: "button", href: link(["tables", this.name, "items"], keptQuestion(this.name)) }, "Cancel"),
        isNew || session.readOnly ? null : button("Duplicate", () => go(["tables", this.name, "items", "create"], this.keyParams())),
        isNew || session.readOnly ? null : button("Delete item", () => this.delete(), { class: "danger" }),
      ),
    );
    this.drawBody();
  }

  /**
   * Keys first, the rest as it comes.
   * @param {Item} item
   * @returns {Item}
   */
  ordered(item) {
    const keys = this.keyNames.filter((name) => name in item);
    return Object.fromEntries([...keys, ...Object.keys(item).filter((name) => !keys.includes(name))].map((name) => [name, /** @type {Value} */ (item[name])]));
  }

  keyParams() {
    const item = this.loaded ?? this.item;
    return { key: JSON.stringify(Object.fromEntries(this.keyNames.map((name) => [name, item[name]]))) };
  }

  switch() {
    this.modes = segments("View", [["form", "Form"], ["json", "JSON view"]], this.mode, (mode) => {
      if (!this.take()) {
        const back = /** @type {HTMLInputElement | null} */ (this.modes?.querySelector(`[value="${this.mode}"]`));
        if (back) back.checked = true;
        return;
      }
      this.mode = mode;
      this.drawBody();
    });
    return h("div", { class: "buttons" }, this.modes);
  }

  /** Takes over what was typed; false if it cannot be read. */
  take() {
    this.error.hidden = true;
    try {
      if (this.read) this.item = this.read();
      return true;
    } catch (failure) {
      this.fail(failure);
      return false;
    }
  }

  /** @param {unknown} failure */
  fail(failure) {
    this.error.hidden = false;
    this.error.textContent = messageOf(failure);
    this.error.scrollIntoView({ block: "nearest" });
  }

  drawBody() {
    if (this.mode === "form") this.drawForm();
    else this.drawJson();
  }

  drawForm() {
    const entries = /** @type {Array<[string, Value]>} */ (Object.entries(this.ordered(this.item)));
    const kinds = new Map(this.key.map((part) => [part.name, part.hash ? "Partition key" : "Sort key"]));
    this.read = () => {
      const names = entries.map(([name]) => name);
      if (names.includes("")) throw new Unreadable("An attribute has no name.");
      const twice = names.find((name, place) => names.indexOf(name) !== place);
      if (twice !== undefined) throw new Unreadable(`The attribute ${twice} is there twice.`);
      return Object.fromEntries(entries);
    };
    replace(this.body, attributes(entries, { fixed: new Set(this.keyNames), kinds, isNew: this.isNew }, () => {}));
  }

  drawJson() {
    const isLossless = Object.values(this.item).every(isPlain);
    const area = h("textarea", { "aria-label": "Item as JSON", spellcheck: "false", rows: "22" });
    const isTyped = this.isTyped || !isLossless;
    area.value = isTyped ? dynamoText(this.item) : plainText(this.item);
    this.read = () => this.ordered(isTyped ? fromDynamo(area.value) : fromPlain(area.value));
    const typed = checkbox("View DynamoDB JSON", isTyped, (isOn) => {
      if (!this.take()) {
        typed.input.checked = isTyped;
        return;
      }
      this.isTyped = isOn;
      this.drawJson();
    });
    const note = !isLossless && !this.isTyped ? h("p", { class: "hint" }, "This item holds sets or binaries, which plain JSON cannot say without loss. It is shown as DynamoDB JSON.") : null;
    replace(this.body, h("div", { class: "bar" }, typed, h("div", { class: "buttons" }, button("Format", () => {
      if (this.take()) this.drawJson();
    }))), note, area);
  }

  async write() {
    if (!this.take()) return;
    this.save.disabled = true;
    try {
      for (const name of this.keyNames) if (!(name in this.item)) throw new Unreadable(`The key attribute ${name} is missing.`);
      if (this.loaded) await this.change(this.loaded, this.item);
      else await this.create(this.item);
    } catch (failure) {
      this.fail(failure);
    } finally {
      this.save.disabled = false;
    }
  }

  /** @param {Item} item */
  async create(item) {
    try {
      await call("PutItem", {
        TableName: this.name,
        Item: item,
        ConditionExpression: "attribute_not_exists(#k)",
        ExpressionAttributeNames: { "#k": this.keyNames[0] },
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      });
    } catch (failure) {
      if (/** @type {any} */ (failure).kind !== "ConditionalCheckFailedException") throw failure;
      this.conflict(item, /** @type {any} */ (failure).body?.Item ?? null, "An item with this key is there already");
      return;
    }
    notify("Item created", "good");
    go(["tables", this.name, "items"], keptQuestion(this.name));
  }

  /**
   * Writes only what was changed here, and only if the item is as it was read.
   * @param {Item} loaded
   * @param {Item} item
   */
  async change(loaded, item) {
    for (const name of this.keyNames) {
      if (!same(loaded[name], item[name])) throw new Unreadable(`${name} is part of the key and stays as it is. To have the item under another key, duplicate it.`);
    }
    const touched = [...new Set([...Object.keys(loaded), ...Object.keys(item)])].filter((name) => !same(loaded[name], item[name]));
    if (!touched.length) {
      notify("Nothing was changed");
      return;
    }
    const set = touched.filter((name) => name in item);
    const remove = touched.filter((name) => !(name in item));
    const condition = unchanged(loaded, touched, touched.filter((name) => !(name in loaded)));
    /** @type {Record<string, string>} */
    const names = condition.ExpressionAttributeNames;
    /** @type {Record<string, Value>} */
    const values = condition.ExpressionAttributeValues;
    set.forEach((name, place) => {
      names[`#s${place}`] = name;
      values[`:s${place}`] = /** @type {Value} */ (item[name]);
    });
    remove.forEach((name, place) => {
      names[`#r${place}`] = name;
    });
    const parts = [];
    if (set.length) parts.push(`SET ${set.map((_, place) => `#s${place} = :s${place}`).join(", ")}`);
    if (remove.length) parts.push(`REMOVE ${remove.map((_, place) => `#r${place}`).join(", ")}`);
    try {
      await call("UpdateItem", {
        TableName: this.name,
        Key: Object.fromEntries(this.keyNames.map((name) => [name, loaded[name]])),
        UpdateExpression: parts.join(" "),
        ...condition,
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      });
    } catch (failure) {
      if (/** @type {any} */ (failure).kind !== "ConditionalCheckFailedException") throw failure;
      const theirs = /** @type {any} */ (failure).body?.Item ?? null;
      this.conflict(item, theirs, theirs ? "Somebody else has changed this item" : "Somebody else has deleted this item");
      return;
    }
    notify("Changes saved", "good");
    go(["tables", this.name, "items"], keptQuestion(this.name));
  }

  /**
   * Shows both versions and lets a person choose.
   * @param {Item} mine
   * @param {Item | null} theirs
   * @param {string} title
   */
  conflict(mine, theirs, title) {
    const names = [...new Set([...this.keyNames, ...Object.keys(this.loaded ?? {}), ...Object.keys(mine), ...Object.keys(theirs ?? {})])];
    dialog(title, (close) => [
      h("p", null, "Nothing has been written. These are both versions; what differs is marked."),
      h(
        "div",
        { class: "scroll" },
        h(
          "table",
          { class: "diff" },
          h("thead", null, h("tr", null, h("th", null, "Attribute"), this.loaded ? h("th", null, "As you read it") : null, h("th", null, "Yours"), h("th", null, "Stored now"))),
          h(
            "tbody",
            null,
            names.map((name) =>
              h(
                "tr",
                { class: same(mine[name], theirs?.[name]) ? "" : "changed" },
                h("th", { scope: "row" }, name),
                this.loaded ? h("td", null, shown(this.loaded[name]) || "–") : null,
                h("td", null, shown(mine[name]) || "–"),
                h("td", null, theirs ? shown(theirs[name]) || "–" : "deleted"),
              ),
            ),
          ),
        ),
      ),
      h(
        "div",
        { class: "buttons end" },
        button("Keep editing", close),
        theirs && this.loaded
          ? button("Keep my changes, take the rest", () => {
              close();
              this.merge(mine, theirs);
            })
          : null,
        theirs
          ? button("Take what is stored", () => {
              close();
              if (this.isNew) go(["tables", this.name, "items", "edit"], { key: JSON.stringify(Object.fromEntries(this.keyNames.map((name) => [name, theirs[name]]))) });
              else {
                this.loaded = theirs;
                this.item = this.ordered(theirs);
                this.drawBody();
              }
            })
          : null,
        button("Overwrite with mine", async () => {
          try {
            await this.overwrite(mine, theirs);
            close();
          } catch (failure) {
            close();
            this.fail(failure);
          }
        }, { class: "danger" }),
      ),
    ], { wide: true });
  }

  /**
   * Goes on from what is stored now, with what was changed here on top. Nothing is written yet.
   * @param {Item} mine
   * @param {Item} theirs
   */
  merge(mine, theirs) {
    const loaded = this.loaded ?? {};
    const touched = [...new Set([...Object.keys(loaded), ...Object.keys(mine)])].filter((name) => !same(loaded[name], mine[name]));
    const kept = Object.entries(theirs).filter(([name]) => !touched.includes(name));
    const changed = touched.flatMap((name) => (name in mine ? [/** @type {[string, Value]} */ ([name, mine[name]])] : []));
    this.loaded = theirs;
    this.item = this.ordered(Object.fromEntries([...kept, ...changed]));
    this.drawBody();
    notify("Look it over and save");
  }

  /**
   * Writes over exactly the version that was shown: if it changes once more, that is a new conflict.
   * @param {Item} mine
   * @param {Item | null} theirs
   */
  async overwrite(mine, theirs) {
    const condition = theirs ? unchanged(theirs) : { ConditionExpression: "attribute_not_exists(#k)", ExpressionAttributeNames: { "#k": this.keyNames[0] } };
    try {
      await call("PutItem", { TableName: this.name, Item: mine, ...condition, ReturnValuesOnConditionCheckFailure: "ALL_OLD" });
    } catch (failure) {
      if (/** @type {any} */ (failure).kind !== "ConditionalCheckFailedException") throw failure;
      this.conflict(mine, /** @type {any} */ (failure).body?.Item ?? null, "It has changed once more");
      return;
    }
    notify("Item saved", "good");
    go(["tables", this.name, "items"], keptQuestion(this.name));
  }

  delete() {
    const loaded = this.loaded;
    if (!loaded) return;
    dialog("Delete item?", (close) => [
      h("p", null, "This cannot be undone."),
      h(
        "div",
        { class: "buttons end" },
        button("Cancel", close),
        button("Delete", async () => {
          close();
          try {
            const key = Object.fromEntries(this.keyNames.map((name) => [name, loaded[name]]));
            await call("DeleteItem", { TableName: this.name, Key: key, ...unchanged(loaded) });
            notify("Item deleted", "good");
            go(["tables", this.name, "items"], keptQuestion(this.name));
          } catch (failure) {
            const isConflict = /** @type {any} */ (failure).kind === "ConditionalCheckFailedException";
            this.fail(isConflict ? "Somebody else has changed or deleted this item since you read it. Reload it before you delete it." : failure);
          }
        }, { class: "danger", type: "submit" }),
      ),
    ]);
  }
}
