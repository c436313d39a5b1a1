// The keys and values: what the cache holds, and what this pass computes, layer by layer.

import { context2d, fittedText } from "../../../pictures/browser/canvas.js";
import { element } from "../../../pictures/browser/elements.js";
import { say } from "../../../pictures/browser/say.js";

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
        ...(path.causal ? [key("studio-held", say("decoding.cache_held"))] : []),
        key("studio-new", say("decoding.cache_new")),
        key("studio-none", say("decoding.cache_none")),
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
  if (!path.source.length) return cacheWordsAlone(path, step);
  const targets = (count) => say("decoding.positions.target", { count });
  const sources = say("decoding.positions.source", { count: path.source.length });
  const size = sizeWords(path, step, held ? end - held : end + path.source.length);
  if (!path.causal) return [say("decoding.cache_unmasked", { targets: targets(end), size })];
  const pass = { start: held, end: end - 1, size };
  if (!held) {
    const first = { targets: targets(end), sources, ...pass };
    return [
      say("decoding.cache_empty"),
      end > 1 ? say("decoding.cache_first_together", first) : say("decoding.cache_first", first),
    ];
  }
  const each = eachWords(path, step);
  const without = say("decoding.cache_without", { targets: targets(held), sources });
  return [
    say("decoding.cache_holds", { targets: targets(held), sources, each, bytes: path.bytes[step] }),
    `${addedWords(targets(end - held), end - held, pass)} ${without}`,
  ];
}

/** The same of a decoder that reads no source.
 * @param {import("./studio").Path} path
 */
function cacheWordsAlone(path, step) {
  const [held, end] = [path.cached[step], path.ends[step]];
  const size = sizeWords(path, step, end - held);
  const read = (count) => say("decoding.positions.text", { count });
  if (!path.causal) return [say("decoding.cache_unmasked_alone", { positions: read(end), size })];
  const added = addedWords(read(end - held), end - held, { start: held, end: end - 1, size });
  if (!held) return [say("decoding.cache_empty"), added];
  const [positions, each] = [read(held), eachWords(path, step)];
  return [
    say("decoding.cache_holds_alone", { positions, each, bytes: path.bytes[step] }),
    `${added} ${say("decoding.cache_without_alone", { positions })}`,
  ];
}

function addedWords(positions, count, pass) {
  return count > 1
    ? say("decoding.cache_added_together", { positions, ...pass })
    : say("decoding.cache_added", { positions, ...pass });
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
