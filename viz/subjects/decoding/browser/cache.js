// The keys and values: what the cache holds at the step in view, and what this pass computes, layer by layer.

import { context2d, fittedText } from "../../../pictures/browser/canvas.js";
import { element, followWidth } from "../../../pictures/browser/elements.js";
import { tableOf } from "../../../pictures/browser/saving/table.js";
import { say } from "../../../pictures/browser/say.js";
import { createStudio, modeSaid } from "./studio.js";

const HELD = 0.55; // how strongly what the cache holds is coloured

/** @type {import("../../../pictures/browser/types").Setup} */
function decodingCache(loupe, { host, listen, signal, save }) {
  const studio = loupe.part(createStudio);
  const canvas = element("canvas", { class: "studio-cache", role: "img" });
  const legend = element("p", { class: "studio-legend" });
  const words = element("div", { class: "studio-words" });
  host.append(canvas, legend, words);

  const draw = () => {
    const path = studio.path();
    if (!path) return;
    legend.replaceChildren(...legendOf(path));
    words.replaceChildren(...cacheWords(path, studio.step).map((text) => element("p", {}, text)));
    drawCells(canvas, path, studio, host.clientWidth || 320);
  };
  const look = () => {
    studio.look();
    draw();
  };
  studio.follow(signal, draw);
  listen((what) => what !== "hover" && look());
  followWidth(host, look, signal);
  save({
    name: say("decoding.saved_cache"),
    table: () => cacheTable(studio.path()),
    said: () => modeSaid(studio),
  });
  return look;
}

function cacheTable({ cached, bytes }) {
  const rows = cached.map((held, step) => [step, held, bytes[step]]);
  return tableOf({ step: "whole", "positions held": "whole", bytes: "double" }, rows);
}

function legendOf({ causal }) {
  const key = (name, text) => element("span", { class: name }, element("i"), text);
  return [
    ...(causal ? [key("studio-held", say("decoding.cache_held"))] : []),
    key("studio-new", say("decoding.cache_new")),
    key("studio-none", say("decoding.cache_none")),
  ];
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
 */
function drawCells(canvas, path, { step, palette }, width) {
  const [held, end] = [path.cached[step], path.ends[step]];
  const place = placesOf(path, width, palette.size);
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
  if (sources) head(say("decoding.cache_source"), 0, sources);
  head(sources ? say("decoding.cache_target") : say("decoding.cache_text"), target, steps);
  if (high >= 9)
    for (let layer = 0; layer < layers; layer++)
      context.fillText(say("decoding.cache_layer", { layer }), 0, top + (layer + 0.5) * high);
  const fill = (first, count, colour, alpha) =>
    fillCells(context, place, layers, first, count, colour, alpha);
  if (held) fill(0, sources, palette.value, HELD);
  else fill(0, sources, palette.accent, 1);
  fill(target, held, palette.value, HELD);
  fill(target + held, end - held, palette.accent, 1);
  fill(target + end, steps - end, palette.line, 1);
  canvas.setAttribute(
    "aria-label",
    say("decoding.cache_label", { held, computed: end - held, layers }),
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

/** @param {import("./studio").Path} path */
function cacheWords(path, step) {
  const [held, end] = [path.cached[step], path.ends[step]];
  const count = path.source.length;
  const sources = say("decoding.positions.source", { count });
  const own = (count) =>
    path.source.length
      ? say("decoding.positions.target", { count })
      : say("decoding.positions.text", { count });
  const all = (length) =>
    count ? say("decoding.cache_both", { targets: own(length), sources }) : own(length);
  const size = sizeWords(path, step, held ? end - held : end + count);
  if (!path.causal) return [say("decoding.cache_unmasked", { positions: all(end), size })];
  const added = { positions: held ? own(end - held) : all(end), start: held, end: end - 1, size };
  const said =
    end - held > 1
      ? say("decoding.cache_added_together", added)
      : say("decoding.cache_added", added);
  if (!held) return [say("decoding.cache_empty"), said];
  const holds = { positions: all(held), each: eachWords(path, step), bytes: path.bytes[step] };
  const without = count
    ? say("decoding.cache_without", { targets: own(held), sources })
    : say("decoding.cache_without_alone", { positions: own(held) });
  return [say("decoding.cache_holds", holds), `${said} ${without}`];
}

/** How much so many positions are.
 * @param {import("./studio").Path} path
 */
function sizeWords({ layers, numbers, live, element: bytes }, step, positions) {
  const count = layers * numbers * positions * live[step];
  return say("decoding.cache_numbers", { count, bytes: count * bytes });
}

/** @param {import("./studio").Path} path */
function eachWords({ layers, kept, numbers, live }, step) {
  const each = {
    layers: say("decoding.cache_layers", { count: layers }),
    heads: say("decoding.cache_heads", { count: kept }),
    numbers: numbers / kept,
    live: live[step],
  };
  return live[step] > 1 ? say("decoding.cache_each_beam", each) : say("decoding.cache_each", each);
}

export const components = { decoding_cache: decodingCache };
