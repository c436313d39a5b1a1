// The map of what is being typed: Python's, with the numbers and words that the browser's own model made.

import { TYPED } from "../../../pictures/browser/run.js";
import { say, sayOf } from "../../../pictures/browser/say.js";

const [MOST_ROWS, MOST_COLUMNS, MAP_NAN, MAP_LARGEST_CODE] = [16, 64, -128, 127]; // as in viz/subjects/map/thumbnails.py
const [CANDIDATES, MOST_CANDIDATES] = [5, 600]; // as there
const SIDES = { encoder: "source", decoder: "target" };

/** @typedef {import("../../../pictures/browser/live/types").Answer} Answer */
/** @typedef {import("../../../pictures/browser/twin/types").Tensor} Tensor */

/** The map of what was answered, of the model that an earlier map is of.
 * @template {import("./wire").WireMap} M
 * @param {M} map
 * @param {Answer} answer
 * @returns {{map: M, codes: Int8Array}}
 */
export function mapOwn(map, { tensors, tokens, written, steps }) {
  const pictures = {};
  const drawn = [];
  let offset = 0;
  for (const name of Object.keys(map.pictures)) {
    const { codes, ...picture } = pictureOf(tensors[name]);
    pictures[name] = { ...picture, offset };
    drawn.push([codes, offset]);
    offset += codes.length;
  }
  const codes = new Int8Array(offset);
  for (const [part, start] of drawn) codes.set(part, start);
  const widths = Object.keys(map.widths).map((stack) => [
    stack,
    shapeText(tensors[`${stack}.output`]),
  ]);
  const own = {
    blocks: map.blocks.map((block) => blockOf(block, tensors)),
    widths: Object.fromEntries(widths),
    run: TYPED,
    pictures,
    candidates: candidatesOf(steps, written),
    tokens: { encoder: tokens.source, decoder: tokens.target.slice(0, -1) },
  };
  return { map: { ...map, ...own }, codes };
}

/** Whether a map may be of the model that answered: Python's of another one may come first.
 * @param {import("./wire").WireMap} map
 * @param {Answer} answer
 */
export const mapFits = ({ pictures }, { tensors }) =>
  Object.keys(pictures).every((name) => name in tensors);

// A block, with the shape of what it opens.
function blockOf(block, tensors) {
  const found = tensors[block.tensor] ?? tensors.logits; // of the probabilities, which are not kept
  if (block.role !== "tokens")
    return { ...block, shape: (block.kind ? `${found.heads} × ` : "") + shapeText(found) };
  const count = found.rows;
  const label = sayOf("map.tokens_in", SIDES[block.stack], {
    tokens: say("map.tokens", { count }),
  });
  return { ...block, label, short: label, shape: String(count) };
}

/** @param {Tensor} tensor */
const shapeText = ({ rows, columns }) => `${rows} × ${columns}`;

/** A matrix in signed bytes: the largest magnitude is 127. Of many rows or columns evenly spaced ones are kept.
 * @param {Tensor} tensor
 */
function pictureOf({ rows, columns, data }) {
  let largest = 0;
  for (let i = 0; i < data.length; i++) {
    const magnitude = Math.abs(data[i]);
    if (magnitude > largest && magnitude < Infinity) largest = magnitude;
  }
  const [down, across] = [spaced(rows, MOST_ROWS), spaced(columns, MOST_COLUMNS)];
  const codes = new Int8Array(down.length * across.length);
  let i = 0;
  for (const row of down)
    for (const column of across) codes[i++] = codeOf(data[row * columns + column], largest);
  return {
    rows: down.length,
    columns: across.length,
    largest: Number(largest.toPrecision(4)),
    codes,
  };
}

function codeOf(value, largest) {
  if (Number.isNaN(value)) return MAP_NAN;
  const within = Math.max(-largest, Math.min(value, largest));
  return Math.round((within / (largest || 1)) * MAP_LARGEST_CODE);
}

/** Indices of evenly spaced ones among so many.
 * @param {number} size
 * @param {number} most
 */
function spaced(size, most) {
  const kept = Math.min(size, most);
  return Array.from({ length: kept }, (_, i) => Math.floor((i * size) / kept));
}

/** The likeliest tokens of each step, fewer where there are many steps. The one that was written is the first.
 * @param {Answer["steps"]} steps
 * @param {number[]} written
 * @returns {[string, number, boolean][][]}
 */
function candidatesOf(steps, written) {
  const count = Math.max(2, Math.min(CANDIDATES, Math.floor(MOST_CANDIDATES / steps.length)));
  return steps.map(({ candidates }, step) =>
    candidates
      .slice(0, count)
      .map(({ token, isStandIn, probability, id }) => [
        isStandIn ? say("run.copied_word") : token,
        probability,
        id === written[step],
      ]),
  );
}
