// The parameters of one attention head, in float32, and the other tensors from which its numbers are recomputed.

import { keyValueHeads } from "./config.js";
import { rowsOfMatrix } from "./matrix.js";
import { norm } from "./norms.js";
import { rotaryAngles } from "./positions.js";
import { headNumbers, rowOf, tensor } from "./tensor.js";

/** @typedef {import("./types").Model} Model */
/** @typedef {import("./types").Module} Module */
/** @typedef {import("./types").Tensor} Tensor */

/** Return the parameters of a module.
 * @param {Pick<Model, "parameters">} model
 * @param {string} path
 * @returns {Module}
 */
export const moduleAt = ({ parameters }, path) =>
  path.split(".").reduce((module, part) => module[part], parameters);

/** Return the path of the states that an attention reads or, if a norm comes before it, that the norm reads.
 * @param {string} path the path of the attention
 */
export const statesOf = (path) =>
  path.replace(/\w+$/, path.endsWith("cross_attn") ? "after_self_attn" : "input");

/** Return a head's rows of a projection, and its biases.
 * @param {Module} module
 * @param {number} head the head of the queries, or of the keys and values
 * @param {number} size the size of a head
 * @param {number} columns
 * @returns {{weight: Tensor, bias: Float32Array | undefined}}
 */
export function projectionOf(module, head, size, columns) {
  const from = head * size;
  return {
    weight: tensor(1, size, columns, rowsOfMatrix(module.weight, columns, from, size)),
    bias: module.bias?.subarray(from, from + size),
  };
}

/** Return the angles by which rotary positions turn an attention's queries and keys, or null if it has none.
 * @param {import("./types").Config} config
 * @param {string} path the path of the attention
 * @param {number} start
 * @param {number} stop
 */
export const anglesOf = (config, path, start, stop) =>
  config.positions === "rotary" && !path.endsWith("cross_attn")
    ? rotaryAngles(config, start, stop)
    : null;

/** Return the names of the tensors of a run that `recomputedFrom` needs.
 * @param {string} path the path of the attention
 */
export const neededFor = (path) => [statesOf(path), `${path}.heads`, `${path}.key`];

/** Return all tensors that a head's numbers are recomputed from and that no trace holds, with the names that Python
 * gives them; see _recomputed_from in viz/run/tensor_parcel.py. The numbers are copies.
 * @param {Model} model
 * @param {string} path the path of the attention
 * @param {number} head
 * @param {Record<string, Tensor>} run the tensors of the run that `neededFor` names
 * @returns {Record<string, Tensor>}
 */
export function recomputedFrom(model, path, head, run) {
  const { config } = model;
  const states = run[statesOf(path)];
  const keyHead = Math.floor((head * keyValueHeads(config)) / config.n_heads);
  /** @type {Record<string, Tensor>} */
  const found = {};
  if (config.norm_placement !== "post")
    found[`${path}_norm.output`] = norm(config, moduleAt(model, `${path}_norm`), states);
  for (const [part, of, size] of /** @type {[string, number, number][]} */ ([
    ["query", head, config.d_k],
    ["key", keyHead, config.d_k],
    ["value", keyHead, config.d_v],
  ])) {
    const module = moduleAt(model, `${path}.${part}`);
    const { weight, bias } = projectionOf(module, of, size, states.columns);
    found[`${path}.${part}.weight[${of}]`] = { ...weight, data: weight.data.slice() };
    if (bias) found[`${path}.${part}.bias[${of}]`] = vector(bias);
  }
  const { bias } = moduleAt(model, `${path}.output`);
  if (bias) found[`${path}.output.bias`] = vector(bias);
  Object.assign(found, writtenBy(model, path, head, run[`${path}.heads`], states.columns));
  const angles = anglesOf(config, path, 0, run[`${path}.key`].rows);
  if (angles) found[`${path}.angles`] = angles;
  return found;
}

const vector = (numbers) => tensor(1, 1, numbers.length, numbers.slice());

// Return a head's columns of the output projection, the sum of the other heads' outputs, and the norms of all outputs.
function writtenBy(model, path, head, heads, width) {
  const { weight } = moduleAt(model, `${path}.output`);
  const { rows, columns: size } = heads;
  const joined = heads.heads * size;
  const numbers = rowsOfMatrix(weight, joined, 0, width);
  const own = tensor(1, width, size);
  for (let out = 0; out < width; out++) {
    const from = out * joined + head * size;
    rowOf(own, out).set(numbers.subarray(from, from + size));
  }
  const others = tensor(1, rows, width);
  const norms = tensor(1, rows, heads.heads);
  for (let row = 0; row < rows; row++) {
    const sums = new Float64Array(width);
    for (let one = 0; one < heads.heads; one++) {
      const mix = headNumbers(heads, one).subarray(row * size, (row + 1) * size);
      let squares = 0;
      for (let out = 0, at = one * size; out < width; out++, at += joined) {
        let written = 0;
        for (let i = 0; i < size; i++) written += mix[i] * numbers[at + i];
        squares += written * written;
        if (one !== head) sums[out] += written;
      }
      rowOf(norms, row)[one] = Math.sqrt(squares);
    }
    rowOf(others, row).set(sums);
  }
  return {
    [`${path}.output.weight[${head}]`]: own,
    [`${path}.others[${head}]`]: others,
    [`${path}.norms`]: norms,
  };
}
