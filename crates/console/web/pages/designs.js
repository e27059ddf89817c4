// Designs: entities and their keys, which pattern is served by which index, what it costs, and whether it holds when
// it is run against this database.

import { forgetDesigns, get, post, session, tableNames } from "../api.js";
import { LANGUAGES } from "../code.js";
import { button, copy, dialog, field, h, messageOf, notify, replace, segments, select } from "../dom.js";
import { count, dollars, many, units } from "../format.js";
import { link, remember } from "../route.js";

/** @param {import("../app.js").Visit} visit */
export async function draw({ page, place, signal }) {
  forgetDesigns();
  const [{ designs }, names] = await Promise.all([get("designs"), tableNames()]);
  if (signal.aborted) return;
  const wanted = place.path[1];
  if (wanted === undefined) {
    list(page, designs, new Set(names));
    return;
  }
  const design = designs.find((/** @type {any} */ one) => one.name === wanted);
  if (!design) throw new Error("There is no design of this name.");
  new Page(page, design, new Set(names), place.params);
}

/**
 * @param {HTMLElement} page
 * @param {any[]} designs
 * @param {Set<string>} tables
 */
function list(page, designs, tables) {
  const row = (/** @type {any} */ design) => {
    const first = design.environments[0];
    const missing = (first?.tables ?? []).filter((/** @type {any} */ one) => !tables.has(one.name));
    return h(
      "tr",
      null,
      h("td", { class: "name" }, h("a", { href: link(["designs", design.name]) }, design.name), h("div", { class: "dim" }, design.description ?? design.failure ?? "")),
      h("td", null, design.wrong ? h("span", { class: "badge bad" }, "Has errors") : missing.length ? h("span", { class: "badge warn" }, "Not deployed") : h("span", { class: "badge good" }, "Deployed")),
      h("td", { class: "num" }, count(design.entities?.length ?? 0)),
      h("td", { class: "num" }, count(first?.patterns.length ?? 0)),
      h("td", { class: "num" }, first?.cost ? dollars(first.cost.total) : "–"),
      h("td", null, h("code", null, design.file)),
    );
  };
  replace(
    page,
    h("h1", null, "Designs"),
    designs.length
      ? h("div", { class: "scroll" }, h("table", { class: "list" }, h("thead", null, h("tr", null, ["Design", "Status", "Entities", "Access patterns", "A month", "File"].map((text) => h("th", { scope: "col", class: ["Entities", "Access patterns", "A month"].includes(text) ? "num" : "" }, text)))), h("tbody", null, designs.map(row))))
      : h("div", { class: "empty card" }, h("h2", null, "No designs are loaded"), h("p", null, "A design file says which entities a table holds, how they are keyed, and which access patterns must work. Start one in an empty folder, then show the folder to the server:"), h("pre", { class: "code" }, "mkdir designs && cd designs && larder design init && cd ..\nlarder serve --designs designs")),
  );
}

class Page {
  /**
   * @param {HTMLElement} page
   * @param {any} design
   * @param {Set<string>} tables
   * @param {URLSearchParams} params
   */
  constructor(page, design, tables, params) {
    this.page = page;
    this.design = design;
    this.tables = tables;
    this.environment = design.environments.find((/** @type {any} */ one) => one.name === params.get("environment")) ?? design.environments[0];
    /** @type {Map<string, any>} */
    this.reports = new Map();
    this.draw();
  }

  draw() {
    const { design } = this;
    const environments = design.environments.map((/** @type {any} */ one) => [one.name, one.name]);
    const chosen = select(environments, this.environment?.name ?? "");
    chosen.addEventListener("change", () => {
      this.environment = design.environments.find((/** @type {any} */ one) => one.name === chosen.value);
      remember(new URLSearchParams({ environment: chosen.value }));
      this.reports.clear();
      this.draw();
    });
    const missing = (this.environment?.tables ?? []).filter((/** @type {any} */ one) => !this.tables.has(one.name));
    const canAct = this.environment && !session.readOnly;
    this.runAll = button("Run all patterns", () => this.run(), { class: "primary", disabled: missing.length > 0 });
    replace(
      this.page,
      h("div", { class: "crumbs" }, h("a", { href: link(["designs"]) }, "Designs"), "›", h("span", null, design.name)),
      h(
        "div",
        { class: "head" },
        h("h1", null, design.name),
        h("div", { class: "buttons" }, canAct ? button("Deploy and seed", () => this.deploy(), { class: missing.length ? "primary" : "" }) : null, canAct ? this.runAll : null),
      ),
      design.description ? h("p", null, design.description) : null,
      missing.length ? h("p", { class: "hint" }, `Not deployed here yet: ${missing.map((/** @type {any} */ one) => one.name).join(", ")}. Deploy and seed makes the tables and writes the samples; items that are there stay as they are.`) : null,
      design.environments.length > 1 ? h("div", { class: "row" }, field("Environment", chosen, { class: "narrow" })) : null,
      this.findings(),
      this.environment ? [this.patterns(), this.coverage(), this.entities(), this.costs()] : null,
    );
  }

