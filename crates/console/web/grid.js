// A list of items of any length: only the rows that can be seen are there. Knows no requests.

import { h, replace } from "./dom.js";
import { brief, typeOf } from "./values.js";

/** @typedef {import("./values.js").Item} Item */
/** @typedef {{name: string, place: number}} Entity */

const ROW_HEIGHT = 30;
const MARGIN_ROWS = 8;
const STEP_ROWS = 8;
const WIDTH_MIN = 90;
const WIDTH_MAX = 340;

/**
 * @typedef {object} Options
 * @property {(item: Item) => void} open
 * @property {() => void} selected called when the selection changes
 * @property {(item: Item) => string} href
 * @property {(item: Item) => Entity | null} entity
 */

export class Grid {
  /** @param {Options} options */
  constructor(options) {
    this.options = options;
    /** @type {Item[]} */
    this.items = [];
    /** @type {string[]} */
    this.columns = [];
    /** @type {Set<Item>} */
    this.selection = new Set();
    /** @type {{column: string, down: boolean} | null} */
    this.order = null;
    this.active = -1;
    this.drawn = "";
    this.head = h("thead");
    this.body = h("tbody");
    this.cols = h("colgroup");
    this.table = h("table", { role: "grid", "aria-label": "Items", "aria-multiselectable": "true" }, this.cols, this.head, this.body);
    this.element = h("div", { class: "grid", tabindex: "0", role: "region", "aria-label": "Items returned" }, this.table);
    this.element.addEventListener("scroll", () => this.window(), { passive: true });
    this.element.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.window()).observe(this.element);
  }

  /**
   * @param {Item[]} items
   * @param {string[]} columns
   */
  show(items, columns) {
    this.items = items;
    this.columns = columns;
    this.sort();
    if (this.selection.size) {
      const there = new Set(items);
      for (const item of this.selection) if (!there.has(item)) this.selection.delete(item);
    }
    this.active = Math.min(this.active, items.length - 1);
    this.drawHead();
    this.redraw();
  }

  sort() {
    const order = this.order;
    if (!order) return;
    const side = order.down ? -1 : 1;
    const collator = new Intl.Collator("en", { numeric: true });
    this.items = [...this.items].sort((one, other) => {
      const [left, right] = [one[order.column], other[order.column]];
      if (!left || !right) return left ? -1 : right ? 1 : 0;
      return side * compare(left, right, collator);
    });
  }

  drawHead() {
    const all = h("input", { type: "checkbox", "aria-label": "Select all items", checked: this.items.length > 0 && this.selection.size === this.items.length });
    all.addEventListener("change", () => {
      this.selection = all.checked ? new Set(this.items) : new Set();
      this.redraw();
      this.options.selected();
    });
    const widths = this.columns.map((column) => this.width(column));
    replace(this.cols, [36, ...widths].map((width) => {
      const col = h("col");
      col.style.width = `${width}px`;
      return col;
    }));
    this.table.style.width = `max(100%, ${36 + widths.reduce((sum, one) => sum + one, 0)}px)`;
    const heads = this.columns.map((column) => {
      const isOrder = this.order?.column === column;
      const mark = isOrder ? (this.order?.down ? " ↓" : " ↑") : "";
      const by = h("button", { type: "button", title: `Sort what is shown by ${column}` }, `${column}${mark}`);
      by.addEventListener("click", () => {
        this.order = !isOrder ? { column, down: false } : this.order?.down ? null : { column, down: true };
        this.show(this.items, this.columns);
      });
      return h("th", { scope: "col", "aria-sort": isOrder ? (this.order?.down ? "descending" : "ascending") : "none" }, by);
    });
    replace(this.head, h("tr", null, h("th", { scope: "col" }, all), heads));
  }

  /** @param {string} column */
  width(column) {
    let letters = column.length + 3;
    for (const item of this.items.slice(0, 40)) letters = Math.max(letters, Math.min(brief(item[column]).length, 60));
    return Math.max(WIDTH_MIN, Math.min(WIDTH_MAX, letters * 8 + 26));
  }

  /** Draws the rows anew, because something about them has changed. */
  redraw() {
    this.drawn = "";
    this.window();
  }

  /** Draws the rows that can be seen. */
  window() {
    // In steps of several rows, so that most movements find everything drawn already.
    const top = Math.floor(this.element.scrollTop / ROW_HEIGHT / STEP_ROWS) * STEP_ROWS;
    const first = Math.max(0, top - MARGIN_ROWS);
    const seen = Math.ceil((this.element.clientHeight || 600) / ROW_HEIGHT) + 2 * MARGIN_ROWS + STEP_ROWS;
    const last = Math.min(this.items.length, first + seen);
    const key = `${first}-${last}-${this.active}`;
    if (key === this.drawn) return;
    this.drawn = key;
    this.table.setAttribute("aria-rowcount", String(this.items.length + 1));
    replace(this.body, space(first), this.items.slice(first, last).map((item, place) => this.row(item, first + place)), space(this.items.length - last));
  }

  /**
   * @param {Item} item
   * @param {number} place
   */
  row(item, place) {
    const box = h("input", { type: "checkbox", tabindex: "-1", "aria-label": `Select item ${place + 1}`, checked: this.selection.has(item) });
    box.addEventListener("change", () => this.choose(item, box.checked));
    const entity = this.options.entity(item);
    const cells = this.columns.map((column, nth) => {
      const value = item[column];
      const text = brief(value);
      const type = value ? typeOf(value) : "";
      const inside = nth === 0 ? h("a", { href: this.options.href(item), tabindex: "-1" }, text || "(empty)") : text;
      const mark = value && type !== "S" && type !== "N" ? h("span", { class: "t" }, type) : null;
      return h("td", { title: text.length > 24 ? text : undefined }, mark, inside);
    });
    return h(
      "tr",
      { class: place === this.active ? "active" : "", "aria-rowindex": String(place + 2), "aria-selected": String(this.selection.has(item)) },
      h("td", { class: entity ? `entity e${entity.place % 8}` : "", title: entity?.name }, box),
      cells,
    );
  }

  /**
   * @param {Item} item
   * @param {boolean} isChosen
   */
  choose(item, isChosen) {
    if (isChosen) this.selection.add(item);
    else this.selection.delete(item);
    this.options.selected();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.target !== this.element && !(event.target instanceof HTMLInputElement && event.key !== " ")) return;
    const page = Math.max(1, Math.floor(this.element.clientHeight / ROW_HEIGHT) - 2);
    const steps = /** @type {Record<string, number>} */ ({ ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -this.items.length, End: this.items.length });
    const step = steps[event.key];
    const item = this.items[this.active];
    if (step !== undefined) {
      event.preventDefault();
      this.active = Math.max(0, Math.min(this.items.length - 1, this.active + step));
      this.reveal();
    } else if (event.key === "Enter" && item) {
      event.preventDefault();
      this.options.open(item);
    } else if (event.key === " " && item) {
      event.preventDefault();
      this.choose(item, !this.selection.has(item));
      this.redraw();
    }
  }

  reveal() {
    const top = this.active * ROW_HEIGHT;
    const height = this.element.clientHeight - 2 * ROW_HEIGHT;
    if (top < this.element.scrollTop) this.element.scrollTop = top;
    else if (top > this.element.scrollTop + height) this.element.scrollTop = top - height;
    this.window();
  }
}

/** @param {number} rows */
function space(rows) {
  if (rows <= 0) return null;
  const row = h("tr", { class: "space", "aria-hidden": "true" }, h("td"));
  row.style.height = `${rows * ROW_HEIGHT}px`;
  return row;
}

/**
 * @param {import("./values.js").Value} left
 * @param {import("./values.js").Value} right
 * @param {Intl.Collator} collator
 */
function compare(left, right, collator) {
  if (left.N !== undefined && right.N !== undefined) {
    const difference = Number(left.N) - Number(right.N);
    // Equal as floating point is not equal yet: the digits decide.
    if (difference) return difference;
  }
  return collator.compare(brief(left), brief(right));
}

/**
 * The columns of items: keys first, then attributes by how often they occur.
 * @param {Item[]} items
 * @param {string[]} keys
 */
export function columnsOf(items, keys) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const item of items) for (const name of Object.keys(item)) counts.set(name, (counts.get(name) ?? 0) + 1);
  const others = [...counts.keys()].filter((name) => !keys.includes(name));
  others.sort((one, other) => (counts.get(other) ?? 0) - (counts.get(one) ?? 0) || (one < other ? -1 : 1));
  return [...keys, ...others];
}
