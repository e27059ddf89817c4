// Explore table items: scan and query, on the table and on every index, with what it cost and how to ask the same
// in code. The whole question is in the address.

import { call, describe, each, session } from "../api.js";
import { LANGUAGES, spell } from "../code.js";
import { button, checkbox, copy, dialog, h, messageOf, notify, replace, segments, showError } from "../dom.js";
import { entitiesOf } from "../entities.js";
import { build, indexesOf, keyOf, unchanged } from "../expression.js";
import { count, many, units } from "../format.js";
import { Grid, columnsOf } from "../grid.js";
import { go, keepQuestion, link, remember } from "../route.js";
import { Question } from "./question.js";

/** @typedef {import("../values.js").Item} Item */
/** @typedef {import("../expression.js").View} View */
/** @typedef {import("../expression.js").Condition} Condition */

/** One run asks at most so often for the items of a page when a filter throws most away. */
const REQUESTS_MAX = 10;
/** A filter that returns less than this share of what it read is worth a word. */
const SHARE_POOR = 0.2;

/**
 * @typedef {object} Result
 * @property {Item[]} items
 * @property {number} read
 * @property {number} units
 * @property {number} requests
 * @property {number} ms
 * @property {any} next
 * @property {import("../expression.js").Request} request
 */

/** @param {import("../app.js").Visit} visit */
export async function draw({ page, place, signal }) {
  const name = place.path[1] ?? "";
  const table = await describe(name);
  if (signal.aborted) return;
  page.classList.add("fill");
  const explorer = new Explorer(table, viewOf(place.params, table), place.params.get("cols"), signal);
  replace(page, explorer.element);
  // Colours may come after the items.
  entitiesOf(name, keyOf(table, "")).then((entities) => explorer.colour(entities));
  await explorer.run();
}

/**
 * The view that an address means.
 * @param {URLSearchParams} params
 * @param {any} table
 * @returns {View}
 */
function viewOf(params, table) {
  const index = params.get("index") ?? "";
  const list = (/** @type {string} */ name) => {
    try {
      return JSON.parse(params.get(name) ?? "[]").map((/** @type {string[]} */ [attribute = "", operator = "=", type = "S", value = "", second = ""]) => ({ attribute, operator, type, value, second }));
    } catch {
      return [];
    }
  };
  return {
    mode: params.get("mode") === "query" ? "query" : "scan",
    index: indexesOf(table).some((one) => one.IndexName === index) ? index : "",
    keys: list("keys"),
    filters: list("filters"),
    projection: (params.get("attributes") ?? "").split(",").filter(Boolean),
    descending: params.get("order") === "desc",
    consistent: params.get("consistent") === "true",
    limit: Number(params.get("limit")) || 100,
  };
}

/**
 * The address of a view.
 * @param {View} view
 * @param {string[] | null} columns
 */
function paramsOf(view, columns) {
  const params = new URLSearchParams();
  const list = (/** @type {Condition[]} */ all) => JSON.stringify(all.map((one) => [one.attribute, one.operator, one.type, one.value, ...(one.second ? [one.second] : [])]));
  if (view.mode === "query") params.set("mode", "query");
  if (view.index) params.set("index", view.index);
  const keys = view.keys.filter((one) => one.value !== "");
  if (view.mode === "query" && keys.length) params.set("keys", list(keys));
  if (view.filters.length) params.set("filters", list(view.filters));
  if (view.projection.length) params.set("attributes", view.projection.join(","));
  if (view.descending) params.set("order", "desc");
  if (view.consistent) params.set("consistent", "true");
  if (view.limit !== 100) params.set("limit", String(view.limit));
  if (columns) params.set("cols", columns.join(","));
  return params;
}

