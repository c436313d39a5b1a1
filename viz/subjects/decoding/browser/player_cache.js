// The keys and values: what the cache holds, and what this pass computes, layer by layer.

import { context2d, fittedText } from "../../../pictures/browser/canvas.js";
import { element } from "../../../pictures/browser/elements.js";
import { studioCount } from "./studio.js";

const HELD = 0.55; // how strongly what the cache holds is coloured

export function playerCache(studio) {
  const canvas = element("canvas", { class: "studio-cache", role: "img" });
  const legend = element("p", { class: "studio-legend" });
  const words = element("div", { class: "studio-words" });
  const node = element("div", {}, canvas, legend, words);
  let drawn = "";
  let width = 0;
  const measure = () => {
    width = node.clientWidth;
  };
  return {
    node,
    measure,
    /** @param {import("./studio").Path} path */
    build(path) {
      measure();
      const key = (name, text) => element("span", { class: name }, element("i"), text);
      legend.replaceChildren(
        ...(path.causal ? [key("studio-held", "in the cache")] : []),
        key("studio-new", "computed in this pass"),
        key("studio-none", "not there yet"),
      );
      drawn = "";
    },
    /** @param {import("./studio").Path} path */
    paint(path) {
      const { step, palette } = studio;
      const [held, end] = [path.cached[step], path.ends[step]];
      const place = placesOf(path, width || 320, palette.size);
      words.replaceChildren(...cacheWords(path, step).map((text) => element("p", {}, text)));
      const wanted = [studio.key, held, end, place.cell, palette.under].join(" ");
      if (wanted === drawn) return;
      drawn = wanted;
      draw(canvas, path, { held, end }, place, palette);
    },
  };
}

function placesOf({ source, steps, layers }, width, size) {
  const columns = source.length + steps + (source.length ? 1 : 0);
  const cell = Math.max(2, Math.min(1.2 * size, Math.max(160, width - 5.5 * size) / columns));
  const high = Math.max(6, Math.min(1.2 * size, Math.round(150 / layers)));
  return { columns, cell, high, left: 5 * size, top: 1.6 * size, gap: cell > 4 ? 1 : 0 };
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {import("./studio").Path} path
 * @param {{held: number, end: number}} read
 */
function draw(canvas, path, { held, end }, place, palette) {
  const { columns, cell, high, left, top } = place;
  const { layers, steps } = path;
  const sources = path.source.length;
  const target = sources ? sources + 1 : 0; // the column where the target begins
  const context = context2d(canvas, left + columns * cell, top + layers * high + 2);
  context.font = `${Math.max(0.95 * palette.size, palette.least)}px ${palette.font}`;
  context.fillStyle = palette.soft;
  context.textBaseline = "middle";
  const head = (text, column, count) =>
    context.fillText(fittedText(context, text, count * cell), left + column * cell, top / 2 - 1);
  if (sources) head("source", 0, sources);
  head(sources ? "target" : "the text", target, steps);
  if (high >= 9)
    for (let layer = 0; layer < layers; layer++)
      context.fillText(`layer ${layer}`, 0, top + (layer + 0.5) * high);
  const fill = (first, count, colour, alpha) =>
    fillCells(context, place, layers, first, count, colour, alpha);
  if (held) fill(0, sources, palette.value, HELD);
  else fill(0, sources, palette.accent, 1);
  fill(target, held, palette.value, HELD);
  fill(target + held, end - held, palette.accent, 1);
  fill(target + end, steps - end, palette.line, 1);
  canvas.setAttribute(
    "aria-label",
    `${held} target positions in the cache, ${end - held} computed in this pass, of ${layers} layers`,
  );
}

function fillCells(context, { cell, high, left, top, gap }, layers, first, count, colour, alpha) {
  context.globalAlpha = alpha;
  context.fillStyle = colour;
  for (let layer = 0; layer < layers; layer++)
    for (let i = first; i < first + count; i++)
      context.fillRect(left + i * cell, top + layer * high, cell - gap, high - gap);
  context.globalAlpha = 1;
}

const several = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

/** @param {import("./studio").Path} path */
function cacheWords(path, step) {
  const [held, end] = [path.cached[step], path.ends[step]];
  if (!path.source.length) return cacheWordsAlone(path, step);
  const targets = (count) => several(count, "target position");
  const sources = several(path.source.length, "source position");
  const size = sizeWords(path, step, held ? end - held : end + path.source.length);
  if (!path.causal)
    return [
      `No cache: without a causal mask each step reads all ${targets(end)} and the source again, which gives ${size} of keys and values.`,
    ];
  const together = end - held > 1 ? ` in one pass for steps ${held} to ${end - 1}` : "";
  if (!held)
    return ["Holds nothing yet.", `New: ${targets(end)} and ${sources}${together}: ${size}.`];
  return [
    `Holds ${targets(held)} and ${sources} × ${eachWords(path, step)}: ${studioCount(path.bytes[step])} bytes.`,
    `New: ${targets(end - held)}${together}: ${size}. Without the cache, ${targets(held)} would be read again, and the keys and values of ${sources} computed again.`,
  ];
}

/** The same of a decoder that reads no source.
 * @param {import("./studio").Path} path
 */
function cacheWordsAlone(path, step) {
  const [held, end] = [path.cached[step], path.ends[step]];
  const size = sizeWords(path, step, end - held);
  if (!path.causal)
    return [
      `No cache: without a causal mask each step reads all ${several(end, "position")} again, which gives ${size} of keys and values.`,
    ];
  const together = end - held > 1 ? ` in one pass for steps ${held} to ${end - 1}` : "";
  const added = `New: ${several(end - held, "position")}${together}: ${size}.`;
  if (!held) return ["Holds nothing yet.", added];
  return [
    `Holds ${several(held, "position")} × ${eachWords(path, step)}: ${studioCount(path.bytes[step])} bytes.`,
    `${added} Without the cache, ${several(held, "position")} would be read again.`,
  ];
}

/** How much so many positions are.
 * @param {import("./studio").Path} path
 */
function sizeWords({ layers, numbers, live, element: bytes }, step, positions) {
  const count = layers * numbers * positions * live[step];
  return `${studioCount(count)} numbers, ${studioCount(count * bytes)} bytes`;
}

/** @param {import("./studio").Path} path */
function eachWords({ layers, kept, numbers, live }, step) {
  const each = `${several(layers, "layer")} × ${several(kept, "head")} × ${numbers / kept} numbers`;
  return live[step] > 1 ? `${each} × ${live[step]} hypotheses` : each;
}
