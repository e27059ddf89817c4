// Live traffic: each request as it is served, with who asked, what it cost and how long it took.

import { get } from "../api.js";
import { button, checkbox, h, replace } from "../dom.js";
import { clock, count, duration, size, units } from "../format.js";
import { link, remember } from "../route.js";

/** So many requests are kept in the list. */
const ROWS_MAX = 500;
/** What the server calls our own requests. */
const CONSOLE = "Larder console";

/** @param {import("../app.js").Visit} visit */
export async function draw({ page, place, signal }) {
  /** @type {any[]} */
  let all = [];
  let isPaused = false;
  let isOwnShown = place.params.get("console") === "true";
  const find = h("input", { type: "search", placeholder: "Operation, table, index, caller or error", "aria-label": "Find requests", value: place.params.get("find") ?? "" });
  const body = h("tbody");
  const state = h("span", { class: "dim", role: "status" });
  const fits = (/** @type {any} */ one) => {
    if (!isOwnShown && one.own) return false;
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    const text = `${one.operation ?? ""} ${one.table} ${one.index} ${one.caller ?? ""} ${one.agent} ${one.error ?? ""} ${one.status}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const fill = () => {
    const shown = all.filter(fits);
    replace(body, shown.slice(0, 200).map(row));
    state.textContent = `${count(shown.length)} of the last ${count(all.length)} requests${isPaused ? ", paused" : ""}`;
  };
  const note = () => {
    const params = new URLSearchParams();
    if (find.value) params.set("find", find.value);
    if (isOwnShown) params.set("console", "true");
    remember(params);
    fill();
  };
  find.addEventListener("input", note);
  const pause = button("Pause", () => {
    isPaused = !isPaused;
    pause.textContent = isPaused ? "Go on" : "Pause";
    fill();
  });
  replace(
    page,
    h("div", { class: "head" }, h("h1", null, "Live traffic"), h("div", { class: "buttons" }, pause, button("Clear", () => {
      all = [];
      fill();
    }))),
    h("div", { class: "row" }, h("div", { class: "field wide" }, find), checkbox("Show the console's own requests", isOwnShown, (isOn) => {
      isOwnShown = isOn;
      note();
    })),
    state,
    h(
      "div",
      { class: "scroll" },
      h("table", { class: "list tight" }, h("thead", null, h("tr", null, ["Time", "Operation", "Table", "Index", "Status", "Units", "Latency", "Caller", "Sent", "Answered"].map((text) => h("th", { scope: "col", class: ["Units", "Latency", "Sent", "Answered"].includes(text) ? "num" : "" }, text)))), body),
    ),
  );
  fill();
  let after = 0;
  const follow = async () => {
    while (!signal.aborted) {
      try {
        const answer = await get(`traffic?after=${after}`, signal);
        after = answer.after;
        if (isPaused || !answer.requests.length) continue;
        const fresh = answer.requests.map((/** @type {any} */ one) => ({ ...one, own: one.agent === CONSOLE }));
        all = [...fresh.reverse(), ...all].slice(0, ROWS_MAX);
        fill();
      } catch {
        if (signal.aborted) return;
        state.textContent = "The server does not answer; trying again.";
      }
      // A busy server would otherwise be asked without pause.
      await new Promise((resolve) => setTimeout(resolve, 400));
    }
  };
  follow();
}

/** @param {any} one */
function row(one) {
  const isGood = one.status < 400;
  return h(
    "tr",
    null,
    h("td", null, `${clock(one.at)}.${String(one.at % 1000).padStart(3, "0")}`),
    h("td", { class: "name" }, one.operation ?? "–"),
    h("td", null, one.table ? h("a", { href: link(["tables", one.table]) }, one.table) : "–"),
    h("td", null, one.index || "–"),
    h("td", null, h("span", { class: `badge ${isGood ? "good" : "bad"}`, title: one.message }, isGood ? one.status : `${one.status} ${one.error ?? ""}`)),
    h("td", { class: "num" }, one.units ? units(one.units) : "–"),
    h("td", { class: "num" }, duration(one.micros)),
    h("td", null, one.caller ?? "–", " ", h("span", { class: "dim", title: one.agent }, shortAgent(one.agent))),
    h("td", { class: "num" }, size(one.requestBytes)),
    h("td", { class: "num" }, size(one.answerBytes)),
  );
}

/** @param {string} agent */
function shortAgent(agent) {
  return agent.length > 40 ? `${agent.slice(0, 40)}…` : agent;
}
