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
 * @param {SVGSVGElement} svg
 * @param {import("./types").Scene} scene
 * @param {Spot} from the word that reads
 * @param {Spot[]} keys
 * @param {{x: number, y: number} | null} hand where a line is held, if one is
 */
export function drawLines(svg, { weights, cut, pulled, tool }, from, keys, hand) {
  const start = { x: from.x, y: from.y - from.height / 2 };
  const ends = keys.map(({ x, y, height }) => ({ x, y: y + height / 2 + 2 }));
  const strongest = weights.indexOf(Math.max(...weights));
  const parts = [];
  for (const [key, end] of ends.entries()) {
    if (cut.has(key)) parts.push(line(start, end, "loupe-touch-cut", { "stroke-width": 1.5 }));
    if (cut.has(key) || !(weights[key] >= LEAST)) continue;
    const shown = {
      "stroke-width": 1 + WIDEST * weights[key],
      opacity: 0.25 + 0.75 * weights[key],
    };
    parts.push(line(start, end, "loupe-touch-line", shown));
    parts.push(line(start, end, "loupe-touch-hold", { "data-key": key }));
    const radius = key === strongest ? 8 : 3.5 + 4 * weights[key];
    const end3 = { cx: end.x, cy: end.y, r: radius, "data-key": key };
    if (tool === "pull") parts.push(element("svg:circle", { class: "loupe-touch-end", ...end3 }));
  }
  if (pulled && hand) {
    parts.push(line(start, hand, "loupe-touch-held", {}));
    const held = { class: "loupe-touch-hand", cx: hand.x, cy: hand.y, r: 11 };
    parts.push(element("svg:circle", held));
  }
  svg.replaceChildren(...parts);
}

const line = (from, to, name, attributes) =>
  element("svg:path", { class: name, d: linePath(from, to), ...attributes });
