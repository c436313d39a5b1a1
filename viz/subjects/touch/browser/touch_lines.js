// The lines from the word that reads to the words that are read, as wide as their weights.

import { element } from "../../../pictures/browser/elements.js";
import { pathThrough, rowsOf, wayPast } from "./touch_routes.js";

/** @typedef {import("./touch_routes.js").Box} Box */
/** @typedef {import("./touch_routes.js").Point} Point */

const LEAST = 0.01;
const [WIDEST, NARROWEST] = [12, 4]; // pixels of a line of weight 1

/** The places that the words take up on the board.
 * @typedef {{width: number, reader: number, readers: Box[], keys: Box[], ends: Point[]}} Places
 */

/** Draw the lines of a row.
 * @param {SVGSVGElement} under the words: the lines
 * @param {SVGSVGElement} over the words: the ends of the lines, to be taken
 * @param {import("./types").Scene} scene
 * @param {Places} places
 * @param {Point | null} hand where a line is held, if one is
 */
export function drawLines(under, over, { weights, cut, pulled, tool }, places, hand) {
  const { ends: spots, start, ways, room } = waysOf(places);
  const widest = Math.max(NARROWEST, Math.min(WIDEST, room - 2));
  const strongest = weights.indexOf(Math.max(...weights));
  const lines = new Map();
  const ends = new Map();
  for (const [key, end] of spots.entries()) {
    const d = pathThrough([...start, ...ways[key]]);
    const weight = weights[key];
    if (cut.has(key)) lines.set(`cut ${key}`, { class: "loupe-touch-cut", d });
    if (cut.has(key) || !(weight >= LEAST)) continue;
    const [width, opacity] = [1 + widest * weight, 0.25 + 0.75 * weight];
    lines.set(`line ${key}`, { class: "loupe-touch-line", d, "stroke-width": width, opacity });
    lines.set(`hold ${key}`, { class: "loupe-touch-hold", d, "data-key": key });
    const r = key === strongest ? 8 : 3.5 + 4 * weight;
    const round = { class: "loupe-touch-end", cx: end.x, cy: end.y, r, "data-key": key };
    if (tool === "pull") ends.set(`end ${key}`, round);
  }
  if (pulled && hand) {
    lines.set("held", { class: "loupe-touch-held", d: pathThrough([...start, hand]) });
    ends.set("hand", { class: "loupe-touch-hand", cx: hand.x, cy: hand.y, r: 11 });
  }
  keepUp(under, "svg:path", lines, pulled !== null);
  keepUp(over, "svg:circle", ends, pulled !== null);
}

// Lead each line up past the rows above the word that reads, then past the rows below the word that is read.
/** @param {Places} places */
function waysOf({ width, reader, readers, keys, ends }) {
  const { left, right, top } = readers[reader];
  const above = rowsOf(readers).filter((row) => row.bottom <= top + 1);
  const up = wayPast({ x: (left + right) / 2, y: top }, above.reverse(), width);
  const rows = rowsOf(keys);
  const down = ends.map((end, key) => {
    const below = rows.filter((row) => row.top >= keys[key].bottom - 1);
    return wayPast(end, below, width);
  });
  return {
    ends,
    start: up.points,
    ways: down.map(({ points }) => points.reverse()),
    room: Math.min(up.room, ...down.map(({ room }) => room)),
  };
}

// Update shapes without replacing them, because a finger loses a shape that is removed. During a pull none is removed.
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
