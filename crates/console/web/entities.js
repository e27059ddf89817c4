// Which entity of a design an item is, told by its keys. Knows how templates are written.

import { loadedDesigns } from "./api.js";

/** @typedef {import("./values.js").Item} Item */
/** @typedef {{name: string, design: string, place: number}} Found */

/**
 * A way to tell the entities of a table's items apart, and the entities there are.
 * @param {string} table
 * @param {import("./expression.js").KeyPart[]} key
 * @returns {Promise<{entities: Found[], of: (item: Item) => Found | null}>}
 */
export async function entitiesOf(table, key) {
  const designs = await loadedDesigns();
  /** @type {Array<{found: Found, tests: Array<[string, RegExp]>, weight: number}>} */
  const rules = [];
  for (const design of designs) {
    const ids = new Set(
      design.environments.flatMap((/** @type {any} */ one) => one.tables).filter((/** @type {any} */ one) => one.name === table).map((/** @type {any} */ one) => one.id),
    );
    for (const entity of design.entities ?? []) {
      if (!ids.has(entity.table) || rules.some((rule) => rule.found.name === entity.name)) continue;
      const hash = key.find((part) => part.hash)?.name ?? "";
      const range = key.find((part) => !part.hash)?.name;
      /** @type {Array<[string, RegExp]>} */
      const tests = [[hash, pattern(entity.pk)]];
      if (range && entity.sk) tests.push([range, pattern(entity.sk)]);
      const weight = literals(entity.pk) + literals(entity.sk ?? "");
      rules.push({ found: { name: entity.name, design: design.name, place: rules.length }, tests, weight });
    }
  }
  const entities = rules.map((rule) => rule.found);
  // Where two templates fit, the one that says more is meant.
  rules.sort((one, other) => other.weight - one.weight);
  return {
    entities,
    of: (item) => rules.find((rule) => rule.tests.every(([name, test]) => test.test(textOf(item, name))))?.found ?? null,
  };
}

/**
 * @param {Item} item
 * @param {string} name
 */
function textOf(item, name) {
  const value = item[name];
  return value?.S ?? value?.N ?? "";
}

/** @param {string} template */
function pattern(template) {
  const parts = template.split(/\{[^}]*\}/).map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("(.+)")}$`, "s");
}

/** @param {string} template */
function literals(template) {
  return template.replace(/\{[^}]*\}/g, "").length;
}
