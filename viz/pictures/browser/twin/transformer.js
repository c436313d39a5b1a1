// The transformer (figure 1 of the paper) in the browser, the twin of model/transformer.py.

import { keysAndValues } from "./attention.js";
import { hasCrossAttention, sourcePadding, targetPadding } from "./config.js";
import { embed } from "./embedding.js";
import { activate } from "./feed_forward.js";
import { decoderLayer, encoderLayer } from "./layers.js";
import { maskOf } from "./masks.js";
import { norm } from "./norms.js";
import { finish, NOWHERE, whereOf } from "./stack.js";
import { linear } from "./tensor.js";

/** @typedef {import("./types").Model} Model */
/** @typedef {import("./types").Tensor} Tensor */
/** @typedef {import("./types").Edits} Edits */

const range = (count) => Array.from({ length: count }, (_, i) => i);

/** Embed a source and run the encoder. Return the memory, and the weights of all layers.
 * @param {Model} model
 * @param {number[]} source
 * @param {Edits} edits
 */
export function encode({ config, parameters }, source, edits) {
  const padding = sourcePadding(config, "encoder_padding_mask");
  const given = {
    mask: maskOf({ rows: source.length, ids: source, padding }),
    where: whereOf(config, parameters.encoder, 0, source.length, true),
  };
  const weights = {};
  let x = embed(config, parameters.source_embedding, "source_embedding", source, 0, edits);
  for (const i of range(config.n_encoder_layers)) {
    const module = parameters.encoder.layers[i];
    const layer = encoderLayer(config, module, `encoder.layers.${i}`, x, given, edits);
    Object.assign(weights, layer.weights);
    x = layer.output;
  }
  const memory = edits.apply("encoder.output", finish(config, parameters.encoder, x));
  return { memory, weights };
}

/** Begin a decoding: compute the keys and values of the memory in each layer, or none without an encoder.
 * @param {Model} model
 * @param {Tensor | null} memory
 * @param {Edits} edits
 * @returns {import("./types").Cache}
 */
export function beginCache({ config, parameters }, memory, edits) {
  const cross = (i) => {
    const { cross_attn: module } = parameters.decoder.layers[i];
    const name = `decoder.layers.${i}.cross_attn`;
    return keysAndValues(config, module, name, memory, 0, NOWHERE, edits);
  };
  const crosses = hasCrossAttention(config);
  return {
    length: 0,
    self_attn: [],
    cross_attn: crosses ? range(config.n_decoder_layers).map(cross) : [],
  };
}

/** Run the decoder on the positions of a target that are not in a cache.
 * @param {Model} model
 * @param {number[]} source
 * @param {number[]} target
 * @param {import("./types").Cache} cache
 * @param {Edits} edits
 */
export function decode({ config, parameters }, source, target, cache, edits) {
  const start = cache.length;
  const rows = target.length - start;
  const { causal_mask: causal, window } = config;
  const padding = sourcePadding(config, "decoder_padding_mask");
  const own = { rows, start, ids: target, causal, window, padding: targetPadding(config) };
  const given = {
    target: maskOf(own),
    source: hasCrossAttention(config) ? maskOf({ rows, ids: source, padding }) : null,
    where: whereOf(config, parameters.decoder, start, target.length, false),
  };
  const weights = {};
  const selfAttn = [];
  const fresh = target.slice(start);
  let x = embed(config, parameters.target_embedding, "target_embedding", fresh, start, edits);
  for (const i of range(config.n_decoder_layers)) {
    const module = parameters.decoder.layers[i];
    const known = { start, past: cache.self_attn[i], memory: cache.cross_attn[i] };
    const layer = decoderLayer(config, module, `decoder.layers.${i}`, x, given, known, edits);
    Object.assign(weights, layer.weights);
    selfAttn.push(layer.selfAttn);
    x = layer.output;
  }
  const output = edits.apply("decoder.output", finish(config, parameters.decoder, x), start);
  return { output, weights, cache: { ...cache, length: target.length, self_attn: selfAttn } };
}

/** Compute the logits of hidden states of the last stack, the first of them at `start`, with the variant's head.
 * @param {Model} model
 * @param {Tensor} hidden
 * @param {Edits} edits
 * @param {number} [start]
 */
export function generate({ config, parameters }, hidden, edits, start = 0) {
  const { transform, generator } = parameters;
  let x = hidden;
  if (transform)
    x = norm(config, transform.norm, activate(config.activation, linear(x, transform.dense)));
  if (config.scale_logits) x = { ...x, data: x.data.map((value) => value * x.columns ** -0.5) };
  return edits.apply("logits", linear(x, generator), start);
}

/** Return the output of the variant for some logits: these, their softmax, or its logarithm.
 * @param {Model} model
 * @param {Tensor} logits
 * @param {Edits} edits
 */
export function outputOf({ config: { output } }, logits, edits) {
  const rows = output === "logits" ? logits : normalised(logits, output === "log_softmax");
  return edits.apply("output", rows);
}

/** @param {Tensor} logits @param {boolean} isLog @returns {Tensor} */
function normalised({ data, ...axes }, isLog) {
  const { columns } = axes;
  const shares = new Float32Array(data.length);
  for (let from = 0; from < data.length; from += columns) {
    const row = data.subarray(from, from + columns);
    const largest = row.reduce((most, value) => Math.max(most, value), -Infinity);
    const log = Math.log(row.reduce((sum, value) => sum + Math.exp(value - largest), 0));
    row.forEach((value, i) => {
      shares[from + i] = isLog ? value - largest - log : Math.exp(value - largest - log);
    });
  }
  return { ...axes, data: shares };
}
