// The numbers of one sentence of Start, and what is found in them.

import { numberText } from "../../../pictures/browser/numbers.js";
import { written } from "../../../pictures/browser/say.js";

/** @typedef {import("./reading.js").Reading} Reading */

const NUMBERS = ["q", "k", "v", "scores", "shares", "mix"];

/** Return whether two readings have the same numbers, to the last digit.
 * @param {Reading} one
 * @param {Reading} other
 */
export function hasSameNumbers(one, other) {
  return NUMBERS.every((name) => one[name].every((value, at) => Object.is(value, other[name][at])));
}

/** Return the weights with which one word reads all words.
 * @param {Reading} reading
 * @param {number} query
 */
export function rowOf({ matrix, tokens }, query) {
  return matrix.subarray(query * tokens.length, (query + 1) * tokens.length);
}

/** Return one of several vectors that are stored one after the other.
 * @param {Float32Array} vectors
 * @param {number} at
 * @param {number} size
 */
export function vectorAt(vectors, at, size) {
  return vectors.subarray(at * size, (at + 1) * size);
}

/** Return the positions of the largest values, the largest first; values below `least` are left out.
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

/** Return q · k and its division by √d_k in float64; null if the quotient is not the score of the run.
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

/** Return the heights of the bars of some scores, and the height of the ground line, which is a score of 0.
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

/** Return a score as it is written above its bar: one decimal is enough to compare.
 * @param {number} score
 */
export function scoreText(score) {
  if (!Number.isFinite(score) || Math.abs(score) >= 1000) return numberText(score);
  const text = score.toFixed(1).replace("-", "−");
  return written(text === "−0.0" ? "0.0" : text);
}
