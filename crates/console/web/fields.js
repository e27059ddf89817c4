// The form of an item: a row for each attribute, of any type and any depth. Knows no tables.

import { button, h, replace, select } from "./dom.js";
import { TYPES, base64Bytes, emptyValue, typeOf } from "./values.js";

/** @typedef {import("./values.js").Item} Item */
/** @typedef {import("./values.js").Value} Value */

/**
 * The attributes of an item or a map, to be edited where they are.
 * @param {Array<[string, Value]>} entries changed in place
 * @param {{fixed: Set<string>, kinds: Map<string, string>, isNew: boolean}} key attributes of the key, which keep their names and types
 * @param {() => void} changed
 * @param {string} [path]
 */
export function attributes(entries, key, changed, path = "") {
  const list = h("div", { class: "attributes" });
  const add = select([["", "Add new attribute"], ...TYPES], "", { "aria-label": path ? `Add to ${path}` : "Add new attribute" });
  add.addEventListener("change", () => {
    entries.push(["", emptyValue(add.value)]);
    add.value = "";
    fill();
    changed();
    /** @type {HTMLElement | null} */ (list.lastElementChild?.querySelector("input"))?.focus();
  });
  const fill = () =>
    replace(
      list,
      entries.map((entry, place) => {
        const [name] = entry;
        const isKey = !path && key.fixed.has(name);
        const label = path ? `${path}.${name}` : name;
        const input = h("input", { value: name, "aria-label": "Attribute name", disabled: isKey, spellcheck: "false", placeholder: "Attribute name" });
        input.addEventListener("input", () => {
          entry[0] = input.value;
          changed();
        });
        const remove = isKey
          ? h("span", { class: "dim" }, key.kinds.get(name) ?? "Key")
          : button("Remove", () => {
              entries.splice(place, 1);
              fill();
              changed();
            }, { "aria-label": `Remove ${label || "attribute"}` });
        const isLocked = isKey && !key.isNew;
        return row(input, entry[1], label, remove, { isLocked, isTypeFixed: isKey }, (value) => {
          entry[1] = value;
          changed();
        });
      }),
    );
  fill();
  return h("div", { class: "stack" }, list, h("div", null, addBox(add)));
}

/** @param {HTMLSelectElement} add */
function addBox(add) {
  const box = h("div", { class: "field" }, add);
  box.style.maxWidth = "190px";
  return box;
}

/**
 * @param {HTMLElement} name
 * @param {Value} first
 * @param {string} label
 * @param {HTMLElement} remove
 * @param {{isLocked: boolean, isTypeFixed: boolean}} fixed
 * @param {(value: Value) => void} change
 */
function row(name, first, label, remove, fixed, change) {
  let value = first;
  const place = h("div", { class: "value" });
  const type = select(TYPES, typeOf(value), { "aria-label": `Type of ${label || "attribute"}`, disabled: fixed.isTypeFixed });
  const fill = () => {
    const isNested = Boolean(value.L ?? value.M);
    place.className = isNested ? "nested" : "value";
    replace(place, editor(value, label, fixed.isLocked, (changed) => {
      value = changed;
      change(changed);
    }));
  };
  type.addEventListener("change", () => {
    value = converted(value, type.value);
    fill();
    change(value);
  });
  fill();
  const element = h("div", { class: "attribute" }, name, type, place, remove);
  return element;
}

/**
 * What is kept of a value when its type is changed: the text, if there is one.
 * @param {Value} value
 * @param {string} type
 * @returns {Value}
 */
function converted(value, type) {
  const text = value.S ?? value.N ?? value.B ?? (value.BOOL === undefined ? undefined : String(value.BOOL));
  if (text !== undefined && (type === "S" || type === "N" || type === "B")) return { [type]: text };
  if (text !== undefined && type === "BOOL") return { BOOL: text === "true" };
  const members = value.SS ?? value.NS ?? value.BS;
  if (members && (type === "SS" || type === "NS" || type === "BS")) return { [type]: members };
  if (members && type === "L") return { L: members.map((one) => (value.NS ? { N: one } : value.BS ? { B: one } : { S: one })) };
  return emptyValue(type);
}

/**
 * @param {Value} value
 * @param {string} label
 * @param {boolean} isLocked
 * @param {(value: Value) => void} change
 * @returns {HTMLElement}
 */
