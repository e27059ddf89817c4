// Lines over time, drawn as SVG: a few series, a scale, a cursor that tells the figures. Knows no requests.

import { h, replace, svg } from "./dom.js";
import { clock } from "./format.js";

/** @typedef {{name: string, values: Array<number | null>}} Series */
/** @typedef {{title: string, times: number[], series: Series[], show: (value: number) => string, isArea?: boolean}} Plot */

const WIDTH = 460;
const HEIGHT = 170;
const LEFT = 54;
const RIGHT = 8;
const TOP = 8;
const BOTTOM = 20;

/**
 * Draws a plot into its place, or anew.
 * @param {HTMLElement} place
 * @param {Plot} plot
 */
export function drawPlot(place, plot) {
  const most = scaleTop(Math.max(0, ...plot.series.flatMap((one) => one.values.map((value) => value ?? 0))));
  const last = Math.max(1, plot.times.length - 1);
  const x = (/** @type {number} */ nth) => LEFT + ((WIDTH - LEFT - RIGHT) * nth) / last;
  const y = (/** @type {number} */ value) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / most);
  const rules = [0, 0.5, 1].map((share) => [
    svg("line", { class: "rule", x1: LEFT, x2: WIDTH - RIGHT, y1: y(most * share), y2: y(most * share) }),
    svg("text", { x: LEFT - 6, y: y(most * share) + 3.5, "text-anchor": "end" }, plot.show(most * share)),
  ]);
  const marks = [0, 0.5, 1].map((share) => {
    const nth = Math.round(last * share);
    return svg("text", { x: x(nth), y: HEIGHT - 4, "text-anchor": share === 0 ? "start" : share === 1 ? "end" : "middle" }, clock(plot.times[nth] ?? 0));
  });
  const lines = plot.series.map((one, place) => {
    const path = pathOf(one.values, x, y);
    return [plot.isArea ? svg("path", { class: `area e${place}`, d: areaOf(one.values, x, y) }) : null, svg("path", { class: `e${place}`, d: path })];
  });
  const cursor = svg("line", { class: "cursor", y1: TOP, y2: HEIGHT - BOTTOM, visibility: "hidden" });
  const words = latest(plot);
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": `${plot.title}: ${words}` }, rules, lines, marks, cursor);
  picture.setAttribute("preserveAspectRatio", "xMidYMid meet");
  const legend = h("div", { class: "legend" });
  const tell = (/** @type {number | null} */ nth) => {
    const at = nth === null ? null : plot.times[nth];
    replace(
      legend,
      plot.series.map((one, place) => {
        const value = nth === null ? lastOf(one.values) : one.values[nth];
        return h("span", null, h("i", { class: `dot e${place}` }), `${one.name} ${value === null || value === undefined ? "–" : plot.show(value)}`);
      }),
      at ? h("span", null, clock(at)) : null,
    );
  };
  tell(null);
  picture.addEventListener("pointermove", (event) => {
    const box = picture.getBoundingClientRect();
    const scale = Math.min(box.width / WIDTH, box.height / HEIGHT);
    const inside = (event.clientX - box.left - (box.width - WIDTH * scale) / 2) / scale;
    const nth = Math.max(0, Math.min(last, Math.round(((inside - LEFT) / (WIDTH - LEFT - RIGHT)) * last)));
    cursor.setAttribute("x1", String(x(nth)));
    cursor.setAttribute("x2", String(x(nth)));
    cursor.setAttribute("visibility", "visible");
    tell(nth);
  });
  picture.addEventListener("pointerleave", () => {
    cursor.setAttribute("visibility", "hidden");
    tell(null);
  });
  replace(place, h("h3", null, plot.title), picture, legend);
}

/**
 * The top of a scale that ends in a round figure.
 * @param {number} most
 */
function scaleTop(most) {
  if (most <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  for (const step of [1, 2, 5, 10]) if (most <= step * power) return step * power;
  return most;
}

/** @param {Array<number | null>} values */
function lastOf(values) {
  for (let place = values.length - 1; place >= 0; place -= 1) if (values[place] !== null) return values[place] ?? null;
  return null;
}

/** @param {Plot} plot */
function latest(plot) {
  return plot.series.map((one) => {
    const value = lastOf(one.values);
    return `${one.name} ${value === null ? "nothing" : plot.show(value)}`;
  }).join(", ");
}

/**
 * @param {Array<number | null>} values
 * @param {(nth: number) => number} x
 * @param {(value: number) => number} y
 */
function pathOf(values, x, y) {
  let path = "";
  let isDown = false;
  values.forEach((value, nth) => {
    if (value === null) {
      isDown = false;
      return;
    }
    const isAlone = !isDown && (values[nth + 1] ?? null) === null;
    path += `${isDown ? "L" : "M"}${x(nth).toFixed(1)} ${y(value).toFixed(1)}`;
    // A single figure between gaps would be a line without length.
    if (isAlone) path += `h1.5`;
    isDown = true;
  });
  return path;
}

/**
 * @param {Array<number | null>} values
 * @param {(nth: number) => number} x
 * @param {(value: number) => number} y
 */
function areaOf(values, x, y) {
  const points = values.map((value, nth) => `L${x(nth).toFixed(1)} ${y(value ?? 0).toFixed(1)}`).join("");
  return `M${x(0)} ${y(0)}${points}L${x(values.length - 1)} ${y(0)}Z`;
}
