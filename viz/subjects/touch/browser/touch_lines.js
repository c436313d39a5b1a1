// The lines from the word that reads to those that are read, as wide as their weights.

import { element } from "../../../pictures/browser/elements.js";

/** @typedef {{x: number, y: number, width: number, height: number}} Spot */

const LEAST = 0.01;
const WIDEST = 12;

/** A line from a word up to another, or to a hand.
 * @param {{x: number, y: number}} from
 * @param {{x: number, y: number}} to
 */
export function linePath(from, to) {
  const middle = (from.y + to.y) / 2;
  return `M ${from.x} ${from.y} C ${from.x} ${middle}, ${to.x} ${middle}, ${to.x} ${to.y}`;
}

/** Draw the lines of a row.
 * @param {SVGSVGElement} under the words: the lines
 * @param {SVGSVGElement} over the words: the ends of the lines, to be taken
 * @param {import("./types").Scene} scene
 * @param {Spot} from the word that reads
 * @param {Spot[]} keys
 * @param {{x: number, y: number} | null} hand where a line is held, if one is
 */
export function drawLines(under, over, { weights, cut, pulled, tool }, from, keys, hand) {
  const start = { x: from.x, y: from.y - from.height / 2 };
  const strongest = weights.indexOf(Math.max(...weights));
  const lines = new Map();
  const ends = new Map();
  for (const [key, { x, y, height }] of keys.entries()) {
    const end = { x, y: y + height / 2 + 2 };
    const d = linePath(start, end);
    const weight = weights[key];
    if (cut.has(key)) lines.set(`cut ${key}`, { class: "loupe-touch-cut", d });
    if (cut.has(key) || !(weight >= LEAST)) continue;
    const [width, opacity] = [1 + WIDEST * weight, 0.25 + 0.75 * weight];
    lines.set(`line ${key}`, { class: "loupe-touch-line", d, "stroke-width": width, opacity });
    lines.set(`hold ${key}`, { class: "loupe-touch-hold", d, "data-key": key });
    const r = key === strongest ? 8 : 3.5 + 4 * weight;
    const round = { class: "loupe-touch-end", cx: end.x, cy: end.y, r, "data-key": key };
    if (tool === "pull") ends.set(`end ${key}`, round);
  }
  if (pulled && hand) {
    lines.set("held", { class: "loupe-touch-held", d: linePath(start, hand) });
    ends.set("hand", { class: "loupe-touch-hand", cx: hand.x, cy: hand.y, r: 11 });
  }
  keepUp(under, "svg:path", lines, pulled !== null);
  keepUp(over, "svg:circle", ends, pulled !== null);
}

// Shapes stay the same elements: a finger loses what goes from under it. While one pulls, none goes.
function keepUp(svg, tag, wanted, isHeld) {
  const known = new Map([...svg.children].map((shape) => [shape.getAttribute("data-id"), shape]));
  for (const [id, shape] of known)
    if (!wanted.has(id)) {
      if (isHeld && id !== "held" && id !== "hand") shape.setAttribute("opacity", "0");
      else shape.remove();
    }
  for (const [id, attributes] of wanted) {
    const shape = known.get(id) ?? element(tag, { "data-id": id });
    if (!("opacity" in attributes)) shape.removeAttribute("opacity");
    for (const [name, value] of Object.entries(attributes)) shape.setAttribute(name, String(value));
    if (!shape.isConnected) svg.append(shape);
  }
}