class Explorer {
  /**
   * @param {any} table
   * @param {View} view
   * @param {string | null} columns
   * @param {AbortSignal} signal
   */
  constructor(table, view, columns, signal) {
    this.table = table;
    this.name = /** @type {string} */ (table.TableName);
    /** @type {Awaited<ReturnType<typeof entitiesOf>> | null} */
    this.entities = null;
    this.legend = h("div", { class: "legend", "aria-label": "Entities", role: "list", hidden: true });
    this.view = view;
    this.columns = columns ? columns.split(",") : this.savedColumns();
    this.signal = signal;
    /** @type {AbortController | null} */
    this.running = null;
    /** @type {Result | null} */
    this.result = null;
    this.keyNames = keyOf(table, "").map((part) => part.name);
    this.question = new Question(table, view, () => this.run());
    this.error = h("p", { class: "error", role: "alert", hidden: true });
    this.summary = h("div", { class: "bar", role: "status" });
    this.hints = h("div", { class: "stack" });
    this.actions = h("div", { class: "buttons" });
    this.more = h("div", { class: "buttons" });
    this.known = h("datalist", { id: "attributes-known" });
    this.grid = new Grid({
      open: (item) => go(["tables", this.name, "items", "edit"], this.keyParams(item)),
      href: (item) => link(["tables", this.name, "items", "edit"], this.keyParams(item)),
      selected: () => this.drawActions(),
      entity: (item) => this.entities?.of(item) ?? null,
    });
    this.element = this.frame();
    this.drawActions();
  }

  frame() {
    const write = session.readOnly ? null : h("a", { class: "button primary", href: link(["tables", this.name, "items", "create"]) }, "Create item");
    return h(
      "div",
      { class: "grid-box" },
      h("div", { class: "crumbs" }, h("a", { href: link(["tables"]) }, "Tables"), "›", h("a", { href: link(["tables", this.name]) }, this.name), "›", h("span", null, "Explore table items")),
      h("div", { class: "head" }, h("h1", null, this.name), h("div", { class: "buttons" }, h("a", { class: "button", href: link(["tables", this.name]) }, "View table details"), write)),
      h("section", { class: "card", "aria-label": "Scan or query items" }, this.question.element, this.error),
      this.hints,
      this.summary,
      this.legend,
      this.actions,
      this.grid.element,
      this.more,
      this.known,
    );
  }

  /** @param {Awaited<ReturnType<typeof entitiesOf>>} entities */
  colour(entities) {
    this.entities = entities;
    this.legend.hidden = !entities.entities.length;
    replace(this.legend, entities.entities.map((one) => h("span", { role: "listitem" }, h("i", { class: `dot e${one.place % 8}` }), one.name)));
    this.grid.redraw();
  }

  /** @param {Item} item */
  keyParams(item) {
    return { key: JSON.stringify(Object.fromEntries(this.keyNames.map((name) => [name, item[name]]))) };
  }

  /** Asks anew. */
  async run() {
    this.error.hidden = true;
    keepQuestion(this.name, paramsOf(this.view, this.columns));
    remember(paramsOf(this.view, this.columns));
    let request;
    try {
      request = build(this.table, this.view);
    } catch (failure) {
      if (this.view.mode === "query" && !this.result && this.view.keys.every((one) => one.value === "")) {
        this.summary.textContent = "Enter a partition key and press Run.";
        return;
      }
      showError(this.error, failure);
      return;
    }
    this.result = { items: [], read: 0, units: 0, requests: 0, ms: 0, next: undefined, request };
    this.grid.selection.clear();
    this.grid.active = -1;
    this.grid.element.scrollTop = 0;
    await this.page(REQUESTS_MAX, this.view.limit);
  }

  /**
   * Goes on until there are so many more items, or so many requests were made.
   * @param {number} requestsMax
   * @param {number} wanted
   */
  async page(requestsMax, wanted) {
    const result = this.result;
    if (!result) return;
    this.running?.abort();
    const running = new AbortController();
    this.running = running;
    this.signal.addEventListener("abort", () => running.abort(), { once: true });
    const before = result.items.length;
    this.summary.textContent = "Running…";
    this.drawActions();
    try {
      for (let requests = 0; requests < requestsMax && result.items.length - before < wanted; requests += 1) {
        await this.once(result, wanted, running.signal);
        if (!result.next) break;
        if (requestsMax === Infinity) this.summary.textContent = `${count(result.items.length)} items so far…`;
      }
    } catch (failure) {
      if (!running.signal.aborted) showError(this.error, failure);
    } finally {
      if (this.running === running) this.running = null;
      if (this.result === result && !this.signal.aborted) this.drawResult();
    }
  }

