// Normalisation of each position's vector (section 3.1 of the paper cites LayerNorm), as in model/norms.py.

import { rowOf, tensor } from "./tensor.js";

/** Normalise each row.
 * @param {import("./types").Config} config
 * @param {import("./types").Module} module
 * @param {import("./types").Tensor} x
 */
export function norm({ norm: kind, norm_eps: eps }, { weight, bias }, x) {
  const y = tensor(1, x.rows, x.columns);
  const size = x.columns;
  for (let row = 0; row < x.rows; row++) {
    const from = rowOf(x, row);
    const into = rowOf(y, row);
    if (kind === "rms") {
      byRootMeanSquare(from, weight, eps, into);
      continue;
    }
    let mean = 0;
    for (let i = 0; i < size; i++) mean += from[i] / size;
    let squares = 0;
    for (let i = 0; i < size; i++) squares += (from[i] - mean) ** 2;
    const deviation =
      kind === "layer" ? Math.sqrt(squares / size + eps) : Math.sqrt(squares / (size - 1)) + eps;
    for (let i = 0; i < size; i++) into[i] = ((from[i] - mean) / deviation) * weight[i] + bias[i];
  }
  return y;
}

// Compute x / sqrt(mean of the squares + eps), scaled (Zhang and Sennrich 2019).
function byRootMeanSquare(from, weight, eps, into) {
  let squares = 0;
  for (const value of from) squares += value ** 2;
  const root = Math.sqrt(squares / from.length + eps);
  for (let i = 0; i < from.length; i++) into[i] = (from[i] / root) * weight[i];
}
