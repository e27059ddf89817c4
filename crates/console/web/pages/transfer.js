// Items out to a file and in from one, as JSON, DynamoDB JSON or CSV, without loss.

import { call, each } from "../api.js";
import { button, checkbox, dialog, download, field, h, messageOf, notify, segments, select } from "../dom.js";
import { fromCsv, fromJson, toCsv } from "../files.js";
import { many } from "../format.js";
import { dynamoText, isPlain, plainText } from "../values.js";

/** @typedef {import("../values.js").Item} Item */

/**
 * @param {string} name
 * @param {Item[]} items
 * @param {string[]} columns
 */
export function openExport(name, items, columns) {
  const isLossless = items.every((item) => Object.values(item).every(isPlain));
  let form = isLossless ? "json" : "dynamodb";
  dialog(`Export ${many(items.length, "item")}`, (close) => {
    const note = h("p", { class: "note" });
    const fill = () => {
      note.textContent =
        form === "csv"
          ? `The columns that are shown, with their types in the header. Sets, lists, maps and binaries are written as DynamoDB JSON.`
          : form === "json"
            ? isLossless
              ? "Plain JSON. Numbers keep all their digits."
              : "Some items hold sets or binaries, which plain JSON cannot say. DynamoDB JSON keeps them."
            : "DynamoDB JSON, with all types.";
      save.disabled = form === "json" && !isLossless;
    };
    const save = button("Save file", () => {
      if (form === "csv") download(`${name}.csv`, "text/csv", toCsv(items, columns));
      else download(`${name}.json`, "application/json", `[\n${items.map(form === "json" ? plainText : dynamoText).join(",\n")}\n]\n`);
      close();
    }, { class: "primary" });
    fill();
    return [
      segments("Form", [["json", "JSON"], ["dynamodb", "DynamoDB JSON"], ["csv", "CSV"]], form, (chosen) => {
        form = chosen;
        fill();
      }),
      note,
      h("div", { class: "buttons end" }, button("Cancel", close), save),
    ];
  });
}

/**
 * @param {any} table
 * @param {() => void} after
 */
export function openImport(table, after) {
  const keys = table.KeySchema.map((/** @type {any} */ one) => one.AttributeName);
  dialog("Import items", (close) => {
    const error = h("p", { class: "error", role: "alert", hidden: true });
    const file = h("input", { type: "file", accept: ".json,.jsonl,.csv,.txt" });
    const form = select([["auto", "By the file's name"], ["json", "JSON or DynamoDB JSON"], ["csv", "CSV"]], "auto");
    const keep = checkbox("Keep items that are there already", true);
    const act = button("Import", async () => {
      const chosen = file.files?.[0];
      error.hidden = true;
      if (!chosen) {
        error.hidden = false;
        error.textContent = "Choose a file.";
        return;
      }
      act.disabled = true;
      try {
        const text = await chosen.text();
        const isCsv = form.value === "csv" || (form.value === "auto" && chosen.name.toLowerCase().endsWith(".csv"));
        const items = isCsv ? fromCsv(text, table) : fromJson(text);
        const kept = await write(table.TableName, keys, items, keep.input.checked);
        close();
        notify(`${many(items.length - kept, "item")} imported${kept ? `, ${kept} were there already and stayed` : ""}`, "good");
        after();
      } catch (failure) {
        error.hidden = false;
        error.textContent = messageOf(failure);
        act.disabled = false;
      }
    }, { class: "primary" });
    return [
      h("p", { class: "note" }, "JSON (an array, or one object after the other), DynamoDB JSON, or CSV with a header line."),
      field("File", file),
      field("Form", form),
      keep,
      error,
      h("div", { class: "buttons end" }, button("Cancel", close), act),
    ];
  });
}

/**
 * Writes items; answers how many were there already and stayed.
 * @param {string} name
 * @param {string[]} keys
 * @param {Item[]} items
 * @param {boolean} keep
 */
async function write(name, keys, items, keep) {
  let kept = 0;
  if (keep) {
    await each(items, 8, async (item) => {
      try {
        await call("PutItem", { TableName: name, Item: item, ConditionExpression: "attribute_not_exists(#k)", ExpressionAttributeNames: { "#k": keys[0] } });
      } catch (failure) {
        if (/** @type {any} */ (failure).kind !== "ConditionalCheckFailedException") throw failure;
        kept += 1;
      }
    });
    return kept;
  }
  for (let place = 0; place < items.length; place += 25) {
    let requests = items.slice(place, place + 25).map((item) => ({ PutRequest: { Item: item } }));
    while (requests.length) {
      const answer = await call("BatchWriteItem", { RequestItems: { [name]: requests } });
      requests = answer.UnprocessedItems?.[name] ?? [];
    }
  }
  return kept;
}
