// The layers of the encoder and the decoder (figure 1 of the paper): see model/encoder.py, decoder.py and stack.py.

import { attend, keysAndValues } from "./attention.js";
import { norm } from "./norms.js";
import { add, linear, stack } from "./tensor.js";

/** @typedef {import("./types").Tensor} Tensor */
/** @typedef {import("./types").Config} Config */
/** @typedef {import("./types").Module} Module */
/** @typedef {import("./types").Edits} Edits */

const enter = (config, module, x) =>
  config.norm_placement === "pre" ? norm(config, module, x) : x;

function leave(config, module, x, output) {
  const sum = add(x, output);
  return config.norm_placement === "pre" ? sum : norm(config, module, sum);
}

/** One layer of the encoder.
 * @param {Config} config
 * @param {Module} module
 * @param {string} name
 * @param {Tensor} input
 * @param {Tensor} mask
 * @param {Edits} edits
 */
export function encoderLayer(config, module, name, input, mask, edits) {
  const x = edits.apply(`${name}.input`, input);
  const read = enter(config, module.self_attn_norm, x);
  const at = `${name}.self_attn`;
  const own = keysAndValues(config, module.self_attn, at, read, 0, edits);
  const selfAttn = attend(config, module.self_attn, at, read, own, mask, 0, edits);
  const left = leave(config, module.self_attn_norm, x, selfAttn.output);
  const afterSelfAttn = edits.apply(`${name}.after_self_attn`, left);
  const output = feedForward(config, module, name, afterSelfAttn, 0, edits);
  return {
    output: edits.apply(`${name}.output`, output, 0, x),
    weights: { [`${at}.weights`]: selfAttn.weights },
  };
}

/** One layer of the decoder, for the positions from `start` on.
 * @param {Config} config
 * @param {Module} module
 * @param {string} name
 * @param {Tensor} input
 * @param {{target: Tensor, source: Tensor}} masks
 * @param {{start: number, past: import("./types").KeyValue | undefined, memory: import("./types").KeyValue}} known
 *   keys and values of earlier positions, and of the source
 * @param {Edits} edits
 */
export function decoderLayer(config, module, name, input, masks, { start, past, memory }, edits) {
  const x = edits.apply(`${name}.input`, input, start);
  const own = `${name}.self_attn`;
  const read = enter(config, module.self_attn_norm, x);
  const fresh = keysAndValues(config, module.self_attn, own, read, start, edits);
  const known = past
    ? { key: stack([past.key, fresh.key]), value: stack([past.value, fresh.value]) }
    : fresh;
  const selfAttn = attend(config, module.self_attn, own, read, known, masks.target, start, edits);
  const left = leave(config, module.self_attn_norm, x, selfAttn.output);
  const afterSelfAttn = edits.apply(`${name}.after_self_attn`, left, start);

  const cross = `${name}.cross_attn`;
  const asks = enter(config, module.cross_attn_norm, afterSelfAttn);
  const crossAttn = attend(
    config,
    module.cross_attn,
    cross,
    asks,
    memory,
    masks.source,
    start,
    edits,
  );
  const gone = leave(config, module.cross_attn_norm, afterSelfAttn, crossAttn.output);
  const afterCrossAttn = edits.apply(`${name}.after_cross_attn`, gone, start);
  const output = feedForward(config, module, name, afterCrossAttn, start, edits);
  return {
    output: edits.apply(`${name}.output`, output, start, x),
    selfAttn: known,
    weights: {
      [`${own}.weights`]: selfAttn.weights,
      [`${cross}.weights`]: crossAttn.weights,
    },
  };
}

// The feed-forward network with its residual connection (section 3.3).
function feedForward(config, module, name, x, start, edits) {
  const read = enter(config, module.feed_forward_norm, x);
  const expanded = linear(read, module.feed_forward.expand);
  for (let i = 0; i < expanded.data.length; i++) expanded.data[i] = Math.max(0, expanded.data[i]);
  const hidden = edits.apply(`${name}.feed_forward.hidden`, expanded, start);
  const contracted = linear(hidden, module.feed_forward.contract);
  const output = edits.apply(`${name}.feed_forward.output`, contracted, start);
  return leave(config, module.feed_forward_norm, x, output);
}