function editor(value, label, isLocked, change) {
  const props = { "aria-label": `Value of ${label || "attribute"}`, disabled: isLocked, spellcheck: "false" };
  if (value.S !== undefined) {
    const isLong = value.S.length > 60 || value.S.includes("\n");
    const input = isLong ? h("textarea", { ...props, rows: String(Math.min(12, value.S.split("\n").length + 1)), value: value.S }) : h("input", { ...props, value: value.S });
    input.addEventListener("input", () => change({ S: input.value }));
    return input;
  }
  if (value.N !== undefined) {
    const input = h("input", { ...props, value: value.N, inputmode: "decimal" });
    input.addEventListener("input", () => change({ N: input.value.trim() }));
    return input;
  }
  if (value.B !== undefined) return binary(value.B, props, (text) => change({ B: text }));
  if (value.BOOL !== undefined) {
    const choice = select([["true", "true"], ["false", "false"]], String(value.BOOL), props);
    choice.addEventListener("change", () => change({ BOOL: choice.value === "true" }));
    return choice;
  }
  if (value.SS) return members(value.SS, "SS", label, change);
  if (value.NS) return members(value.NS, "NS", label, change);
  if (value.BS) return members(value.BS, "BS", label, change);
  if (value.L) return elements(value.L, label, change);
  if (value.M) {
    const entries = /** @type {Array<[string, Value]>} */ (Object.entries(value.M));
    return attributes(entries, { fixed: new Set(), kinds: new Map(), isNew: true }, () => change({ M: Object.fromEntries(entries) }), label || "map");
  }
  return h("span", { class: "dim" }, "null");
}

/**
 * @param {string} text
 * @param {Record<string, any>} props
 * @param {(text: string) => void} change
 */
function binary(text, props, change) {
  const input = h("input", { ...props, value: text, class: "mono", placeholder: "base64" });
  const about = h("small", null, `${base64Bytes(text)} bytes, base64`);
  const tell = () => {
    about.textContent = `${base64Bytes(input.value)} bytes, base64`;
    change(input.value);
  };
  input.addEventListener("input", tell);
  const file = h("input", { type: "file", "aria-label": "Take from a file", disabled: props.disabled });
  file.addEventListener("change", async () => {
    const chosen = file.files?.[0];
    if (!chosen) return;
    const bytes = new Uint8Array(await chosen.arrayBuffer());
    let letters = "";
    for (const byte of bytes) letters += String.fromCharCode(byte);
    input.value = btoa(letters);
    tell();
  });
  return h("div", { class: "stack" }, input, h("div", { class: "row" }, about, h("div", { class: "field" }, file)));
}

/**
 * @param {string[]} list
 * @param {"SS" | "NS" | "BS"} type
 * @param {string} label
 * @param {(value: Value) => void} change
 */
function members(list, type, label, change) {
  const current = [...list];
  const box = h("div", { class: "members" });
  const tell = () => change({ [type]: [...current] });
  const fill = () =>
    replace(
      box,
      current.map((text, place) => {
        const input = h("input", { value: text, "aria-label": `Member ${place + 1} of ${label}`, spellcheck: "false" });
        input.addEventListener("input", () => {
          current[place] = input.value;
          tell();
        });
        return h(
          "div",
          { class: "row" },
          input,
          button("Remove", () => {
            current.splice(place, 1);
            fill();
            tell();
          }, { "aria-label": `Remove member ${place + 1} of ${label}`, disabled: current.length === 1 }),
        );
      }),
      h(
        "div",
        null,
        button("Add member", () => {
          current.push(type === "NS" ? "0" : "");
          fill();
          tell();
        }, { class: "quiet" }),
      ),
    );
  fill();
  return box;
}

/**
 * @param {Value[]} list
 * @param {string} label
 * @param {(value: Value) => void} change
 */
function elements(list, label, change) {
  const current = [...list];
  const box = h("div", { class: "attributes" });
  const tell = () => change({ L: [...current] });
  const fill = () => {
    const add = select([["", "Add element"], ...TYPES], "", { "aria-label": `Add element to ${label}` });
    add.addEventListener("change", () => {
      current.push(emptyValue(add.value));
      fill();
      tell();
    });
    replace(
      box,
      current.map((value, place) =>
        row(
          h("span", { class: "dim" }, `[${place}]`),
          value,
          `${label}[${place}]`,
          button("Remove", () => {
            current.splice(place, 1);
            fill();
            tell();
          }, { "aria-label": `Remove ${label}[${place}]` }),
          { isLocked: false, isTypeFixed: false },
          (changed) => {
            current[place] = changed;
            tell();
          },
        ),
      ),
      addBox(add),
    );
  };
  fill();
  return box;
}