  findings() {
    const found = this.design.found;
    if (this.design.failure) return h("p", { class: "error" }, `${this.design.file} cannot be read: ${this.design.failure}`);
    if (!found.length) return null;
    return h(
      "details",
      { class: "card", open: this.design.wrong },
      h("summary", null, `What the check found (${found.length})`),
      h("div", { class: "scroll" }, h("table", { class: "list" }, h("tbody", null, found.map((/** @type {any} */ one) => h("tr", null, h("td", null, h("span", { class: `badge ${one.severity === "error" ? "bad" : one.severity === "warning" ? "warn" : ""}` }, one.severity)), h("td", null, `Line ${one.line}`), h("td", null, one.message, one.hint ? h("div", { class: "dim" }, one.hint) : null), h("td", null, one.code)))))),
    );
  }

  patterns() {
    const patterns = this.environment.patterns;
    const done = [...this.reports.values()];
    const passed = done.filter((one) => one.passed).length;
    return h(
      "section",
      { class: "card" },
      h("div", { class: "head" }, h("h2", null, `Access patterns (${patterns.length})`), done.length ? h("span", { class: `badge ${passed === done.length ? "good" : "bad"}`, role: "status" }, `${passed} of ${done.length} passed`) : null),
      h(
        "div",
        { class: "scroll" },
        h(
          "table",
          { class: "list" },
          h("thead", null, h("tr", null, ["Pattern", "Operation", "Reads", "Units", "A month", "Result"].map((text) => h("th", { scope: "col", class: text === "Units" || text === "A month" ? "num" : "" }, text)), h("td"))),
          h("tbody", null, patterns.map((/** @type {any} */ one) => this.patternRow(one))),
        ),
      ),
    );
  }

  /** @param {any} pattern */
  patternRow(pattern) {
    const report = this.reports.get(pattern.name);
    const first = pattern.steps[0];
    const cost = pattern.cost;
    return h(
      "tr",
      null,
      h("td", { class: "name" }, pattern.name, h("div", { class: "dim" }, pattern.description ?? "")),
      h("td", null, pattern.steps.map((/** @type {any} */ one) => one.operation).join(" → ")),
      h("td", null, first?.index ?? "Table", h("div", { class: "dim mono" }, first?.words ?? "")),
      h("td", { class: "num" }, cost ? units(cost.read + cost.write) : "–"),
      h("td", { class: "num" }, cost ? dollars(cost.dollars) : "–"),
      h("td", null, report ? this.outcome(report) : h("span", { class: "badge" }, "Not run")),
      h(
        "td",
        null,
        h(
          "div",
          { class: "buttons" },
          session.readOnly ? null : button("Run", () => this.run(pattern.name), { "aria-label": `Run ${pattern.name}` }),
          pattern.steps.length ? button("Code", () => showCode(pattern), { "aria-label": `Show code of ${pattern.name}` }) : null,
        ),
      ),
    );
  }

  /** @param {any} report */
  outcome(report) {
    return [
      h("span", { class: `badge ${report.passed ? "good" : "bad"}` }, report.passed ? "Pass" : "Fail"),
      h("div", { class: "dim" }, `${many(report.itemsReturned, "item")}, ${units(report.units)} units`),
      report.differences.map((/** @type {string} */ text) => h("div", { class: "error" }, text)),
    ];
  }

  /** @param {string} [pattern] */
  async run(pattern) {
    if (this.runAll) this.runAll.disabled = true;
    try {
      const answer = await post("designs/run", { design: this.design.name, environment: this.environment.name, pattern });
      for (const report of answer.reports) this.reports.set(report.pattern, report);
    } catch (failure) {
      notify(messageOf(failure), "bad");
    }
    this.draw();
  }

  async deploy() {
    try {
      const answer = await post("designs/deploy", { design: this.design.name, environment: this.environment.name });
      notify(`${many(answer.steps.length, "step")} done, ${count(answer.written)} of ${many(answer.samples, "sample")} written`, "good");
      this.tables = new Set(await tableNames());
    } catch (failure) {
      notify(messageOf(failure), "bad");
    }
    this.draw();
  }

