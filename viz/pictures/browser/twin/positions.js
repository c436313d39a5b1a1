// Positional encodings, the paper's (section 3.5) and those of other models, as in model/positions.py.

import { rowsOfMatrix } from "./matrix.js";
import { rowOf, tensor } from "./tensor.js";

/** @typedef {import("./types").Tensor} Tensor */
/** @typedef {import("./types").Config} Config */
/** @typedef {Config["positions"]} Positions */

const { fround } = Math;

/** @type {Partial<Record<Positions, (i: number, size: number) => number>>} */
const RATES = {
  sinusoidal: (i, size) => 10000 ** (-(i - (i % 2)) / size),
  double_sine: (i, size) => 1000 ** ((-2 * i) / size),
  single_frequency: () => 1,
  sinusoidal_halves: (i, size) => RATES.sinusoidal(2 * (i % (size / 2)), size),
};

/** Return the radians by which a dimension's wave advances per position, or null if the kind has no wave.
 * @param {Positions} kind
 * @param {number} i the dimension
 * @param {number} size the number of dimensions
 */
export const rateOf = (kind, i, size) => RATES[kind]?.(i, size) ?? null;

const isCosine = (kind, i, size) =>
  kind === "sinusoidal_halves" ? i >= size / 2 : kind !== "double_sine" && i % 2 === 1;

/** Compute an encoding at any place, also between two positions.
 * @param {Positions} kind a kind that has a wave
 * @param {number} position
 * @param {number} i the dimension
 * @param {number} size the number of dimensions
 */
export function waveAt(kind, position, i, size) {
  const angle = position * RATES[kind](i, size);
  return isCosine(kind, i, size) ? Math.cos(angle) : Math.sin(angle);
}

/** Return the encodings of positions from `start` on, for a kind that is not learned; zeros if it adds no vectors.
 * @param {Positions} kind
 */
export function fixedPositions(kind, start, count, size) {
  const encodings = tensor(1, count, size);
  if (!RATES[kind]) return encodings;
  for (let row = 0; row < count; row++) {
    const into = rowOf(encodings, row);
    for (let i = 0; i < size; i++) into[i] = waveAt(kind, start + row, i, size);
  }
  return encodings;
}

/** Compute each pair's angle at positions from `start` on, in single precision as in the training of such models.
 * @param {Config} config
 * @param {number} start
 * @param {number} stop
 */
export function rotaryAngles(config, start, stop) {
  const turned = Math.trunc(config.d_k * config.rotary_share);
  const angles = tensor(1, stop - start, turned / 2);
  for (let pair = 0; pair < angles.columns; pair++) {
    const exponent = fround((2 * pair) / turned);
    const plain = fround(1 / fround(fround(config.rotary_base) ** exponent));
    const frequency = config.rotary_factor === 1 ? plain : stretched(plain, config);
    for (let row = 0; row < angles.rows; row++)
      angles.data[row * angles.columns + pair] = (start + row) * frequency;
  }
  return angles;
}

// Divide a frequency by the factor; with a context, only as far as its wave is long (Llama 3.1).
function stretched(frequency, { rotary_factor: factor, rotary_context: context, ...ends }) {
  const { rotary_low: low, rotary_high: high } = ends;
  const divided = fround(frequency / fround(factor));
  if (!context) return divided;
  const rounds = fround(context / fround(fround(2 * Math.PI) / frequency));
  const share = fround(fround(rounds - fround(low)) / fround(high - low));
  const kept = Math.min(1, Math.max(0, share));
  return fround(fround(fround(1 - kept) * divided) + fround(kept * frequency));
}

/** Rotate the pairs of dimensions (i, i + r/2) among the first r by the angles, in place.
 * @param {Tensor} x
 * @param {Tensor | null} angles
 */
export function turn(x, angles) {
  if (!angles) return x;
  const half = angles.columns;
  const cos = angles.data.map(Math.cos);
  const sin = angles.data.map(Math.sin);
  for (let head = 0; head < x.heads; head++)
    for (let row = 0; row < x.rows; row++) {
      const vector = rowOf(x, row, head);
      for (let i = 0, at = row * half; i < half; i++, at++) {
        const [one, other] = [vector[i], vector[half + i]];
        vector[i] = one * cos[at] - other * sin[at];
        vector[half + i] = other * cos[at] + one * sin[at];
      }
    }
  return x;
}

/** Compute ALiBi's bias, which falls with distance, for queries from `start` on (Press et al. 2022); 0 for later keys.
 * @param {number} heads
 * @param {number} start
 * @param {number} length
 */
export function alibiBias(heads, start, length) {
  const bias = tensor(heads, length - start, length);
  for (const [head, slope] of slopes(heads).entries())
    for (let row = 0; row < bias.rows; row++) {
      const into = rowOf(bias, row, head);
      for (let key = 0; key < start + row; key++) into[key] = -slope * (start + row - key);
    }
  return bias;
}

// Return 2^(-8h / n). If n is not a power of 2, add to those of the power below every other one of the power above.
function slopes(heads) {
  const power = 2 ** Math.floor(Math.log2(heads));
  return Array.from({ length: heads }, (_, i) =>
    i < power ? 2 ** ((-8 * (i + 1)) / power) : 2 ** ((-4 * (2 * (i - power) + 1)) / power),
  );
}

/** Return the bucket of a distance between query and key (Raffel et al. 2020): half are exact, the others grow.
 * @param {number} distance the key's position minus that of the query
 * @param {boolean} bothWays whether later keys have the upper half of the buckets
 * @param {Config} config
 */
export function relativeBucket(distance, bothWays, config) {
  const buckets = bothWays ? Math.floor(config.relative_buckets / 2) : config.relative_buckets;
  const first = bothWays && distance > 0 ? buckets : 0;
  const away = bothWays ? Math.abs(distance) : Math.max(0, -distance);
  const exact = Math.floor(buckets / 2);
  if (away < exact) return first + away;
  const whole = fround(Math.log(config.relative_max_distance / exact));
  const ratio = fround(fround(Math.log(fround(away / exact))) / whole);
  const far = exact + Math.trunc(fround(ratio * (buckets - exact)));
  return first + Math.min(far, buckets - 1);
}

/** Return the learned bias of each distance, for each head and each query from `start` on.
 * @param {Config} config
 * @param {Float32Array} weight a row for each bucket, with a number for each head
 * @param {boolean} bothWays
 * @param {number} start
 * @param {number} length
 */
export function relativeBias(config, weight, bothWays, start, length) {
  const bias = tensor(config.n_heads, length - start, length);
  for (let distance = 1 - length; distance < length - start; distance++) {
    const numbers = rowsOfMatrix(weight, bias.heads, relativeBucket(distance, bothWays, config));
    for (let head = 0; head < bias.heads; head++)
      for (let row = 0; row < bias.rows; row++) {
        const key = start + row + distance;
        if (key >= 0 && key < length) rowOf(bias, row, head)[key] = numbers[head];
      }
  }
  return bias;
}