  /**
   * @param {Result} result
   * @param {number} wanted
   * @param {AbortSignal} signal
   */
  async once(result, wanted, signal) {
    /** @type {Record<string, any>} */
    const body = { ...result.request.body, ReturnConsumedCapacity: "TOTAL" };
    // A limit counts what is read, so with a filter it would only make more requests of the same cost.
    if (!body.FilterExpression && Number.isFinite(wanted)) body.Limit = wanted;
    if (result.next) body.ExclusiveStartKey = result.next;
    const began = performance.now();
    const answer = await call(result.request.operation, body, signal);
    result.ms += performance.now() - began;
    result.requests += 1;
    for (const item of answer.Items ?? []) result.items.push(item);
    result.read += answer.ScannedCount ?? 0;
    result.units += answer.ConsumedCapacity?.CapacityUnits ?? 0;
    result.next = answer.LastEvaluatedKey;
  }

  drawResult() {
    const result = this.result;
    if (!result) return;
    const known = columnsOf(result.items.slice(0, 2000), keyOf(this.table, this.view.index).map((part) => part.name).concat(this.keyNames).filter((one, place, all) => all.indexOf(one) === place));
    const columns = this.columns ? this.columns.filter((one) => known.includes(one)) : known;
    this.grid.show(result.items, columns.length ? columns : known);
    replace(this.known, known.map((one) => h("option", { value: /[.[\]"]/.test(one) ? JSON.stringify(one) : one })));
    replace(
      this.summary,
      h("span", null, h("b", null, many(result.items.length, "item")), " returned"),
      h("span", null, `${count(result.read)} read`),
      h("span", null, `${units(result.units)} capacity units`),
      h("span", null, `${many(result.requests, "request")}, ${Math.round(result.ms)} ms`),
      result.items.length ? null : h("span", null, this.table.ItemCount ? "Nothing fits what was asked." : "The table has no items yet."),
    );
    replace(this.hints, this.hintOf(result));
    replace(
      this.more,
      result.next ? [button("Retrieve next page", () => this.page(REQUESTS_MAX, this.view.limit)), button("Retrieve all", () => this.page(Infinity, Infinity))] : null,
    );
    this.drawActions();
  }

  /** @param {Result} result */
  hintOf(result) {
    const isFiltered = Boolean(result.request.body.FilterExpression);
    if (!isFiltered || result.read < 10 || result.items.length / result.read >= SHARE_POOR) return null;
    const lost = Math.round((1 - result.items.length / result.read) * 100);
    const better = this.betterSource();
    return h(
      "p",
      { class: "hint" },
      `The filter threw away ${lost} % of the ${count(result.read)} items that were read and paid for. `,
      better
        ? button(`Query ${better.index ? `the index ${better.index}` : "the table"} instead`, () => {
            Object.assign(this.view, better.view);
            this.question.draw();
            this.run();
          }, { class: "quiet" })
        : "A query reads only what it returns: an index whose key is what you filter by would make it one.",
    );
  }

  /** A key that the filters would fit. */
  betterSource() {
    const equal = this.view.filters.filter((one) => one.operator === "=");
    for (const index of ["", ...indexesOf(this.table).map((one) => one.IndexName)]) {
      const key = keyOf(this.table, index);
      const hash = key.filter((part) => part.hash);
      if (this.view.mode === "query" && index === this.view.index) continue;
      if (hash.length && hash.every((part) => equal.some((one) => one.attribute === part.name && one.type === part.type))) {
        const used = hash.map((part) => part.name);
        const keys = equal.filter((one) => used.includes(one.attribute));
        return { index, view: { mode: "query", index, keys, filters: this.view.filters.filter((one) => !keys.includes(one)) } };
      }
    }
    return null;
  }

  drawActions() {
    const chosen = this.grid.selection.size;
    const items = this.result?.items ?? [];
    replace(
      this.actions,
      this.running ? button("Stop", () => this.running?.abort()) : null,
      button("Columns", () => this.chooseColumns(), { disabled: !items.length }),
      button("Show code", () => this.showCode(), { disabled: !this.result }),
      button("Export", () => this.export(), { disabled: !items.length }),
      session.readOnly ? null : button("Import", () => this.import()),
      chosen === 1 && !session.readOnly ? button("Duplicate", () => go(["tables", this.name, "items", "create"], this.keyParams(/** @type {Item} */ ([...this.grid.selection][0])))) : null,
      chosen && !session.readOnly ? button(`Delete ${many(chosen, "item")}`, () => this.delete(), { class: "danger" }) : null,
      chosen ? h("span", { class: "dim" }, `${count(chosen)} selected`) : null,
    );
  }

  async export() {
    const { openExport } = await import("./transfer.js");
    const chosen = [...this.grid.selection];
    openExport(this.name, chosen.length ? chosen : this.grid.items, this.grid.columns);
  }

  async import() {
    const { openImport } = await import("./transfer.js");
    openImport(this.table, () => this.run());
  }

  showCode() {
    const request = this.result?.request;
    if (!request) return;
    let language = "cli";
    dialog("The request in code", (close) => {
      const code = h("pre", { class: "code", tabindex: "0" });
      const fill = () => {
        code.textContent = spell(language, request, session.endpoint);
      };
      fill();
      return [
        segments("Language", LANGUAGES, language, (chosen) => {
          language = chosen;
          fill();
        }),
        code,
        h("div", { class: "buttons end" }, button("Copy", () => copy(code.textContent ?? "")), button("Close", close)),
      ];
    }, { wide: true });
  }

  savedColumns() {
    try {
      const saved = localStorage.getItem(`larder-columns-${this.name}`);
      return saved ? /** @type {string[]} */ (JSON.parse(saved)) : null;
    } catch {
      return null;
    }
  }

  chooseColumns() {
    const known = columnsOf(this.result?.items ?? [], this.keyNames);
    const first = (this.columns ?? known).filter((one) => known.includes(one));
    let order = [...first, ...known.filter((one) => !first.includes(one))];
    const chosen = new Set(first);
    dialog("Columns", (close) => {
      const list = h("div", { class: "stack" });
      const move = (/** @type {number} */ place, /** @type {number} */ step) => {
        const to = place + step;
        if (to < 0 || to >= order.length) return;
        order = order.toSpliced(place, 1).toSpliced(to, 0, /** @type {string} */ (order[place]));
        fill();
      };
      const fill = () =>
        replace(
          list,
          order.map((name, place) =>
            h(
              "div",
              { class: "row" },
              checkbox(name, chosen.has(name), (isOn) => (isOn ? chosen.add(name) : chosen.delete(name))),
              h("div", { class: "buttons" }, button("Up", () => move(place, -1), { class: "quiet", "aria-label": `Move ${name} up` }), button("Down", () => move(place, 1), { class: "quiet", "aria-label": `Move ${name} down` })),
            ),
          ),
        );
      fill();
      const save = (/** @type {string[] | null} */ columns) => {
        this.columns = columns;
        try {
          if (columns) localStorage.setItem(`larder-columns-${this.name}`, JSON.stringify(columns));
          else localStorage.removeItem(`larder-columns-${this.name}`);
        } catch {
          // Then the choice lives in the address alone.
        }
        remember(paramsOf(this.view, this.columns));
        this.drawResult();
        close();
      };
      return [
        list,
        h(
          "div",
          { class: "buttons end" },
          button("All, as they come", () => save(null)),
          button("Cancel", close),
          button("Show these", () => save(order.filter((one) => chosen.has(one))), { class: "primary" }),
        ),
      ];
    });
  }

  /** Deletes the chosen items, but none that somebody has changed since it was read. */
  delete() {
    const items = [...this.grid.selection];
    dialog(`Delete ${many(items.length, "item")}?`, (close) => {
      const error = h("p", { class: "error", role: "alert", hidden: true });
      const act = button("Delete", async () => {
        act.disabled = true;
        let kept = 0;
        try {
          await each(items, 8, async (item) => {
            const key = Object.fromEntries(this.keyNames.map((name) => [name, item[name]]));
            try {
              await call("DeleteItem", { TableName: this.name, Key: key, ...unchanged(item) });
            } catch (failure) {
              if (/** @type {any} */ (failure).kind !== "ConditionalCheckFailedException") throw failure;
              kept += 1;
            }
          });
        } catch (failure) {
          error.hidden = false;
          error.textContent = messageOf(failure);
          act.disabled = false;
          return;
        }
        close();
        notify(
          kept ? `${many(kept, "item")} changed since they were read and were not deleted. Look at them again.` : `${many(items.length, "item")} deleted`,
          kept ? "bad" : "good",
        );
        this.run();
      }, { class: "danger", type: "submit" });
      return [h("p", null, "This cannot be undone."), error, h("div", { class: "buttons end" }, button("Cancel", close), act)];
    });
  }
}
