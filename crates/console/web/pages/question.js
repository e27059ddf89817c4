// The form of Explore: scan or query, of what, by which keys and filters. It fills a view; who runs it is told by whom it
// was made.

import { button, checkbox, field, h, replace, segments, select } from "../dom.js";
import { FILTER_OPERATORS, KEY_OPERATORS, indexesOf, keyOf, valuesOf } from "../expression.js";
import { TYPES } from "../values.js";

/** @typedef {import("../expression.js").View} View */

export class Question {
  /**
   * @param {any} table
   * @param {View} view changed in place
   * @param {() => void} run
   */
  constructor(table, view, run) {
    this.table = table;
    this.view = view;
    this.run = run;
    this.element = h("div", { class: "stack" });
    this.draw();
  }

  draw() {
    const view = this.view;
    const indexes = indexesOf(this.table);
    const sources = /** @type {Array<[string, string]>} */ ([
      ["", `Table: ${this.table.TableName}`],
      ...indexes.map((one) => /** @type {[string, string]} */ ([one.IndexName, `${one.local ? "Local index" : "Index"}: ${one.IndexName}`])),
    ]);
    const source = select(sources, view.index);
    source.addEventListener("change", () => {
      view.index = source.value;
      if (this.isGlobal()) view.consistent = false;
      this.draw();
    });
    const projection = h("input", { value: view.projection.join(", "), placeholder: "All attributes", spellcheck: "false" });
    projection.addEventListener("input", () => {
      view.projection = projection.value.split(",").map((one) => one.trim()).filter(Boolean);
    });
    const limit = select([["25", "25"], ["100", "100"], ["300", "300"], ["1000", "1000"], ["5000", "5000"]], String(view.limit));
    limit.addEventListener("change", () => {
      view.limit = Number(limit.value);
    });
    const run = button("Run", () => this.run(), { class: "primary", "data-default": true });
    const reset = button("Reset", () => {
      Object.assign(this.view, { mode: "scan", index: "", keys: [], filters: [], projection: [], descending: false, consistent: false, limit: 100 });
      this.draw();
      this.run();
    });
    replace(
      this.element,
      h(
        "div",
        { class: "row" },
        segments("Scan or query", [["scan", "Scan"], ["query", "Query"]], view.mode, (mode) => {
          view.mode = mode;
          this.draw();
        }),
        field("Table or index", source, { class: "wide" }),
        field("Attributes to return", projection, { class: "wide" }),
        field("Page size", limit, { class: "narrow" }),
      ),
      view.mode === "query" ? this.keyRows() : null,
      this.filterRows(),
      h(
        "div",
        { class: "row" },
        run,
        reset,
        button("Add filter", () => {
          view.filters.push({ attribute: "", operator: "=", type: "S", value: "", second: "" });
          this.draw();
          /** @type {HTMLElement | null} */ (this.element.querySelector(".filter:last-of-type input"))?.focus();
        }),
        view.mode === "query" ? checkbox("Sort descending", view.descending, (isOn) => (view.descending = isOn)) : null,
        this.isGlobal() ? null : checkbox("Consistent read", view.consistent, (isOn) => (view.consistent = isOn)),
      ),
    );
  }

  isGlobal() {
    const index = indexesOf(this.table).find((one) => one.IndexName === this.view.index);
    return Boolean(index && !index.local);
  }

  keyRows() {
    return keyOf(this.table, this.view.index).map((part) => {
      let condition = this.view.keys.find((one) => one.attribute === part.name);
      if (!condition) {
        condition = { attribute: part.name, operator: "=", type: part.type, value: "", second: "" };
        this.view.keys.push(condition);
      }
      const given = condition;
      const kind = TYPES.find(([type]) => type === part.type)?.[1] ?? "";
      const value = h("input", { value: given.value, placeholder: part.hash ? "Enter partition key value" : "Enter sort key value", spellcheck: "false" });
      value.addEventListener("input", () => (given.value = value.value));
      this.onEnter(value);
      const label = `${part.name} (${part.hash ? "Partition key" : "Sort key"}, ${kind})`;
      if (part.hash) return h("div", { class: "row" }, field(label, value));
      const operator = select(KEY_OPERATORS.filter(([key]) => part.type !== "N" || key !== "begins_with"), given.operator, { "aria-label": `Condition on ${part.name}` });
      operator.addEventListener("change", () => {
        given.operator = operator.value;
        this.draw();
      });
      const second = h("input", { value: given.second, "aria-label": `${part.name}, upper end`, spellcheck: "false" });
      second.addEventListener("input", () => (given.second = second.value));
      this.onEnter(second);
      return h("div", { class: "row" }, field("Condition", operator, { class: "narrow" }), field(label, value), given.operator === "between" ? field("and", second) : null);
    });
  }

  filterRows() {
    return this.view.filters.map((filter, place) => {
      const attribute = h("input", { value: filter.attribute, placeholder: "Attribute or path", spellcheck: "false", list: "attributes-known", title: 'a.b[0] is a path; a name with a dot in it stands in quotes: "a.b"' });
      attribute.addEventListener("input", () => (filter.attribute = attribute.value));
      const operator = select(FILTER_OPERATORS, filter.operator);
      operator.addEventListener("change", () => {
        filter.operator = operator.value;
        this.draw();
      });
      const type = select(TYPES, filter.type);
      type.addEventListener("change", () => {
        filter.type = type.value;
        if (type.value === "BOOL" && filter.value !== "false") filter.value = "true";
        this.draw();
      });
      const wanted = valuesOf(filter.operator);
      const isTyped = wanted > 0 && !filter.operator.startsWith("size") && filter.operator !== "attribute_type";
      const text = filter.operator === "in" ? "a, b, c" : ["SS", "NS", "BS", "L", "M"].includes(filter.type) ? 'DynamoDB JSON, such as ["a", "b"]' : "Value";
      const control = (/** @type {"value" | "second"} */ which) => {
        if (isTyped && filter.type === "BOOL") {
          const choice = select([["true", "true"], ["false", "false"]], filter[which] || "true");
          choice.addEventListener("change", () => (filter[which] = choice.value));
          return choice;
        }
        if (filter.operator === "attribute_type") {
          filter.value ||= "S";
          const choice = select(TYPES, filter.value);
          choice.addEventListener("change", () => (filter.value = choice.value));
          return choice;
        }
        const input = h("input", { value: filter[which], placeholder: text, spellcheck: "false" });
        input.addEventListener("input", () => (filter[which] = input.value));
        this.onEnter(input);
        return input;
      };
      this.onEnter(attribute);
      return h(
        "div",
        { class: "row filter" },
        field("Attribute name", attribute),
        field("Condition", operator),
        isTyped ? field("Type", type, { class: "narrow" }) : null,
        wanted > 0 && !(isTyped && filter.type === "NULL") ? field("Value", control("value")) : null,
        wanted > 1 ? field("and", control("second")) : null,
        button("Remove", () => {
          this.view.filters.splice(place, 1);
          this.draw();
        }, { "aria-label": `Remove filter ${place + 1}` }),
      );
    });
  }

  /** @param {HTMLInputElement} input */
  onEnter(input) {
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) this.run();
    });
  }
}
