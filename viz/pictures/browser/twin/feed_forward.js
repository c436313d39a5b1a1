// The position-wise feed-forward network (section 3.3 of the paper), as in model/feed_forward.py.

import { linear } from "./tensor.js";

/** @typedef {import("./types").Tensor} Tensor */

const ACTIVATIONS = {
  relu: (x) => Math.max(0, x),
  gelu(x) {
    const half = tail(Math.abs(x) * Math.SQRT1_2) / 2;
    return x < 0 ? x * half : x * (1 - half);
  },
  gelu_tanh: (x) => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3))),
  silu: (x) => x / (1 + Math.exp(-x)),
};

// Compute 1 - erf(z) for z >= 0, with relative errors up to 1.2e-7 (Press et al., Numerical Recipes, section 6.2).
function tail(z) {
  const t = 1 / (1 + 0.5 * z);
  let sum = 0.17087277;
  sum = sum * t - 0.82215223;
  sum = sum * t + 1.48851587;
  sum = sum * t - 1.13520398;
  sum = sum * t + 0.27886807;
  sum = sum * t - 0.18628806;
  sum = sum * t + 0.09678418;
  sum = sum * t + 0.37409196;
  sum = sum * t + 1.00002368;
  sum = sum * t - 1.26551223;
  return t * Math.exp(sum - z * z);
}

/** Apply an activation in place, to a tensor that nothing else needs.
 * @param {import("./types").Config["activation"]} kind
 * @param {Tensor} x
 */
export function activate(kind, x) {
  const change = ACTIVATIONS[kind];
  const { data } = x;
  for (let i = 0; i < data.length; i++) data[i] = change(data[i]);
  return x;
}

/** Transform each position by itself.
 * @param {import("./types").Config} config
 * @param {import("./types").Module} module
 * @param {string} name the module's name in edits
 * @param {Tensor} x
 * @param {number} start
 * @param {import("./types").Edits} edits
 */
export function feedForward(config, module, name, x, start, edits) {
  const expanded = linear(x, module.expand);
  const hidden = module.gate
    ? gated(activate(config.activation, linear(x, module.gate)), expanded)
    : activate(config.activation, expanded);
  const changed = edits.apply(`${name}.hidden`, hidden, start);
  return edits.apply(`${name}.output`, linear(changed, module.contract), start);
}

// Multiply in place.
function gated(gate, { data }) {
  for (let i = 0; i < data.length; i++) gate.data[i] *= data[i];
  return gate;
}
