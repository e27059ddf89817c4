// The beginning: which page an address means. Pages other than the first are fetched when they are wanted.

import { askTableNames } from "./api.js";
import { h, messageOf, replace } from "./dom.js";
import * as tables from "./pages/tables.js";
import { here, link } from "./route.js";
import { drawSide, main, start } from "./shell.js";

/** @typedef {{page: HTMLElement, place: import("./route.js").Place, signal: AbortSignal}} Visit */

/** @type {AbortController} */
let visit = new AbortController();

/**
 * @param {string[]} path
 * @returns {Promise<{draw: (visit: Visit) => Promise<void>}>}
 */
function pageOf(path) {
  const [first = "tables", name, part] = path;
  if (first === "tables" && name === undefined) return Promise.resolve(tables);
  if (first === "create-table") return import("./pages/create-table.js");
  if (first === "tables" && part === "items" && path[3]) return import("./pages/item.js");
  if (first === "tables" && part === "items") return import("./pages/explore.js");
  if (first === "tables") return import("./pages/table.js");
  if (first === "items") return import("./pages/choose.js");
  if (first === "backups") return import("./pages/backups.js");
  if (first === "monitor") return import("./pages/monitor.js");
  if (first === "traffic") return import("./pages/traffic.js");
  if (first === "designs") return import("./pages/designs.js");
  return Promise.reject(new Error("There is no such page."));
}

async function show() {
  visit.abort();
  visit = new AbortController();
  const { signal } = visit;
  const place = here();
  drawSide();
  main.classList.remove("fill");
  main.setAttribute("aria-busy", "true");
  const page = h("div", { class: "stack page" });
  try {
    const { draw } = await pageOf(place.path);
    if (signal.aborted) return;
    document.title = [...place.path.slice(1, 2), "Larder"].join(" – ");
    main.scrollTop = 0;
    await draw({ page: main, place, signal });
  } catch (failure) {
    if (signal.aborted) return;
    replace(page, h("h1", null, "This page cannot be shown"), h("p", { class: "error", role: "alert" }, messageOf(failure)), h("p", null, h("a", { href: link(["tables"]) }, "All tables")));
    replace(main, page);
  } finally {
    if (!signal.aborted) main.removeAttribute("aria-busy");
  }
}

if ((here().path[0] ?? "tables") === "tables" && here().path.length < 2) askTableNames();
start();
addEventListener("hashchange", show);
show();