  /** Which pattern uses the table or which index. */
  coverage() {
    const sources = this.environment.tables.flatMap((/** @type {any} */ table) => [
      { table: table.name, index: null, label: table.name, key: table.key },
      ...table.indexes.map((/** @type {any} */ index) => ({ table: table.name, index: index.name, label: index.name, key: index.key, local: index.local })),
    ]);
    const uses = (/** @type {any} */ pattern, /** @type {any} */ source) => pattern.steps.filter((/** @type {any} */ step) => step.table === source.table && (step.index ?? null) === source.index);
    const isUsed = (/** @type {any} */ source) => this.environment.patterns.some((/** @type {any} */ pattern) => uses(pattern, source).length);
    return h(
      "section",
      { class: "card" },
      h("h2", null, "Coverage: patterns and indexes"),
      h(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": "Coverage of patterns and indexes" },
        h(
          "table",
          { class: "matrix" },
          h("thead", null, h("tr", null, h("th", { scope: "col" }, "Pattern"), sources.map((/** @type {any} */ source) => h("th", { scope: "col" }, source.label, h("div", null, source.key.map((/** @type {any} */ part) => h("span", { class: "chip" }, part.name))), isUsed(source) ? null : h("span", { class: "badge warn" }, "no pattern"))))),
          h("tbody", null, this.environment.patterns.map((/** @type {any} */ pattern) => h("tr", null, h("th", { scope: "row" }, pattern.name), sources.map((/** @type {any} */ source) => h("td", { class: "mark" }, uses(pattern, source).map((/** @type {any} */ step) => step.operation).join(", ") || "·"))))),
        ),
      ),
    );
  }

  entities() {
    const tables = new Map(this.environment.tables.map((/** @type {any} */ one) => [one.id, one.name]));
    /** @type {Map<string, number>} */
    const places = new Map();
    const rows = this.design.entities.map((/** @type {any} */ entity) => {
      const place = places.get(entity.table) ?? 0;
      places.set(entity.table, place + 1);
      const name = tables.get(entity.table) ?? entity.table;
      return h(
        "tr",
        null,
        h("td", { class: "name" }, h("i", { class: `dot e${place % 8}` }), entity.name, h("div", { class: "dim" }, entity.description ?? "")),
        h("td", null, h("a", { href: link(["tables", name, "items"]) }, name)),
        h("td", null, h("span", { class: "chip" }, entity.pk), entity.sk ? h("span", { class: "chip" }, entity.sk) : null),
        h("td", null, entity.mappings.map((/** @type {any} */ one) => h("div", null, `${one.index}: `, [...one.pk, ...one.sk].map((text) => h("span", { class: "chip" }, text)), one.when ? h("small", null, `when ${one.when}`) : null))),
        h("td", null, entity.fields.map((/** @type {any} */ one) => `${one.name}${one.required ? "" : "?"}`).join(", ")),
      );
    });
    return h(
      "section",
      { class: "card" },
      h("h2", null, `Entities (${this.design.entities.length})`),
      h("div", { class: "scroll" }, h("table", { class: "list" }, h("thead", null, h("tr", null, ["Entity", "Table", "Key", "Index keys", "Fields"].map((text) => h("th", { scope: "col" }, text)))), h("tbody", null, rows))),
    );
  }

  costs() {
    const cost = this.environment.cost;
    if (!cost) return null;
    return h(
      "section",
      { class: "card" },
      h("h2", null, "Costs a month"),
      h(
        "dl",
        { class: "facts" },
        [
          ["As the design says", dollars(cost.total)],
          ["All on-demand", dollars(cost.onDemand)],
          ["All provisioned", dollars(cost.provisioned)],
          ["Prices", `${cost.region}, ${cost.date}`],
        ].map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value))),
      ),
      h(
        "div",
        { class: "scroll" },
        h("table", { class: "list" }, h("thead", null, h("tr", null, h("th", { scope: "col" }, "Table"), ["Items", "Storage (GB)", "Requests", "Storage", "Recovery"].map((text) => h("th", { class: "num", scope: "col" }, text)))), h("tbody", null, cost.tables.map((/** @type {any} */ one) => h("tr", null, h("td", { class: "name" }, one.id), h("td", { class: "num" }, count(Math.round(one.items))), h("td", { class: "num" }, one.gigabytes.toFixed(3)), h("td", { class: "num" }, dollars(one.provisionedMode ? one.provisioned : one.onDemand)), h("td", { class: "num" }, dollars(one.storage)), h("td", { class: "num" }, one.recovery === null ? "–" : dollars(one.recovery)))))),
      ),
      cost.notes.length ? h("details", null, h("summary", null, "What was assumed"), h("ul", null, cost.notes.map((/** @type {string} */ text) => h("li", null, text)))) : null,
    );
  }
}

/** @param {any} pattern */
function showCode(pattern) {
  dialog(`${pattern.name} in code`, (close) => {
    const code = h("pre", { class: "code", tabindex: "0" });
    const fill = (/** @type {string} */ language) => {
      code.textContent = pattern.steps.map((/** @type {any} */ step) => (language === "json" ? JSON.stringify(step.body, null, 2) : step.code[language])).join("\n\n");
    };
    fill("cli");
    return [segments("Language", LANGUAGES, "cli", fill), code, h("div", { class: "buttons end" }, button("Copy", () => copy(code.textContent ?? "")), button("Close", close))];
  }, { wide: true });
}
