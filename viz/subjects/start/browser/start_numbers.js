// One sentence of Start as numbers, and what is found in them.

import { numberText } from "../../../pictures/browser/numbers.js";
import { written } from "../../../pictures/browser/say.js";

/** @typedef {import("./reading.js").Reading} Reading */

const NUMBERS = ["q", "k", "v", "scores", "shares", "mix"];

/** Whether two readings of a sentence are of the same row, to the last digit.
 * @param {Reading} one
 * @param {Reading} other
 */
export function hasSameNumbers(one, other) {
  return NUMBERS.every((name) => one[name].every((value, at) => Object.is(value, other[name][at])));
}

/** The weights with which one word reads all.
 * @param {Reading} reading
 * @param {number} query
 */
export function rowOf({ matrix, tokens }, query) {
  return matrix.subarray(query * tokens.length, (query + 1) * tokens.length);
}

/** One vector of several that lie behind each other.
 * @param {Float32Array} vectors
 * @param {number} at
 * @param {number} size
 */
export function vectorAt(vectors, at, size) {
  return vectors.subarray(at * size, (at + 1) * size);
}

/** Where the largest values stand, the largest first; none below `least`.
 * @param {ArrayLike<number>} values
 * @param {number} most
 * @param {number} [least]
 */
export function strongest(values, most, least = -Infinity) {
  return Array.from(values, (_, at) => at)
    .filter((at) => values[at] >= least)
    .sort((one, other) => values[other] - values[one])
    .slice(0, most);
}

/** What q · k and its division give in float64: null where that is not the score of the run.
 * @param {Reading} reading
 * @param {number} key
 */
export function scoreSteps({ q, k, scores }, key) {
  const product = vectorAt(k, key, q.length).reduce((sum, one, at) => sum + one * q[at], 0);
  const root = Math.sqrt(q.length);
  const score = scores[key];
  const isScore = Math.abs(product / root - score) <= 1e-4 * Math.max(1, Math.abs(score));
  return isScore ? { product, root, score } : null;
}

/** Where the bars of some scores stand: each from a common ground, which is 0.
 * @param {ArrayLike<number>} scores
 * @param {number} high pixels for the whole range
 */
export function scoreBars(scores, high) {
  const finite = Array.from(scores).filter(Number.isFinite);
  const [top, bottom] = [Math.max(0, ...finite), Math.min(0, ...finite)];
  const scale = top > bottom ? high / (top - bottom) : 0;
  const ground = Math.abs(bottom) * scale;
  return { ground, heights: Array.from(scores, (s) => (Number.isFinite(s) ? s * scale : 0)) };
}

/** A score as it stands over its bar: one decimal is enough to compare.
 * @param {number} score
 */
export function scoreText(score) {
  if (!Number.isFinite(score) || Math.abs(score) >= 1000) return numberText(score);
  const text = score.toFixed(1).replace("-", "−");
  return written(text === "−0.0" ? "0.0" : text);
}
