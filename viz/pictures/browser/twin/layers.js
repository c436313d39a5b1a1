// The layers of the encoder and the decoder (figure 1 of the paper), as in model/encoder.py and model/decoder.py.

import { attend, keysAndValues } from "./attention.js";
import { enter, feed, leave, NOWHERE } from "./stack.js";
import { stack } from "./tensor.js";

/** @typedef {import("./types").Tensor} Tensor */
/** @typedef {import("./types").Config} Config */
/** @typedef {import("./types").Module} Module */
/** @typedef {import("./types").Edits} Edits */
/** @typedef {import("./types").KeyValue} KeyValue */
/** @typedef {import("./types").Where} Where */

/** Run one layer of the encoder.
 * @param {Config} config
 * @param {Module} module
 * @param {string} name
 * @param {Tensor} input
 * @param {{mask: Tensor, where: Where}} given the mask and positions, the same for every layer
 * @param {Edits} edits
 */
export function encoderLayer(config, module, name, input, { mask, where }, edits) {
  const x = edits.apply(`${name}.input`, input);
  const at = `${name}.self_attn`;
  const read = enter(config, module.self_attn_norm, x);
  const own = keysAndValues(config, module.self_attn, at, read, 0, where, edits);
  const selfAttn = attend(config, module.self_attn, at, read, own, mask, 0, where, edits);
  const afterSelfAttn = leaveSelfAttention(config, module, name, x, selfAttn.output, 0, edits);
  const output = feed(config, module, name, x, afterSelfAttn, 0, edits);
  return {
    output: edits.apply(`${name}.output`, output, 0, x),
    weights: { [`${at}.weights`]: selfAttn.weights },
  };
}

// Add self-attention's output. Only if the feed-forward network follows is the result a state with a name.
function leaveSelfAttention(config, module, name, x, output, start, edits) {
  const left = leave(config, module.self_attn_norm, x, output);
  if (config.norm_placement === "parallel") return left;
  return edits.apply(`${name}.after_self_attn`, left, start);
}

/** Run one layer of the decoder, for the positions from `start` on. Without an encoder there is no memory to read.
 * @param {Config} config
 * @param {Module} module
 * @param {string} name
 * @param {Tensor} input
 * @param {{target: Tensor, source: Tensor | null, where: Where}} given the masks and positions, for every layer
 * @param {{start: number, past: KeyValue | undefined, memory: KeyValue | undefined}} known
 *   keys and values of earlier positions, and of the source
 * @param {Edits} edits
 */
export function decoderLayer(config, module, name, input, given, { start, past, memory }, edits) {
  const { where } = given;
  const x = edits.apply(`${name}.input`, input, start);
  const at = `${name}.self_attn`;
  const read = enter(config, module.self_attn_norm, x);
  const fresh = keysAndValues(config, module.self_attn, at, read, start, where, edits);
  const own = past
    ? { key: stack([past.key, fresh.key]), value: stack([past.value, fresh.value]) }
    : fresh;
  const mask = given.target;
  const selfAttn = attend(config, module.self_attn, at, read, own, mask, start, where, edits);
  const afterSelfAttn = leaveSelfAttention(config, module, name, x, selfAttn.output, start, edits);
  const crossed = memory
    ? readMemory(config, module, name, afterSelfAttn, memory, given.source, start, edits)
    : { output: afterSelfAttn, weights: {} };
  const output = feed(config, module, name, x, crossed.output, start, edits);
  return {
    output: edits.apply(`${name}.output`, output, start, x),
    selfAttn: own,
    weights: { [`${at}.weights`]: selfAttn.weights, ...crossed.weights },
  };
}

// Run cross-attention with its residual connection.
function readMemory(config, module, name, x, memory, mask, start, edits) {
  const at = `${name}.cross_attn`;
  const asks = enter(config, module.cross_attn_norm, x);
  const crossAttn = attend(
    config,
    module.cross_attn,
    at,
    asks,
    memory,
    mask,
    start,
    NOWHERE,
    edits,
  );
  const left = leave(config, module.cross_attn_norm, x, crossAttn.output);
  return {
    output: edits.apply(`${name}.after_cross_attn`, left, start),
    weights: { [`${at}.weights`]: crossAttn.weights },
  };
}
