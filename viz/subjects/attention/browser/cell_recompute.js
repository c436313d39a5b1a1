// Captured numbers computed a second time, by plain formulas in float64, and how far the captured ones are from these.

import { anglesOf, moduleAt, projectionOf, statesOf } from "../../../pictures/browser/twin/head.js";
import { norm } from "../../../pictures/browser/twin/norms.js";
import { rowOf, tensor } from "../../../pictures/browser/twin/tensor.js";

/** The result of a formula, and the size of the largest term of its sum.
 * @typedef {{result: number, largest: number}} Again
 */
/** @typedef {import("../../../pictures/browser/types").Tensors} Tensors */

const SMALLEST = 2 ** -126; // float32 loses precision below it, so a difference this small counts as none
const AGREES = 1e-4; // the smallest tolerance of a run

/** Return how far a number is from its recomputation, relative to the result or to the largest term if that is larger,
 * because terms that cancel leave their rounding errors behind. Two infinities or two NaN count as equal.
 * @param {number} shown
 * @param {Again} again
 */
export function apart(shown, { result, largest }) {
  if (Object.is(shown, result) || shown === result) return 0;
  const difference = Math.abs(shown - result);
  if (!Number.isFinite(difference)) return Infinity;
  return difference / Math.max(Math.abs(result), largest, SMALLEST / AGREES);
}

/** Return the largest distance of several numbers from their recomputations.
 * @param {Float32Array} shown
 * @param {(i: number) => Again} againOf
 */
export function worst(shown, againOf) {
  let most = 0;
  shown.forEach((value, i) => {
    most = Math.max(most, apart(value, againOf(i)));
  });
  return most;
}

/** @returns {Again} */
export const single = (result) => ({ result, largest: Math.abs(result) });

/** Add up terms.
 * @param {number[]} terms
 * @returns {Again}
 */
export function added(terms) {
  let [result, largest] = [0, 0];
  for (const term of terms) {
    result += term;
    largest = Math.max(largest, Math.abs(term));
  }
  return { result, largest };
}

/** Return how far a query, key or value is from its projection, which is rotated if positions are rotary; NaN if the
 * tensors for the recomputation have not arrived.
 * @param {Tensors} traced
 * @param {string} name of the attention
 * @param {"query" | "key" | "value"} part
 * @param {number} head number of the head among the queries, or among the keys and values
 * @param {number} position
 * @param {Float32Array} shown
 */
export function projectionApart(traced, name, part, head, position, shown) {
  const x = readAt(traced, name, part, position);
  const rows = x && rowsOf(traced, `${name}.${part}`, head, shown.length, x.length);
  if (!rows) return Number.NaN;
  const projected = Array.from(shown, (_, i) => {
    const weights = rowOf(rows.weight, i);
    const terms = Array.from(x, (value, j) => value * weights[j]);
    return added(rows.bias ? [...terms, rows.bias[i]] : terms);
  });
  const angles = part === "value" ? null : anglesAt(traced, name, position);
  const again = angles ? turned(projected, angles) : projected;
  return worst(shown, (i) => again[i]);
}

/** Return the angles by which queries and keys are rotated at a position; null if they are not rotated.
 * @param {Tensors} traced
 * @param {string} name of the attention
 * @param {number} position
 */
export function anglesAt({ tensors, model }, name, position) {
  const sent = tensors[`${name}.angles`];
  if (sent) return rowOf(sent, position);
  return (model && anglesOf(model.config, name, position, position + 1)?.data) || null;
}

// Rotate the pairs of dimensions (i, i + pairs) of a vector by angles (Su et al. 2021).
function turned(vector, angles) {
  const half = angles.length;
  return vector.map((again, i) => {
    if (i >= 2 * half) return again;
    const pair = i % half;
    const [one, other] = [vector[pair], vector[pair + half]];
    const [cos, sin] = [Math.cos(angles[pair]), Math.sin(angles[pair])];
    return {
      result:
        i < half ? one.result * cos - other.result * sin : other.result * cos + one.result * sin,
      largest: Math.max(one.largest, other.largest),
    };
  });
}

/** Return what a projection reads at a position. A trace lacks the norm before the attention, so that is computed here.
 * @param {Tensors} traced
 */
function readAt({ tensors, attentions, model }, name, part, position) {
  const read = attentions[name].reads[part === "query" ? 0 : 1];
  if (tensors[read]) return rowOf(tensors[read], position);
  if (!model || !read.endsWith("_norm.output")) return undefined;
  const x = rowOf(tensors[statesOf(name)], position).slice();
  const module = moduleAt(model, read.replace(/\.output$/, ""));
  return norm(model.config, module, tensor(1, 1, x.length, x)).data;
}

/** Return a head's rows of a projection and its biases, as they were sent, or from the browser's own model.
 * @param {Tensors} traced
 */
function rowsOf({ tensors, model }, name, head, size, columns) {
  const weight = tensors[`${name}.weight[${head}]`];
  if (weight) return { weight, bias: tensors[`${name}.bias[${head}]`]?.data };
  if (!model) return undefined;
  return projectionOf(moduleAt(model, name), head, size, columns);
}
