// What a run adds to the map of its model: words and shapes, and the small pictures of its tensors.

import { TYPED } from "../../../pictures/browser/run.js";
import { say, sayOf } from "../../../pictures/browser/say.js";

const [MOST_ROWS, MOST_COLUMNS] = [16, 64]; // as in viz/subjects/map/picture.py
export const MAP_NAN = -128;
export const MAP_LARGEST_CODE = 127;
const SIDES = { encoder: "source", decoder: "target" };

/** @typedef {import("../../../pictures/browser/types").Loupe} Loupe */
/** @typedef {import("../../../pictures/browser/types").Run} Run */
/** @typedef {import("../../../pictures/browser/twin/types").Tensor & {largest?: number}} Sample
 * A tensor, or some of its cells with the largest magnitude of the whole tensor.
 */
/** @typedef {{rows: number, columns: number, largest: number, codes: Int8Array}} Picture */
/** @typedef {Omit<import("./wire").WireBlock, "shape"> & {label: string, shape: string}} Block */

/** @typedef {Omit<import("./wire").WireShownMap, "blocks" | "samples"> & {blocks: Block[]}} ShownMap */

/** The map of a model with what a run adds to it.
 * @typedef {object} RunMap
 * @property {ShownMap} map
 * @property {Run} run
 * @property {Partial<Record<import("./wire").StackName, string[]>>} tokens that each stack reads
 * @property {Partial<Record<import("./wire").StackName, string>>} widths the shape of each residual stream
 * @property {(tensor: string) => Picture | undefined} picture returns the small picture of a tensor, if it is here
 */

/** Add a run that the browser has to the map that Python sent.
 * @param {Loupe} loupe
 * @param {import("./wire").WireShownMap} sent
 * @param {Record<string, Sample>} samples of Python's run
 * @param {string} key of the run
 * @returns {RunMap}
 */
export function mapOf(loupe, { samples: _apart, blocks, ...map }, samples, key) {
  const run = loupe.runs.get(key);
  const tensors = loupe.traces.get(key)?.tensors;
  const tokens = { encoder: run.tokens.source, decoder: run.tokens.target.slice(0, -1) };
  const lengths = { source: tokens.encoder.length, target: tokens.decoder.length };
  const text = (shape) => shape.map((size) => lengths[size] ?? size).join(" × ");
  const stacks = /** @type {import("./wire").StackName[]} */ (Object.keys(map.layers));
  const of = key === TYPED ? {} : samples;
  return {
    map: { ...map, blocks: blocks.map((block) => filled(block, text(block.shape), stacks)) },
    run,
    tokens,
    widths: Object.fromEntries(stacks.map((stack) => [stack, text([SIDES[stack], map.d_model])])),
    picture(name) {
      const tensor = of[name] ?? tensors?.[name];
      return tensor && pictureOf(tensor);
    },
  };
}

// Return a block with its shape in words. A block of tokens is named after their number.
/** @returns {Block} */
function filled(block, shape, stacks) {
  if (block.role !== "tokens") return { ...block, shape };
  const tokens = say("map.tokens", { count: Number(shape) });
  const side = stacks.length > 1 ? SIDES[block.stack] : "text";
  return { ...block, shape, label: sayOf("map.tokens_in", side, { tokens }) };
}

/** Return whether a map may be of the model that made a run: Python's map may still be of another model.
 * @param {Pick<import("./wire").WireMap, "blocks">} map
 * @param {Pick<import("../../../pictures/browser/types").Tensors, "tensors"> | undefined} made
 */
export const mapFits = ({ blocks }, made) =>
  Boolean(made) && blocks.every(({ pictured, tensor }) => !pictured || tensor in made.tensors);

/** @type {WeakMap<Sample, Picture>} */
const pictures = new WeakMap(); // because the maps of one page draw the same tensors

/** Return a matrix as signed bytes (the largest magnitude is 127), with evenly spaced rows and columns if it has many.
 * @param {Sample} tensor
 */
export function pictureOf(tensor) {
  if (!pictures.has(tensor)) pictures.set(tensor, makePicture(tensor));
  return pictures.get(tensor);
}

/** @param {Sample} tensor @returns {Picture} */
function makePicture({ rows, columns, data, largest = largestOf(data) }) {
  const [down, across] = [spaced(rows, MOST_ROWS), spaced(columns, MOST_COLUMNS)];
  const codes = new Int8Array(down.length * across.length);
  let i = 0;
  for (const row of down)
    for (const column of across) codes[i++] = codeOf(data[row * columns + column], largest);
  const said = Number(largest.toPrecision(4));
  return { rows: down.length, columns: across.length, largest: said, codes };
}

function largestOf(data) {
  let largest = 0;
  for (let i = 0; i < data.length; i++) {
    const magnitude = Math.abs(data[i]);
    if (magnitude > largest && magnitude < Infinity) largest = magnitude;
  }
  return largest;
}

function codeOf(value, largest) {
  if (Number.isNaN(value)) return MAP_NAN;
  const within = Math.max(-largest, Math.min(value, largest));
  return Math.round((within / (largest || 1)) * MAP_LARGEST_CODE);
}

/** Return at most `most` evenly spaced indices below `size`.
 * @param {number} size
 * @param {number} most
 */
function spaced(size, most) {
  const kept = Math.min(size, most);
  return Array.from({ length: kept }, (_, i) => Math.floor((i * size) / kept));
}
