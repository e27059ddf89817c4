// The frame round every page: navigation, search, colours, keys. Knows the pages by their addresses only.

import { session, tableNames, loadedDesigns } from "./api.js";
import { button, dialog, h, replace } from "./dom.js";
import { go, here, link } from "./route.js";

const PAGES = /** @type {Array<[string, string, string]>} */ ([
  ["tables", "Tables", "t"],
  ["items", "Explore items", "e"],
  ["backups", "Backups", "b"],
  ["monitor", "Monitor", "m"],
  ["traffic", "Live traffic", "l"],
  ["designs", "Designs", "d"],
]);

const side = h("nav", { class: "side", "aria-label": "Pages" });
/** Where pages are drawn. */
export const main = h("main", { id: "main", tabindex: "-1" });

/** Draws the frame. */
export function start() {
  const menu = button("Menu", () => {
    const isOpen = side.classList.toggle("open");
    menu.setAttribute("aria-expanded", String(isOpen));
  }, { class: "menu icon", "aria-expanded": "false" });
  const theme = button("", switchTheme, { class: "icon", title: "Switch between light and dark" });
  const showTheme = () => {
    theme.textContent = isDark() ? "Light" : "Dark";
  };
  showTheme();
  document.addEventListener("larder-theme", showTheme);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showTheme);
  replace(
    /** @type {HTMLElement} */ (document.getElementById("app")),
    h("a", { class: "skip", href: "#main", onclick: (/** @type {Event} */ event) => {
      event.preventDefault();
      main.focus();
    } }, "Skip to the page"),
    h(
      "header",
      { class: "top" },
      menu,
      h("a", { class: "brand", href: link(["tables"]), "aria-label": "Larder" }, h("img", { src: "icon.svg", alt: "" }), h("span", null, "Larder")),
      session.readOnly ? h("span", { class: "banner" }, "Read-only") : null,
      h("button", { type: "button", class: "find", onclick: search }, "Search", h("kbd", null, "/")),
      h("span", { class: "where" }, session.endpoint.replace(/^http:\/\//, "")),
      theme,
    ),
    side,
    main,
  );
  drawSide();
  document.addEventListener("keydown", keys);
}

/** Marks the page that is shown. */
export function drawSide() {
  const { path } = here();
  const current = path[0] === "tables" && (path[2] === "items") ? "items" : (path[0] ?? "tables");
  side.classList.remove("open");
  replace(
    side,
    PAGES.map(([key, name]) => h("a", { href: link([key]), "aria-current": key === current ? "page" : undefined }, name)),
    h("div", { class: "foot" }, `Larder ${session.version}`, h("br"), button("Keyboard shortcuts", showKeys, { class: "quiet" })),
  );
}

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function switchTheme() {
  const chosen = isDark() ? "light" : "dark";
  document.documentElement.dataset.theme = chosen;
  try {
    localStorage.setItem("larder-theme", chosen);
  } catch {
    // Without storage the choice holds until the page is left.
  }
  document.dispatchEvent(new Event("larder-theme"));
}

let isGoing = false;

/** @param {KeyboardEvent} event */
function keys(event) {
  const target = /** @type {HTMLElement} */ (event.target);
  const isTyping = target.matches("input, textarea, select, [contenteditable]");
  if ((event.ctrlKey || event.metaKey) && event.key === "Enter") {
    const act = /** @type {HTMLButtonElement | null} */ (document.querySelector("dialog[open] [type=submit]") ?? main.querySelector("[data-default]"));
    if (act && !act.disabled) {
      event.preventDefault();
      act.click();
    }
    return;
  }
  if ((event.ctrlKey || event.metaKey) && event.key === "k") {
    event.preventDefault();
    search();
    return;
  }
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (isGoing) {
    isGoing = false;
    const page = PAGES.find(([, , key]) => key === event.key);
    if (page) go([page[0]]);
    return;
  }
  if (event.key === "/") {
    event.preventDefault();
    search();
  } else if (event.key === "?") showKeys();
  else if (event.key === "g") isGoing = true;
}

function showKeys() {
  const rows = [
    ["/ or Ctrl K", "Search tables, indexes, designs and pages"],
    ["Ctrl Enter", "Run, save or create"],
    ...PAGES.map(([, name, key]) => [`g ${key}`, `Go to ${name}`]),
    ["↑ ↓", "Move in a list of items"],
    ["Enter", "Open the item"],
    ["Space", "Select the item"],
    ["Esc", "Close a dialog"],
    ["?", "This list"],
  ];
  dialog("Keyboard shortcuts", (close) => [
    h("table", { class: "list" }, h("tbody", null, rows.map(([key, text]) => h("tr", null, h("th", { scope: "row" }, h("kbd", null, key)), h("td", null, text))))),
    h("div", { class: "buttons end" }, button("Close", close)),
  ]);
}

/** Finds a table, a design or a page by a part of its name. */
function search() {
  dialog("Search", (close) => {
    /** @type {Array<{name: string, kind: string, href: string}>} */
    let all = PAGES.map(([key, name]) => ({ name, kind: "Page", href: link([key]) }));
    let chosen = 0;
    const input = h("input", { type: "search", "aria-label": "Search tables, designs and pages", placeholder: "Table, design or page", autofocus: true });
    const list = h("div", { class: "found", role: "listbox", "aria-label": "Results" });
    const matches = () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      return all.filter((one) => words.every((word) => one.name.toLowerCase().includes(word))).slice(0, 60);
    };
    const draw = () => {
      const found = matches();
      chosen = Math.max(0, Math.min(chosen, found.length - 1));
      replace(
        list,
        found.map((one, place) => h("a", { href: one.href, role: "option", "aria-selected": String(place === chosen), onclick: close }, one.name, h("small", null, one.kind))),
        found.length ? null : h("p", { class: "dim" }, "Nothing has this name."),
      );
      list.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
    };
    input.addEventListener("input", draw);
    input.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        chosen += event.key === "ArrowDown" ? 1 : -1;
        draw();
      } else if (event.key === "Enter") {
        const one = matches()[chosen];
        if (one) {
          close();
          location.hash = one.href;
        }
      }
    });
    tableNames().then((names) => {
      const tables = names.flatMap((name) => [
        { name, kind: "Table", href: link(["tables", name]) },
        { name: `${name} items`, kind: "Explore table items", href: link(["tables", name, "items"]) },
      ]);
      all = [...tables, ...all];
      draw();
    }, () => {});
    loadedDesigns().then((designs) => {
      all = [...all, ...designs.map((one) => ({ name: one.name, kind: "Design", href: link(["designs", one.name]) }))];
      draw();
    });
    draw();
    return [input, list];
  });
}
