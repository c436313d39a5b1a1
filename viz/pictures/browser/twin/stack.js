// The common code of encoder and decoder: residual connections, norms, and the positions for attentions. See
// model/stack.py.

import { feedForward } from "./feed_forward.js";
import { norm } from "./norms.js";
import { alibiBias, relativeBias, rotaryAngles } from "./positions.js";
import { add } from "./tensor.js";

/** @typedef {import("./types").Tensor} Tensor */
/** @typedef {import("./types").Config} Config */
/** @typedef {import("./types").Module} Module */
/** @typedef {import("./types").Edits} Edits */
/** @typedef {import("./types").Where} Where */

/** @type {Where} */
export const NOWHERE = { angles: null, bias: null };

/** Prepare the positions from `start` to `length` - 1 for the self-attention of all layers.
 * @param {Config} config
 * @param {Module} module the module of the stack
 * @param {number} start
 * @param {number} length
 * @param {boolean} bothWays whether its rows attend in both directions
 * @returns {Where}
 */
export function whereOf(config, module, start, length, bothWays) {
  if (config.positions === "rotary")
    return { ...NOWHERE, angles: rotaryAngles(config, start, length) };
  if (config.positions === "alibi")
    return { ...NOWHERE, bias: alibiBias(config.n_heads, start, length) };
  if (config.positions !== "relative") return NOWHERE;
  const bias = relativeBias(config, module.relative.weight, bothWays, start, length);
  return { ...NOWHERE, bias };
}

/** Return the input of a sublayer: the norm of x if the norm comes first.
 * @param {Config} config
 * @param {Module} module the module of the norm
 * @param {Tensor} x
 */
export const enter = (config, module, x) =>
  config.norm_placement === "post" ? x : norm(config, module, x);

/** Add a sublayer's output to its input; normalise if the norm comes last.
 * @param {Config} config
 * @param {Module} module the module of the norm
 * @param {Tensor} x
 * @param {Tensor} output
 */
export function leave(config, module, x, output) {
  const sum = add(x, output);
  return config.norm_placement === "post" ? norm(config, module, sum) : sum;
}

/** Add the feed-forward network's output for x, or for the input of a parallel layer, if layers have such a network.
 * @param {Config} config
 * @param {Module} module the module of the layer
 * @param {string} name the name of the layer
 * @param {Tensor} entered
 * @param {Tensor} x
 * @param {number} start
 * @param {Edits} edits
 */
export function feed(config, module, name, entered, x, start, edits) {
  if (!module.feed_forward) return x;
  const from = config.norm_placement === "parallel" ? entered : x;
  const read = enter(config, module.feed_forward_norm, from);
  const path = `${name}.feed_forward`;
  const output = feedForward(config, module.feed_forward, path, read, start, edits);
  return leave(config, module.feed_forward_norm, x, output);
}

/** Apply the final norm, if there is one.
 * @param {Config} config
 * @param {Module} module the module of the stack
 * @param {Tensor} x
 */
export const finish = (config, module, x) => (module.norm ? norm(config, module.norm, x) : x);
