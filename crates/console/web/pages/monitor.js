// Monitor: requests, latency, capacity, errors and throttles over time, of one table or of the whole server.

import { get } from "../api.js";
import { h, replace, segments } from "../dom.js";
import { count, duration, units } from "../format.js";
import { drawPlot } from "../plot.js";
import { remember } from "../route.js";

/** @typedef {import("../app.js").Visit} Visit */

/** How often the figures are asked for. */
const PAUSE_MS = 2000;

/** @param {Visit} visit */
export async function draw({ page, place, signal }) {
  const inside = h("div", { class: "stack" });
  replace(page, h("h1", null, "Monitor"), inside);
  drawPlots(inside, "", place, signal);
}

/**
 * @param {HTMLElement} page
 * @param {string} table empty for the whole server
 * @param {import("../route.js").Place} place
 * @param {AbortSignal} signal
 */
export function drawPlots(page, table, place, signal) {
  let span = place.params.get("span") === "hours" ? "hours" : "minutes";
  const plots = ["Requests a second", "Latency", "Capacity units a second", "Errors and throttles"].map(() => h("section", { class: "card plot" }));
  const operations = h("section", { class: "card" });
  const choose = segments("Span", [["minutes", "5 minutes"], ["hours", "3 hours"]], span, (chosen) => {
    span = chosen;
    remember(new URLSearchParams(span === "hours" ? { span } : {}));
    refresh();
  });
  replace(page, h("div", { class: "head" }, choose, h("span", { class: "dim" }, table ? "Requests that name this table" : "Every request to this server")), h("div", { class: "plots" }, plots), table ? null : operations);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const refresh = async () => {
    clearTimeout(timer);
    try {
      const answer = await get(`metrics?span=${span}&table=${encodeURIComponent(table)}`, signal);
      if (signal.aborted) return;
      fill(plots, answer);
      if (!table) replace(operations, operationTable(answer.operations));
    } catch {
      if (signal.aborted) return;
    }
    timer = setTimeout(refresh, PAUSE_MS);
  };
  signal.addEventListener("abort", () => clearTimeout(timer));
  refresh();
}

/**
 * @param {HTMLElement[]} places
 * @param {any} answer
 */
function fill(places, answer) {
  // The step that is not over yet would always look like a fall.
  const steps = answer.steps.slice(0, -1);
  const times = steps.map((/** @type {any} */ one) => one.at);
  const perSecond = 1000 / answer.stepMs;
  const row = (/** @type {string} */ name, factor = 1) => steps.map((/** @type {any} */ one) => (one[name] === null ? null : one[name] * factor));
  const [requests, latency, capacity, errors] = /** @type {[HTMLElement, HTMLElement, HTMLElement, HTMLElement]} */ (places);
  drawPlot(requests, { title: "Requests a second", times, series: [{ name: "requests", values: row("requests", perSecond) }], show: units, isArea: true });
  drawPlot(latency, { title: "Latency", times, series: [{ name: "p50", values: row("p50") }, { name: "p90", values: row("p90") }, { name: "p99", values: row("p99") }], show: duration });
  drawPlot(capacity, { title: "Capacity units a second", times, series: [{ name: "read", values: row("readUnits", perSecond) }, { name: "write", values: row("writeUnits", perSecond) }], show: units });
  drawPlot(errors, {
    title: "Errors and throttles",
    times,
    series: [{ name: "caller's errors", values: row("userErrors") }, { name: "server's errors", values: row("systemErrors") }, { name: "throttles", values: row("throttles") }],
    show: units,
  });
}

/** @param {any[]} operations */
function operationTable(operations) {
  if (!operations.length) return [h("h2", null, "Operations since the start"), h("p", { class: "dim" }, "Nothing has been asked yet.")];
  const sorted = [...operations].sort((one, other) => other.requests - one.requests);
  return [
    h("h2", null, "Operations since the start"),
    h(
      "div",
      { class: "scroll" },
      h(
        "table",
        { class: "list" },
        h("thead", null, h("tr", null, h("th", { scope: "col" }, "Operation"), ["Requests", "Errors", "Capacity units", "p50", "p90", "p99"].map((text) => h("th", { class: "num", scope: "col" }, text)))),
        h("tbody", null, sorted.map((one) => h("tr", null, h("td", { class: "name" }, one.operation), h("td", { class: "num" }, count(one.requests)), h("td", { class: "num" }, count(one.errors)), h("td", { class: "num" }, units(one.units)), h("td", { class: "num" }, duration(one.p50)), h("td", { class: "num" }, duration(one.p90)), h("td", { class: "num" }, duration(one.p99))))),
      ),
    ),
  ];
}
