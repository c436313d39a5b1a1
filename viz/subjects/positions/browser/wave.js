// One dimension of an encoding over the positions: a dot for each, and between them the wave of its formula.

import { colours } from "../../../pictures/browser/colours.js";
import { element, followWidth } from "../../../pictures/browser/elements.js";
import { numberText } from "../../../pictures/browser/numbers.js";
import { tableOf } from "../../../pictures/browser/saving/table.js";
import { say } from "../../../pictures/browser/say.js";
import { tooltip } from "../../../pictures/browser/tooltip.js";

const HIGH = 150;
const SIDE = 34; // pixels at the left, for the numbers of the axis
const EDGE = 12;
const BELOW = 36;
const DOT = 4;
const WORD = 34; // pixels that a number of a position needs

/** What is drawn.
 * @typedef {{dimension: number, values: number[], tokens: string[], curve: [number, number][] | null, picked: number,
 *   choose: (position: number) => void}} Wave
 */

/** @type {import("../../../pictures/browser/types").Setup} */
function showWave(_loupe, { host, listen, signal, save }) {
  /** @type {Wave} */
  let shown = null;
  const draw = () => {
    if (shown && host.clientWidth) host.replaceChildren(drawing(shown, host.clientWidth));
  };
  listen((what) => what === "run" && draw());
  followWidth(host, draw, signal);
  save({ name: say("positions.wave_saved"), table: () => waveTable(shown) });
  return (data) => {
    shown = data;
    draw();
  };
}

function drawing(shown, width) {
  const { values, curve, picked, dimension } = shown;
  const palette = colours();
  const last = Math.max(1, values.length - 1);
  const most = Math.max(...values.map(Math.abs), curve ? 1 : 0) || 1;
  const x = (position) => SIDE + (position / last) * (width - SIDE - EDGE);
  const y = (value) => EDGE + ((most - value) / (2 * most)) * (HIGH - EDGE - BELOW);
  const line = (from, to, colour, dash = null) =>
    element("svg:line", {
      ...{ x1: from[0], y1: from[1], x2: to[0], y2: to[1] },
      stroke: colour,
      "stroke-dasharray": dash,
    });
  const points = (curve ?? values.map((value, at) => [at, value]))
    .map(([at, value]) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`)
    .join(" ");
  return element(
    "svg:svg",
    {
      width,
      height: HIGH,
      role: "img",
      "aria-label": say("positions.wave_alt", { dimension, count: values.length }),
    },
    line([SIDE, y(0)], [width - EDGE, y(0)], palette.line),
    line([x(picked), EDGE], [x(picked), HIGH - BELOW], palette.soft, "2 3"),
    ...axisOf(most, values.length, x, y, palette),
    element("svg:polyline", { points, fill: "none", stroke: palette.soft }),
    ...values.map((value, at) => dotOf(shown, at, [x(at), y(value)], palette)),
  );
}

function axisOf(most, count, x, y, palette) {
  const word = (text, left, top, anchor) =>
    element(
      "svg:text",
      { x: left, y: top, fill: palette.soft, "font-size": palette.size, "text-anchor": anchor },
      text,
    );
  const wide = x(1) - x(0);
  const every = Math.max(1, Math.ceil(WORD / wide));
  const places = Array.from({ length: count }, (_, i) => i).filter((i) => i % every === 0);
  return [
    ...[-most, 0, most].map((at) => word(numberText(at, 2), SIDE - 6, y(at) + 4, "end")),
    ...places.map((at) => word(String(at), x(at), HIGH - BELOW + 18, "middle")),
    word(say("positions.position_axis"), x(count - 1), HIGH - 3, "end"),
  ];
}

function dotOf({ values, tokens, picked, dimension, choose }, at, [cx, cy], palette) {
  const value = numberText(values[at]);
  const said = say("positions.wave_tip", {
    position: at,
    token: tokens[at] ?? "",
    dimension,
    value,
  });
  return element("svg:circle", {
    ...{ cx: cx.toFixed(1), cy: cy.toFixed(1), r: at === picked ? DOT + 2 : DOT },
    fill: palette.accent,
    onpointermove: (event) => tooltip.show(event, said),
    onpointerleave: () => tooltip.hide(),
    onclick: () => choose(at),
  });
}

function waveTable({ values, tokens, dimension }) {
  const kinds = { position: "whole", token: "text", dimension: "whole", value: "single" };
  return tableOf(
    kinds,
    values.map((value, at) => [at, tokens[at] ?? "", dimension, value]),
  );
}

export const components = { wave: showWave };
