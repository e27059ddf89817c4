// Explore items without a table chosen yet: the tables to choose from.

import { tableNames } from "../api.js";
import { h, replace } from "../dom.js";
import { go, link } from "../route.js";

/** @param {import("../app.js").Visit} visit */
export async function draw({ page, signal }) {
  const names = await tableNames();
  if (signal.aborted) return;
  const only = names.length === 1 ? names[0] : undefined;
  if (only !== undefined) {
    go(["tables", only, "items"]);
    return;
  }
  const list = h("div", { class: "found" });
  const find = h("input", { type: "search", placeholder: "Find tables", "aria-label": "Find tables" });
  const fill = () => {
    const found = names.filter((name) => name.toLowerCase().includes(find.value.toLowerCase()));
    replace(list, found.map((name) => h("a", { href: link(["tables", name, "items"]) }, name)), found.length ? null : h("p", { class: "dim" }, "No table has this name."));
  };
  find.addEventListener("input", fill);
  fill();
  replace(
    page,
    h("h1", null, "Explore items"),
    names.length ? [h("p", { class: "dim" }, "Choose a table."), find, list] : h("p", null, "There are no tables yet. ", h("a", { href: link(["create-table"]) }, "Create table")),
  );
}
