// The encoder-decoder transformer (figure 1 of the paper) in the browser: see model/transformer.py, whose twin it is.

import { keysAndValues } from "./attention.js";
import { embed } from "./embedding.js";
import { decoderLayer, encoderLayer } from "./layers.js";
import { maskOf } from "./masks.js";
import { norm } from "./norms.js";
import { linear } from "./tensor.js";

/** @typedef {import("./types").Model} Model */
/** @typedef {import("./types").Tensor} Tensor */
/** @typedef {import("./types").Edits} Edits */

const range = (count) => Array.from({ length: count }, (_, i) => i);
const finish = ({ config }, module, x) => (module.norm ? norm(config, module.norm, x) : x);

/** Embed a source and pass it through the encoder: the memory, and the weights on the way.
 * @param {Model} model
 * @param {number[]} source
 * @param {Edits} edits
 */
export function encode(model, source, edits) {
  const { config, parameters } = model;
  const padding = config.encoder_padding_mask ? config.pad_id : null;
  const mask = maskOf({ rows: source.length, ids: source, padding });
  const weights = {};
  let x = embed(config, parameters.source_embedding, "source_embedding", source, 0, edits);
  for (const i of range(config.n_encoder_layers)) {
    const module = parameters.encoder.layers[i];
    const layer = encoderLayer(config, module, `encoder.layers.${i}`, x, mask, edits);
    Object.assign(weights, layer.weights);
    x = layer.output;
  }
  const memory = edits.apply("encoder.output", finish(model, parameters.encoder, x));
  return { memory, weights };
}

/** Begin a decoding: keys and values of the memory, in each layer.
 * @param {Model} model
 * @param {Tensor} memory
 * @param {Edits} edits
 * @returns {import("./types").Cache}
 */
export function beginCache({ config, parameters }, memory, edits) {
  const cross = (i) =>
    keysAndValues(
      config,
      parameters.decoder.layers[i].cross_attn,
      `decoder.layers.${i}.cross_attn`,
      memory,
      0,
      edits,
    );
  return {
    length: 0,
    self_attn: [],
    cross_attn: range(config.n_decoder_layers).map(cross),
  };
}

/** Pass the positions of a target that a cache lacks through the decoder, and to the logits of each.
 * @param {Model} model
 * @param {number[]} source
 * @param {number[]} target
 * @param {import("./types").Cache} cache
 * @param {Edits} edits
 */
export function decode(model, source, target, cache, edits) {
  const { config, parameters } = model;
  const start = cache.length;
  const padding = config.decoder_padding_mask ? config.pad_id : null;
  const rows = target.length - start;
  const masks = {
    target: maskOf({ rows, start, ids: target, causal: config.causal_mask, padding }),
    source: maskOf({ rows, ids: source, padding }),
  };
  const weights = {};
  const selfAttn = [];
  const fresh = target.slice(start);
  let x = embed(config, parameters.target_embedding, "target_embedding", fresh, start, edits);
  for (const i of range(config.n_decoder_layers)) {
    const module = parameters.decoder.layers[i];
    const known = { start, past: cache.self_attn[i], memory: cache.cross_attn[i] };
    const layer = decoderLayer(config, module, `decoder.layers.${i}`, x, masks, known, edits);
    Object.assign(weights, layer.weights);
    selfAttn.push(layer.selfAttn);
    x = layer.output;
  }
  const output = edits.apply("decoder.output", finish(model, parameters.decoder, x), start);
  const last = { ...output, rows: 1, data: output.data.slice(-output.columns) };
  const logits = edits.apply("logits", linear(last, parameters.generator), target.length - 1);
  return { logits, weights, cache: { ...cache, length: target.length, self_attn: selfAttn } };
}
