// Some dimensions of an encoding, in one strip each: a dot for each position, and the wave of the formula between the
// dots.

import { colours } from "../../../pictures/browser/colours.js";
import { clamp, element, followWidth, roomOf } from "../../../pictures/browser/elements.js";
import { largestOf, numberText } from "../../../pictures/browser/numbers.js";
import { tableOf } from "../../../pictures/browser/saving/table.js";
import { listed, say } from "../../../pictures/browser/say.js";
import { tooltip } from "../../../pictures/browser/tooltip.js";
import { curveOf, placeSaid, ticksOf } from "./encodings.js";

/** @typedef {import("./wire").WireWaves & {values: Float32Array}} Shown */
/** Where the strips are, in pixels.
 * @typedef {{left: number, right: number, top: number, strip: number, last: number, size: number}} Shape
 */

const USUAL = 12.5; // size of letters, in pixels, for which a strip is made
const STRIP = 54;
const ROOM = 2.4; // height of a strip in amplitudes; its wave takes 2
const EDGE = 12;
const [LEAST_DOT, DOT] = [1.2, 3.5];
const DIGITS = 6;

/** @type {import("../../../pictures/browser/types").Setup} */
function showWaves(_loupe, { host, listen, signal, save }) {
  /** @type {Shown} */
  let shown = null;
  let [shape, tell] = [null, null];
  const draw = () => {
    if (!shown || !host.clientWidth) return;
    shape = shapeOf(shown, roomOf(host).width);
    host.replaceChildren(drawing(shown, shape));
  };
  const pointed = (event) => {
    const svg = host.querySelector("svg");
    return svg && shape && dotUnder(event, svg.getBoundingClientRect(), shown, shape);
  };
  host.addEventListener("pointermove", (event) => {
    const at = pointed(event);
    if (at) tooltip.show(event, dotSaid(shown, at));
    else tooltip.hide();
  });
  host.addEventListener("pointerleave", () => tooltip.hide());
  host.addEventListener("click", (event) => {
    const at = pointed(event);
    if (at) tell("choose", { position: at.position, dimension: shown.dimensions[at.strip] });
  });
  listen((what) => what === "run" && draw());
  followWidth(host, draw, signal);
  save({ name: say("positions.waves_saved"), table: () => wavesTable(shown) });
  return ({ meta, values }, tellChoice) => {
    shown = { ...meta, values: values.getChild("value").toArray() };
    tell = tellChoice;
    draw();
  };
}

/** @returns {Shape} */
function shapeOf({ rows, dimensions }, width) {
  const { size } = colours();
  const left = EDGE + size * (0.62 * String(dimensions.at(-1)).length + 1);
  const [strip, last] = [(STRIP * size) / USUAL, Math.max(1, rows - 1)];
  return { left, right: width - EDGE, top: 1.8 * size, strip, last, size };
}

const across = ({ left, right, last }, position) => left + (position / last) * (right - left);
const middleOf = ({ top, strip }, at) => top + (at + 0.5) * strip;

/** @param {Shown} shown @param {Shape} shape */
function drawing(shown, shape) {
  const { rows, dimensions, values, picked } = shown;
  const { left, right, top, strip, size } = shape;
  const palette = colours();
  const bottom = top + strip * dimensions.length;
  const largest = largestOf(values) || 1;
  const place = (at, position, value) => [
    across(shape, position),
    middleOf(shape, at) - ((value / largest) * strip) / ROOM,
  ];
  const marked = across(shape, picked.position);
  const word = (x, y, anchor, text, more = {}) =>
    element(
      "svg:text",
      { x, y, fill: palette.soft, "font-size": size, "text-anchor": anchor, ...more },
      text,
    );
  const room = Math.floor((right - left) / (2.7 * size));
  return element(
    "svg:svg",
    {
      ...{ width: right + EDGE, height: bottom + 3.2 * size, role: "img" },
      "aria-label": say("positions.strips_alt", { dimensions: listed([...dimensions]) }),
    },
    word(0, size, "start", say("positions.waves_axis")),
    ...ticksOf(rows, room).map((at) =>
      word(across(shape, at), bottom + 1.3 * size, "middle", String(at)),
    ),
    word(right, bottom + 2.8 * size, "end", say("positions.position_axis")),
    element("svg:path", {
      d: `M${marked} ${top}V${bottom}`,
      ...{ stroke: palette.soft, "stroke-dasharray": "2 3" },
    }),
    ...dimensions.flatMap((dimension, at) => {
      const isPicked = dimension === picked.dimension;
      const look = {
        fill: isPicked ? palette.ink : palette.soft,
        "font-weight": isPicked ? 700 : 400,
      };
      const y = middleOf(shape, at);
      return [
        element("svg:path", { d: `M${left} ${y}H${right}`, stroke: palette.grid }),
        word(left - 0.8 * size, y + 0.35 * size, "end", String(dimension), look),
        ...stripOf(shown, shape, at, place, palette),
      ];
    }),
  );
}

// Draw the wave of one dimension, and a dot for each position.
function stripOf(shown, shape, at, place, palette) {
  const { kind, size, rows, dimensions, values, picked } = shown;
  const valueAt = (position) => values[position * dimensions.length + at];
  const all = Array.from({ length: rows }, (_, position) => position);
  const curve = curveOf({ positions: kind, d_model: size }, dimensions[at], rows - 1);
  const points = (curve ?? all.map((position) => [position, valueAt(position)]))
    .map(([position, value]) =>
      place(at, position, value)
        .map((part) => part.toFixed(1))
        .join(","),
    )
    .join(" ");
  const wide = (shape.right - shape.left) / shape.last;
  const radius = Math.min(DOT, Math.max(LEAST_DOT, wide / 3));
  const isMarked = (position) =>
    position === picked.position && dimensions[at] === picked.dimension;
  return [
    element("svg:polyline", {
      points,
      fill: "none",
      stroke: curve ? palette.soft : palette.accent,
    }),
    ...all.map((position) => {
      const [cx, cy] = place(at, position, valueAt(position)).map((part) => part.toFixed(1));
      return element("svg:circle", {
        ...{ cx, cy, r: isMarked(position) ? radius + 2 : radius },
        ...{ fill: palette.accent, class: "positions-dot" },
      });
    }),
  ];
}

// Return the nearest position in the strip under the pointer.
function dotUnder(
  { clientX, clientY },
  box,
  { rows, dimensions },
  { left, right, top, strip, last },
) {
  const [x, at] = [clientX - box.left, Math.floor((clientY - box.top - top) / strip)];
  if (at < 0 || at >= dimensions.length || x < left - EDGE) return null;
  return { strip: at, position: clamp(((x - left) / (right - left)) * last, rows) };
}

const dotSaid = ({ dimensions, values, words }, { strip, position }) =>
  say("positions.number_at", {
    place: placeSaid(position, words),
    dimension: dimensions[strip],
    value: numberText(values[position * dimensions.length + strip], DIGITS),
  });

function wavesTable({ dimensions, values, words }) {
  const kinds = { position: "whole", token: "text", dimension: "whole", value: "single" };
  const rows = Array.from(values, (value, i) => {
    const [position, at] = [Math.floor(i / dimensions.length), i % dimensions.length];
    return [position, words[position] ?? "", dimensions[at], value];
  });
  return tableOf(kinds, rows);
}

export const components = { waves: showWaves };
