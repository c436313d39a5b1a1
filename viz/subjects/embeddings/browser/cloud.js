// Words as points in a plane: coloured by group, with lines from some words to their nearest ones, and labels that fit.

import { colours } from "../../../pictures/browser/colours.js";
import { element, followWidth, roomOf } from "../../../pictures/browser/elements.js";
import { tableOf } from "../../../pictures/browser/saving/table.js";
import { say, sayOf } from "../../../pictures/browser/say.js";
import { tooltip } from "../../../pictures/browser/tooltip.js";

/** @typedef {import("./wire").WireCloud} WireCloud */

const HIGH = 400; // height of the plane in pixels, for letters of the usual size
const USUAL = 12.5; // pixels of letters of the usual size
const EDGE = 44;
const DOT = 3.5;
const RING = 9;
const LETTER = 0.62; // width of a letter, in sizes of letters
const [ALL_NAMED, MOST_NAMED] = [80, 30]; // up to this many words all have labels; of more words, this many
const HOLLOW = "special"; // the group of tokens that are not words

/** @type {import("../../../pictures/browser/types").Setup} */
function showCloud(_loupe, { host, listen, signal, save }) {
  /** @type {WireCloud} */
  let shown = null;
  let tell = null;
  const draw = () => {
    if (!shown || !host.clientWidth) return;
    const { width, high } = roomOf(host);
    host.replaceChildren(drawing(shown, width, high ?? HIGH, tell), legend(shown));
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

/** @param {WireCloud} shown */
function drawing(shown, width, height, tell) {
  const { points, words, groups, chosen, near } = shown;
  const palette = colours();
  const place = placed(points, [width, height], palette);
  const lines = near.map(([from, to]) =>
    element("svg:line", {
      ...{ x1: place[from][0], y1: place[from][1], x2: place[to][0], y2: place[to][1] },
      stroke: palette.hatch,
    }),
  );
  const dot = ([cx, cy], at) =>
    element("svg:circle", {
      ...{ cx, cy, r: DOT, ...lookOf(shown, groups[at], palette) },
      ...{ class: "embeddings-dot", opacity: 0.85 },
      onpointermove: (event) =>
        tooltip.show(event, words[at], sayOf("embeddings.group", groups[at])),
      onpointerleave: () => tooltip.hide(),
      onclick: () => tell("choose", { at }),
    });
  const [x, y] = place[chosen];
  return element(
    "svg:svg",
    {
      ...{ width, height, role: "img" },
      "aria-label": say("embeddings.cloud_alt", { count: words.length, chosen: words[chosen] }),
    },
    ...lines,
    element("svg:circle", {
      ...{ cx: x, cy: y, r: RING, fill: "none", stroke: palette.accent, "stroke-width": 2.5 },
    }),
    ...place.map(dot),
    ...labelsOf(shown, place, width, palette),
  );
}

// Draw the labels that have room above their points; of many words, only the first ones in order get labels.
function labelsOf({ words, chosen, heads, near }, place, width, palette) {
  const { size } = palette;
  const first = [...new Set([chosen, ...heads])];
  const order = [...new Set([...first, ...near.map(([, to]) => to), ...place.keys()])];
  const most = words.length > ALL_NAMED ? Math.max(MOST_NAMED, first.length) : words.length;
  const within = (at) => {
    const half = Math.min(halfOf(words[at], size), width / 2);
    return [Math.min(Math.max(place[at][0], half), width - half), place[at][1] - DOT - 4];
  };
  const middles = words.map((_, at) => within(at));
  const isBold = new Set(first);
  return labelsWithRoom(middles, words, order, { size, most }).map((at) =>
    element(
      "svg:text",
      {
        ...{ x: middles[at][0], y: middles[at][1], fill: palette.ink, "text-anchor": "middle" },
        ...{ "font-family": palette.font, "font-size": size, "pointer-events": "none" },
        ...{ stroke: palette.panel, "stroke-width": 3, "paint-order": "stroke" }, // readable above lines, too
        "font-weight": isBold.has(at) ? 700 : 400,
      },
      words[at],
    ),
  );
}

const colourOf = ({ looks }, group, { isDark }) => looks[group][Number(isDark)];

const lookOf = (shown, group, palette) =>
  group === HOLLOW
    ? { fill: "none", stroke: colourOf(shown, group, palette), "pointer-events": "all" }
    : { fill: colourOf(shown, group, palette) };

// Return the points in pixels, each axis scaled so that its range fills the room.
function placed(points, [width, height], { size }) {
  const room = [
    [EDGE, width - EDGE],
    [height - EDGE / 2, 1.5 * size + 2 * DOT],
  ];
  const scales = room.map(([from, to], axis) => {
    const values = points.map((point) => point[axis]);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const spread = high - low || 1;
    return (value) => from + ((value - low) / spread) * (to - from);
  });
  return points.map(([x, y]) => [scales[0](x), scales[1](y)]);
}

/** Choose labels that overlap no other; earlier ones in `order` take precedence.
 * @param {number[][]} place middles of the labels, in pixels
 * @param {readonly string[]} words
 * @param {number[]} order
 * @param {{size?: number, most?: number}} [how] the size of letters, and how many labels there may be
 */
export function labelsWithRoom(place, words, order, { size = USUAL, most = words.length } = {}) {
  const kept = [];
  const isFree = (at, half) =>
    kept.every(
      (other) =>
        Math.abs(place[at][0] - place[other][0]) > half + halfOf(words[other], size) ||
        Math.abs(place[at][1] - place[other][1]) > size + 3,
    );
  for (const at of order) {
    if (kept.length === most) break;
    if (isFree(at, halfOf(words[at], size))) kept.push(at);
  }
  return kept;
}

const halfOf = (word, size) => ([...word].length * size * LETTER) / 2 + 2;

function legend(shown) {
  const palette = colours();
  const here = Object.keys(shown.looks).filter((group) => shown.groups.includes(group));
  const one = (group) =>
    element(
      "span",
      {},
      element("i", {
        class: group === HOLLOW ? "embeddings-key_ring" : "embeddings-key_dot",
        style: `color: ${colourOf(shown, group, palette)}`,
      }),
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
