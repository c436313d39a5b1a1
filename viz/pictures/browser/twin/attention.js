// Multi-head attention (section 3.2 of the paper): see model/attention.py.

import { kernelOf } from "./kernel.js";
import { headNumbers, joinHeads, linear, rowOf, splitHeads, tensor } from "./tensor.js";

/** @typedef {import("./types").Tensor} Tensor */
/** @typedef {import("./types").KeyValue} KeyValue */

/** The keys and the values of positions, the first of them at `start`.
 * @param {import("./types").Config} config
 * @param {import("./types").Module} module
 * @param {string} name
 * @param {Tensor} memory
 * @param {number} start
 * @param {import("./types").Edits} edits
 * @returns {KeyValue}
 */
export function keysAndValues(config, module, name, memory, start, edits) {
  const part = (kind) =>
    edits.apply(`${name}.${kind}`, splitHeads(linear(memory, module[kind]), config.n_heads), start);
  return { key: part("key"), value: part("value") };
}

/** Let each position of `x`, the first at `start`, read keys and values.
 * @param {import("./types").Config} config
 * @param {import("./types").Module} module
 * @param {string} name
 * @param {Tensor} x
 * @param {KeyValue} read
 * @param {Tensor} mask
 * @param {number} start
 * @param {import("./types").Edits} edits
 */
export function attend(config, module, name, x, { key, value }, mask, start, edits) {
  const apply = (part, found) => edits.apply(`${name}.${part}`, found, start);
  const query = apply("query", splitHeads(linear(x, module.query), config.n_heads));
  const allowed = apply("mask", mask);
  const kernel = kernelOf(module.output.weight);
  const scores = apply("scores", scaledScores(query, key, kernel));
  const weights = apply("weights", softmax(scores, allowed, fillOf(config)));
  const heads = apply("heads", mix(weights, value, kernel));
  const output = apply("output", linear(joinHeads(heads), module.output));
  return { weights, output };
}

// JSON has no infinity.
const fillOf = ({ mask_fill: fill }) => (fill === "-inf" ? -Infinity : fill);

// QK^T / sqrt(d_k).
function scaledScores(query, key, kernel) {
  const scores = tensor(query.heads, query.rows, key.rows);
  const size = query.columns;
  const scale = Math.sqrt(size);
  if (kernel?.fits(key.rows * size, size + key.rows)) {
    for (let head = 0; head < query.heads; head++)
      kernel.linear(
        headNumbers(query, head),
        size,
        headNumbers(key, head),
        undefined,
        headNumbers(scores, head),
      );
    for (let i = 0; i < scores.data.length; i++) scores.data[i] /= scale;
    return scores;
  }
  for (let head = 0, at = 0; head < query.heads; head++)
    for (let row = 0; row < query.rows; row++) {
      const q = (head * query.rows + row) * size;
      for (let other = 0; other < key.rows; other++) {
        const k = (head * key.rows + other) * size;
        let sum = 0;
        for (let i = 0; i < size; i++) sum += query.data[q + i] * key.data[k + i];
        scores.data[at++] = sum / scale;
      }
    }
  return scores;
}

// Softmax of the masked scores. A query with all its keys hidden by an edit, with -inf, reads nothing.
function softmax(scores, mask, fill) {
  const weights = tensor(scores.heads, scores.rows, scores.columns);
  for (let head = 0; head < scores.heads; head++)
    for (let row = 0; row < scores.rows; row++) {
      const from = rowOf(scores, row, head);
      const allowed = rowOf(mask, row);
      const isLeft = from.some((score, key) => allowed[key] && score !== -Infinity);
      if (isLeft || !from.includes(-Infinity))
        softmaxOfRow(from, allowed, fill, rowOf(weights, row, head));
    }
  return weights;
}

function softmaxOfRow(scores, allowed, fill, into) {
  let largest = -Infinity;
  for (let i = 0; i < into.length; i++) {
    into[i] = allowed[i] ? scores[i] : fill;
    largest = Math.max(largest, into[i]);
  }
  let sum = 0;
  for (let i = 0; i < into.length; i++) {
    into[i] = Math.exp(into[i] - largest);
    sum += into[i];
  }
  for (let i = 0; i < into.length; i++) into[i] /= sum;
}

// Each head's mix of the values.
function mix(weights, value, kernel) {
  const heads = tensor(weights.heads, weights.rows, value.columns);
  if (kernel?.fits(value.rows * value.columns, value.rows + value.columns)) {
    for (let head = 0; head < weights.heads; head++)
      kernel.mix(
        headNumbers(weights, head),
        headNumbers(value, head),
        value.columns,
        headNumbers(heads, head),
      );
    return heads;
  }
  for (let head = 0; head < weights.heads; head++)
    for (let row = 0; row < weights.rows; row++) {
      const shares = rowOf(weights, row, head);
      const sums = new Float64Array(value.columns);
      for (let key = 0; key < shares.length; key++) {
        const v = (head * value.rows + key) * value.columns;
        for (let i = 0; i < sums.length; i++) sums[i] += shares[key] * value.data[v + i];
      }
      rowOf(heads, row, head).set(sums);
    }
  return heads;
}
