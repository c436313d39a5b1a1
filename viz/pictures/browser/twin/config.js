// The config of a model: its parts, and the choices of its variant. See model/config.py.

/** @typedef {import("./types").Config} Config */

/** The values of fields that a checkpoint lacks. A file older than a field means the paper's choice.
 * @type {Partial<Config>}
 */
const USUAL = {
  pad_id: 0,
  padding_by_id: true,
  d_ff: 2048,
  n_kv_heads: 0,
  norm_placement: "post",
  final_norm: false,
  norm: "layer",
  norm_eps: 1e-5,
  attention_bias: true,
  attention_output_bias: true,
  score_scale: null,
  window: 0,
  activation: "relu",
  gated: false,
  feed_forward_bias: true,
  positions: "sinusoidal",
  max_length: 512,
  position_offset: 0,
  positions_skip_padding: false,
  rotary_share: 1,
  rotary_base: 10_000,
  rotary_factor: 1,
  rotary_context: 0,
  rotary_low: 1,
  rotary_high: 4,
  relative_buckets: 32,
  relative_max_distance: 128,
  segments: 0,
  embedding_norm: false,
  scale_embeddings: true,
  tying: "all",
  head: "linear",
  generator_bias: true,
  scale_logits: false,
  mask_fill: "-inf",
  causal_mask: true,
  encoder_padding_mask: true,
  decoder_padding_mask: true,
  target_padding_mask: true,
  output: "logits",
};

/** Read the config of a checkpoint, as `TransformerConfig.to_dict` writes it.
 * @param {Partial<Config>} values
 * @returns {Config}
 */
export const readConfig = (values) => /** @type {Config} */ ({ ...USUAL, ...values });

/** Return whether the model has an encoder.
 * @param {Config} config
 */
export const hasEncoder = ({ n_encoder_layers: layers }) => layers > 0;

/** Return whether the model has a decoder, with which it writes.
 * @param {Config} config
 */
export const hasDecoder = ({ n_decoder_layers: layers }) => layers > 0;

/** Return whether the decoder attends to an encoder.
 * @param {Config} config
 */
export const hasCrossAttention = (config) => hasEncoder(config) && hasDecoder(config);

/** Return the number of key and value heads, each shared by the same number of query heads.
 * @param {Config} config
 */
export const keyValueHeads = ({ n_kv_heads: own, n_heads: heads }) => own || heads;

/** Return the factor of the scores (section 3.2.1).
 * @param {Config} config
 */
export const scaleOf = ({ score_scale: own, d_k: size }) => own ?? size ** -0.5;

/** Return the score of a masked cell. The config writes infinity as text, because JSON has none.
 * @param {Config} config
 */
export const fillOf = ({ mask_fill: fill }) => (fill === "-inf" ? -Infinity : fill);

/** Return the padding id that a mask hides in the source, for the encoder or for cross-attention, or null.
 * @param {Config} config
 * @param {"encoder_padding_mask" | "decoder_padding_mask"} mask
 */
export const sourcePadding = (config, mask) =>
  config.padding_by_id && config[mask] ? config.pad_id : null;

/** Return the padding id that is hidden from decoder self-attention, or null.
 * @param {Config} config
 */
export const targetPadding = (config) =>
  config.target_padding_mask ? sourcePadding(config, "decoder_padding_mask") : null;
