// Items out to a file and in from one, as JSON, DynamoDB JSON or CSV, without loss.

import { call, each } from "../api.js";
import { button, checkbox, dialog, download, field, h, messageOf, notify, segments, select } from "../dom.js";
import { typedValue } from "../expression.js";
import { many } from "../format.js";
import { Unreadable, dynamoItem, dynamoText, isPlain, looksTyped, parseMany, plainItem, plainText, typeOf, valueFromDynamo } from "../values.js";

/** @typedef {import("../values.js").Item} Item */
/** @typedef {import("../values.js").Value} Value */

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
 * @param {Item[]} items
 * @param {string[]} columns
 */
export function toCsv(items, columns) {
  const types = columns.map((column) => {
    const found = new Set(items.flatMap((item) => (item[column] ? [typeOf(/** @type {Value} */ (item[column]))] : [])));
    const only = found.size === 1 ? [...found][0] : undefined;
    // An empty cell is an attribute that is not there, so a column with an empty text needs its type in each cell.
    const hasEmpty = items.some((item) => item[column]?.S === "");
    return only && !hasEmpty && ["S", "N", "BOOL"].includes(only) ? only : "JSON";
  });
  const lines = [columns.map((column, place) => cell(`${column} (${types[place]})`)).join(",")];
  for (const item of items) {
    lines.push(
      columns
        .map((column, place) => {
          const value = item[column];
          if (!value) return "";
          return cell(types[place] === "JSON" ? JSON.stringify(value) : String(value.S ?? value.N ?? value.BOOL));
        })
        .join(","),
    );
  }
  return `${lines.join("\r\n")}\r\n`;
}

/** @param {string} text */
function cell(text) {
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * The cells of a CSV text.
 * @param {string} text
 * @returns {string[][]}
 */
export function csvRows(text) {
  /** @type {string[][]} */
  const rows = [];
  /** @type {string[]} */
  let row = [];
  const pattern = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/y;
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text);
    if (!match) throw new Unreadable(`Line ${rows.length + 1} of the CSV cannot be read`);
    row.push(match[1] !== undefined ? match[1].replaceAll('""', '"') : (match[2] ?? ""));
    if (match[3] !== ",") {
      if (row.length > 1 || row[0] !== "") rows.push(row);
      row = [];
    } else if (pattern.lastIndex === text.length) {
      row.push("");
      rows.push(row);
    }
  }
  return rows;
}

/**
 * Items from a CSV text. A header without a type means a key's own type, else text.
 * @param {string} text
 * @param {any} table
 * @returns {Item[]}
 */
export function fromCsv(text, table) {
  const [header = [], ...rows] = csvRows(text.replace(/^\ufeff/, ""));
  const keyTypes = new Map(table.AttributeDefinitions.map((/** @type {any} */ one) => [one.AttributeName, one.AttributeType]));
  const columns = header.map((title) => {
    const match = /^(.*) \((S|N|B|BOOL|JSON)\)$/s.exec(title);
    return match ? { name: match[1] ?? "", type: match[2] ?? "S" } : { name: title, type: keyTypes.get(title) ?? "S" };
  });
  return rows.map((row, place) =>
    Object.fromEntries(
      columns.flatMap(({ name, type }, nth) => {
        const text = row[nth] ?? "";
        if (text === "") return [];
        const where = `Row ${place + 2}, ${name}`;
        return [[name, type === "JSON" ? valueFromDynamo(text) : typedValue(type, text, where)]];
      }),
    ),
  );
}

/**
 * Items from a JSON text of either form.
 * @param {string} text
 * @returns {Item[]}
 */
export function fromJson(text) {
  const all = parseMany(text);
  const isTyped = all.length > 0 && all.every(looksTyped);
  // The command line writes {"Items": […]}, an export of the service {"Item": {…}} a line.
  return all.flatMap((one) => {
    if (one.kind === "object" && one.members.length >= 1) {
      const items = one.members.find(([name, value]) => name === "Items" && value.kind === "array")?.[1];
      if (items?.kind === "array") return items.members.map(dynamoItem);
      const item = one.members.length === 1 && one.members[0]?.[0] === "Item" ? one.members[0][1] : undefined;
      if (item && looksTyped(item)) return [dynamoItem(item)];
    }
    return [isTyped ? dynamoItem(one) : plainItem(one)];
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
