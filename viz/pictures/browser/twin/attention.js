// Multi-head attention (section 3.2 of the paper), as in model/attention.py.

import { fillOf, keyValueHeads, scaleOf } from "./config.js";
import { kernelOf } from "./kernel.js";
import { turn } from "./positions.js";
import { headNumbers, joinHeads, linear, rowOf, splitHeads, tensor } from "./tensor.js";

/** @typedef {import("./types").Tensor} Tensor */
/** @typedef {import("./types").KeyValue} KeyValue */
/** @typedef {import("./types").Where} Where */

/** Compute the keys and values of positions, the first of them at `start`.
 * @param {import("./types").Config} config
 * @param {import("./types").Module} module
 * @param {string} name
 * @param {Tensor} memory
 * @param {number} start
 * @param {Where} where
 * @param {import("./types").Edits} edits
 * @returns {KeyValue}
 */
export function keysAndValues(config, module, name, memory, start, where, edits) {
  const part = (kind) => splitHeads(linear(memory, module[kind]), keyValueHeads(config));
  return {
    key: edits.apply(`${name}.key`, turn(part("key"), where.angles), start),
    value: edits.apply(`${name}.value`, part("value"), start),
  };
}

/** Let each position of `x`, the first of them at `start`, attend to keys and values.
 * @param {import("./types").Config} config
 * @param {import("./types").Module} module
 * @param {string} name
 * @param {Tensor} x
 * @param {KeyValue} read
 * @param {Tensor} mask
 * @param {number} start
 * @param {Where} where
 * @param {import("./types").Edits} edits
 */
export function attend(config, module, name, x, { key, value }, mask, start, where, edits) {
  const apply = (part, found) => edits.apply(`${name}.${part}`, found, start);
  const asked = splitHeads(linear(x, module.query), config.n_heads);
  const query = apply("query", turn(asked, where.angles));
  if (where.bias) edits.keep(`${name}.bias`, where.bias);
  const allowed = apply("mask", mask);
  const kernel = kernelOf(module.output.weight);
  const scores = apply("scores", scaledScores(query, key, scaleOf(config), where.bias, kernel));
  const weights = apply("weights", softmax(scores, allowed, fillOf(config)));
  const heads = apply("heads", mix(weights, value, kernel));
  const output = apply("output", linear(joinHeads(heads), module.output));
  return { weights, output };
}

// Return the numbers of all query heads that share one head of the keys and values. They are contiguous.
function readersOf({ heads, rows, columns, data }, of, keyHeads) {
  const size = (heads / keyHeads) * rows * columns;
  return data.subarray(of * size, (of + 1) * size);
}

// Compute QK^T / sqrt(d_k), or QK^T times another factor, plus the bias if there is one.
function scaledScores(query, key, scale, bias, kernel) {
  const scores = products(query, key, kernel);
  const { data } = scores;
  if (bias) for (let i = 0; i < data.length; i++) data[i] = data[i] * scale + bias.data[i];
  else for (let i = 0; i < data.length; i++) data[i] *= scale;
  return scores;
}

function products(query, key, kernel) {
  const found = tensor(query.heads, query.rows, key.rows);
  const size = query.columns;
  if (kernel?.fits(key.rows * size, size + key.rows)) {
    for (let of = 0; of < key.heads; of++)
      kernel.linear(
        readersOf(query, of, key.heads),
        size,
        headNumbers(key, of),
        undefined,
        readersOf(found, of, key.heads),
      );
    return found;
  }
  const shared = query.heads / key.heads;
  for (let head = 0, at = 0; head < query.heads; head++)
    for (let row = 0; row < query.rows; row++) {
      const q = (head * query.rows + row) * size;
      for (let other = 0; other < key.rows; other++) {
        const k = (Math.floor(head / shared) * key.rows + other) * size;
        let sum = 0;
        for (let i = 0; i < size; i++) sum += query.data[q + i] * key.data[k + i];
        found.data[at++] = sum;
      }
    }
  return found;
}

// Compute the softmax of the masked scores. A query all of whose keys an edit has hidden with -inf attends to nothing.
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

// Compute each head's weighted sum of the values.
function mix(weights, value, kernel) {
  const heads = tensor(weights.heads, weights.rows, value.columns);
  if (kernel?.fits(value.rows * value.columns, value.rows + value.columns)) {
    for (let of = 0; of < value.heads; of++)
      kernel.mix(
        readersOf(weights, of, value.heads),
        headNumbers(value, of),
        value.columns,
        readersOf(heads, of, value.heads),
      );
    return heads;
  }
  const shared = weights.heads / value.heads;
  for (let head = 0; head < weights.heads; head++)
    for (let row = 0; row < weights.rows; row++) {
      const shares = rowOf(weights, row, head);
      const sums = new Float64Array(value.columns);
      for (let key = 0; key < shares.length; key++) {
        const v = (Math.floor(head / shared) * value.rows + key) * value.columns;
        for (let i = 0; i < sums.length; i++) sums[i] += shares[key] * value.data[v + i];
      }
      rowOf(heads, row, head).set(sums);
    }
  return heads;
}
