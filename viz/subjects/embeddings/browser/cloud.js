// Words as points of a plane: coloured by group, with lines from some to those nearest to them, and labels that have room.

import { colours } from "../../../pictures/browser/colours.js";
import { element, followWidth } from "../../../pictures/browser/elements.js";
import { tableOf } from "../../../pictures/browser/saving/table.js";
import { say, sayOf } from "../../../pictures/browser/say.js";
import { tooltip } from "../../../pictures/browser/tooltip.js";

/** What is drawn.
 * @typedef {{points: [number, number][], words: string[], groups: string[], chosen: number, heads: number[],
 *   near: [number, number][], looks: Record<string, [string, string]>}} Cloud
 *   `heads`: words with bold labels; `near`: from a word to one near it; `looks`: the light and the dark colour of a group
 */

const HIGH = 400;
const EDGE = 44;
const TOP = 20;
const DOT = 4;
const RING = 9;
const LETTER = 0.62; // width of a letter, in its height
const SIZE = 12;

/** @type {import("../../../pictures/browser/types").Setup} */
function showCloud(_loupe, { host, listen, signal, save }) {
  let shown = null;
  let tell = null;
  const draw = () => {
    if (!shown || !host.clientWidth) return;
    host.replaceChildren(drawing(shown, host.clientWidth, tell), legend(shown));
  };
  listen((what) => what === "run" && draw());
  followWidth(host, draw, signal);
  save({ name: say("embeddings.cloud_saved"), table: () => cloudTable(shown) });
  return (data, tellChoice) => {
    shown = data;
    tell = tellChoice;
    draw();
  };
}

/** @param {Cloud} shown */
function drawing(shown, width, tell) {
  const { points, words, groups, chosen, near } = shown;
  const palette = colours();
  const place = placed(points, width);
  const named = new Set(shown.heads);
  const labels = labelsWithRoom(place, words, [
    ...new Set([chosen, ...shown.heads, ...place.keys()]),
  ]);
  const lines = near.map(([from, to]) =>
    element("svg:line", {
      ...{ x1: place[from][0], y1: place[from][1], x2: place[to][0], y2: place[to][1] },
      stroke: palette.hatch,
    }),
  );
  const dot = ([cx, cy], at) =>
    element("svg:circle", {
      ...{ cx, cy, r: DOT, fill: colourOf(shown, groups[at], palette) },
      class: "embeddings-dot",
      onpointermove: (event) =>
        tooltip.show(event, words[at], sayOf("embeddings.group", groups[at])),
      onpointerleave: () => tooltip.hide(),
      onclick: () => tell("choose", { at }),
    });
  const [x, y] = place[chosen];
  return element(
    "svg:svg",
    {
      ...{ width, height: HIGH, role: "img" },
      "aria-label": say("embeddings.cloud_alt", { count: words.length, chosen: words[chosen] }),
    },
    ...lines,
    element("svg:circle", {
      ...{ cx: x, cy: y, r: RING, fill: "none", stroke: palette.accent, "stroke-width": 2.5 },
    }),
    ...place.map(dot),
    ...labels.map((at) => labelOf(words[at], place[at], named.has(at), palette)),
  );
}

const labelOf = (word, [x, y], isBold, palette) =>
  element(
    "svg:text",
    {
      ...{ x, y: y - DOT - 4, fill: palette.ink, "text-anchor": "middle" },
      "font-family": palette.font,
      "font-size": SIZE,
      "font-weight": isBold ? 700 : 400,
      "pointer-events": "none",
    },
    word,
  );

const colourOf = ({ looks }, group, { isDark }) => looks[group][Number(isDark)];

// Points in pixels, the largest spread of each axis in all of the room.
function placed(points, width) {
  const room = [
    [EDGE, width - EDGE],
    [HIGH - EDGE / 2, TOP + SIZE],
  ];
  const scales = room.map(([from, to], axis) => {
    const values = points.map((point) => point[axis]);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const spread = high - low || 1;
    return (value) => from + ((value - low) / spread) * (to - from);
  });
  return points.map(([x, y]) => [scales[0](x), scales[1](y)]);
}

/** The labels that run into no other; those that come first have theirs before all others.
 * @param {number[][]} place in pixels
 * @param {string[]} words
 * @param {number[]} order
 */
export function labelsWithRoom(place, words, order) {
  const kept = [];
  const isFree = (at, half) =>
    kept.every(
      (other) =>
        Math.abs(place[at][0] - place[other][0]) > half + halfOf(words[other]) ||
        Math.abs(place[at][1] - place[other][1]) > SIZE + 3,
    );
  for (const at of order) if (isFree(at, halfOf(words[at]))) kept.push(at);
  return kept;
}

const halfOf = (word) => ([...word].length * SIZE * LETTER) / 2 + 2;

function legend(shown) {
  const palette = colours();
  const here = Object.keys(shown.looks).filter((group) => shown.groups.includes(group));
  const one = (group) =>
    element(
      "span",
      {},
      element("i", { style: `background: ${colourOf(shown, group, palette)}` }),
      sayOf("embeddings.group", group),
    );
  return element("p", { class: "embeddings-legend" }, ...here.map(one));
}

function cloudTable({ points, words, groups }) {
  return tableOf(
    { word: "text", group: "text", x: "double", y: "double" },
    points.map(([x, y], at) => [words[at], groups[at], x, y]),
  );
}

export const components = { cloud: showCloud };
