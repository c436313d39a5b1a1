// The numbers of positional encodings: their rows, their waves, how similar they are, and a model without them.

import { numberText } from "../../../pictures/browser/numbers.js";
import { say } from "../../../pictures/browser/say.js";
import { changeOf, editsOf } from "../../../pictures/browser/twin/changes.js";
import { hasEnded, translate } from "../../../pictures/browser/twin/decoding.js";
import { rowsOfMatrix } from "../../../pictures/browser/twin/matrix.js";
import { fixedPositions, rateOf, waveAt } from "../../../pictures/browser/twin/positions.js";
import { rowOf, tensor } from "../../../pictures/browser/twin/tensor.js";

/** @typedef {import("../../../pictures/browser/twin/types").Tensor} Tensor */
/** @typedef {import("../../../pictures/browser/twin/types").Config} Config */
/** @typedef {"both" | "source" | "target"} Where */

const BASES = { sinusoidal: 10_000, double_sine: 1_000 };
const WHOLE = 1000; // positions from which a wavelength is written without decimals
const BETWEEN = 12; // most points of a drawn wave between two positions
const MOST_POINTS = 4000;
const STEPS = [1, 2, 4, 5, 8, 10, 16, 20, 32, 50, 64, 100, 128, 512]; // steps between the labels of an axis
const MOST_TICKS = 9;
const MORE_WRITTEN = 8; // tokens that a changed model may write beyond twice what the model wrote

/** Return the encodings of the first positions, as the embedding of a side adds them; fewer if the model learned fewer.
 * @param {import("../../../pictures/browser/twin/types").Model} model
 * @param {"source" | "target"} side
 * @param {number} count
 * @returns {Tensor}
 */
export function encodingsOf({ config, parameters }, side, count) {
  const { d_model: size, position_offset: offset, positions: kind } = config;
  const { learned } = parameters[`${side}_embedding`];
  if (!learned) return fixedPositions(kind, 0, count, size);
  const found = tensor(1, Math.min(count, learned.weight.length / size - offset), size);
  for (let row = 0; row < found.rows; row++)
    rowOf(found, row).set(rowsOfMatrix(learned.weight, size, offset + row));
  return found;
}

/** Return the numbers along an axis that counts from 0, at round steps.
 * @param {number} count
 * @param {number} most of them
 */
export function ticksOf(count, most = MOST_TICKS) {
  const some = Math.max(2, Math.min(MOST_TICKS, most));
  const step = STEPS.find((each) => count <= each * some) ?? count;
  return Array.from({ length: Math.ceil(count / step) }, (_, i) => i * step);
}

/** Return the words that are labelled, and the row beside which each label has room. Rows are lower than letters, so
 * labels reach further down than rows. If there are too many words, only every second or third is labelled.
 * @param {number} count of the words
 * @param {number} length of the map, in rows
 * @param {number} most labels that have room beside it
 * @returns {[number, number][]}
 */
export function wordPlaces(count, length, most) {
  const room = length / most;
  /** @type {[number, number][]} */
  const places = [];
  for (let word = 0; word < count; word += Math.ceil(count / most)) {
    const least = places.length ? places.at(-1)[1] + room : room / 2 - 0.5;
    places.push([word, Math.max(word, least)]);
  }
  return places;
}

/** Describe a position, with the token of the text at that position.
 * @param {number} position
 * @param {readonly string[]} tokens
 */
export const placeSaid = (position, tokens) =>
  position < tokens.length
    ? say("positions.place", { position, token: tokens[position] })
    : String(position);

/** Return the dot products of all rows with one another, in double precision.
 * @param {Tensor} encodings
 */
export function dotProducts({ rows, columns, data }) {
  const products = new Float64Array(rows * rows);
  for (let one = 0; one < rows; one++)
    for (let other = 0; other < rows; other++) {
      let sum = 0;
      for (let i = 0; i < columns; i++) sum += data[one * columns + i] * data[other * columns + i];
      products[one * rows + other] = sum;
    }
  return products;
}

/** Return the wavelength of a dimension in positions; null if the dimension has no wave.
 * @param {Config} config
 * @param {number} dimension
 */
export function wavelengthOf({ positions: kind, d_model: size }, dimension) {
  const rate = rateOf(kind, dimension, size);
  return rate === null ? null : (2 * Math.PI) / rate;
}

/** Return the values of a dimension at and between positions; null if there is no formula.
 * @param {Pick<Config, "positions" | "d_model">} config
 * @param {number} dimension
 * @param {number} last position
 * @returns {[number, number][] | null} positions and values
 */
export function curveOf({ positions: kind, d_model: size }, dimension, last) {
  if (rateOf(kind, dimension, size) === null) return null;
  const between = Math.max(1, Math.min(BETWEEN, Math.floor(MOST_POINTS / (last + 1))));
  return Array.from({ length: last * between + 1 }, (_, i) => {
    const at = i / between;
    return [at, waveAt(kind, at, dimension, size)];
  });
}

/** Describe the kind of encoding of a model: see viz/subjects/positions/words/sentences.py.
 * @param {Config} config
 * @param {number} length of a learned table
 */
export function describe(config, length) {
  const { positions: kind, d_model: count } = config;
  if (kind === "none") return say("positions.no_position");
  if (kind === "learned") return say("positions.learned_table", { count, positions: length });
  const waves = Array.from({ length: count }, (_, i) => wavelengthOf(config, i));
  if (kind === "single_frequency")
    return say("positions.one_wave", { pairs: count / 2, wave: waveText(waves[0]), count });
  const most = Math.max(...waves);
  const grow = say("positions.waves_grow", {
    least: waveText(Math.min(...waves)),
    most: waveText(most),
    dimension: waves.indexOf(most),
  });
  if (kind === "sinusoidal") return grow;
  const base = BASES.double_sine;
  const faster = (2 * Math.log(base)) / Math.log(BASES.sinusoidal);
  return `${grow} ${say("positions.double_sine", { base, faster: numberText(faster, 2) })}`;
}

/** Return a wavelength as text, a long one in whole positions.
 * @param {number} positions
 */
export const waveText = (positions) =>
  positions >= WHOLE ? say("positions.wave_long", { positions }) : numberText(positions);

/** Return what the model writes without positions in one or both of its texts.
 * @param {import("../../../pictures/browser/live/models").Kept} kept
 * @param {import("../../../pictures/browser/live/types").Answer} answer
 * @param {Where} where
 * @returns {string} ends with dots if the model did not stop by itself
 */
export function writtenWithout({ model, tokenizers }, { read, written: ids }, where) {
  const { positions, max_length: most } = model.config;
  const limit = positions === "learned" ? most : Infinity;
  const sides = where === "both" ? ["source", "target"] : [where];
  const zeros = sides.map((side) => changeOf("zero", `${side}_embedding.positions`, {}));
  const { ids: found } = translate(model, read.ids, {
    edits: editsOf(zeros, model.config),
    longest: Math.min(limit, 2 * ids.length + MORE_WRITTEN),
  });
  const text = tokenizers.naming(read).target.decode(found);
  return hasEnded(model, found) ? text : `${text} …`;
}
