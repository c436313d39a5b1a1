// The browser's own model, run on a text: the record of a run as Python sends it, and all computed tensors.

import { encodeWeights } from "../twin/codes.js";
import { hasDecoder, hasEncoder } from "../twin/config.js";
import { allowed, bestOf, editsFor, firstId, promptOf, translate } from "../twin/decoding.js";
import { rowOf, stack, tensor } from "../twin/tensor.js";
import { beginTrace, traceOf, withPredictions } from "../twin/trace.js";

const MOST_TOKENS = 96; // maximum for a text to read, because a longer one takes more than a few frames
const LEAST_WRITTEN = 64; // as MAX_WRITTEN in viz/run/record.py
/** The maximum number of tokens written after a prompt, as MAX_CONTINUED there. */
export const MOST_CONTINUED = 16;

/** @typedef {import("./types").Answer} Answer */
/** @typedef {import("../twin/types").Config} Config */
/** @typedef {import("../twin/types").Trace} Trace */

/** Translate a text, continue it, or only read it. Return null if it has too many tokens.
 * @param {import("./models").Kept} kept
 * @param {string} text
 * @param {import("../wire").WireIntervention[]} interventions those that have a meaning in the text
 * @param {number} continued the maximum number of tokens to write after a prompt
 * @returns {Answer | null}
 */
export function answerTo(
  { model, tokenizers },
  text,
  interventions = [],
  continued = MOST_CONTINUED,
) {
  const { config } = model;
  const read = hasEncoder(config) ? tokenizers.encodeSource(text) : tokenizers.encodePrompt(text);
  if (read.ids.length > Math.min(MOST_TOKENS, mostRead(config))) return null;
  const longest = longestWritten(config, read.ids, 0, continued);
  const edits = editsFor(model, read.ids, interventions, { longest });
  const isRead = !hasEncoder(config) && longest === read.ids.length; // no token is written that would be read in turn
  const { ids, logits, trace } = (isRead ? readOnce : written)(model, read.ids, edits, longest);
  const { target } = tokenizers.naming(read);
  const prompt = promptOf(model, read.ids).length;
  return {
    text,
    isTyped: true,
    interventions,
    read,
    written: ids,
    prompt,
    sentence: hasDecoder(config) ? target.decode(ids.slice(prompt)) : "",
    tokens: {
      source: hasEncoder(config) ? read.tokens : [],
      target: hasDecoder(config) ? [firstId(model, read.ids), ...ids].map(target.token) : [],
    },
    chosenFrom: logits ?? trace.tensors.logits ?? null,
    ...trace,
    ...packed(config, trace.tensors),
  };
}

// Write tokens step by step, then run all of them in one pass, whose tensors are kept.
function written(model, read, edits, longest) {
  const { begun, finish } = beginTrace(model, read, edits);
  const { ids, logits } = translate(model, read, { edits, longest, begun });
  const stacked = ids.length ? stackedLogits(logits) : undefined;
  const isFinal = model.config.causal_mask && !edits.needAllRows; // no row depends on a later one
  const trace = withPredictions(model, finish(ids), edits, isFinal ? stacked : undefined);
  return { ids, logits: stacked, trace };
}

// Read a prompt after which only one token is written, which takes a single pass.
function readOnce(model, read, edits, longest) {
  const forced = promptOf(model, read);
  const trace = withPredictions(model, traceOf(model, read, [...forced, 0], edits), edits);
  const { logits } = trace.tensors;
  const last = rowOf(logits, logits.rows - 1);
  const next = bestOf(allowed(model, last, forced.length, longest));
  return { ids: [...forced, next], logits, trace };
}

const stackedLogits = (logits) => stack(logits.map((of) => tensor(1, 1, of.length, of)));

const limitOf = ({ positions, max_length }) => (positions === "learned" ? max_length : Infinity);

// Return the maximum number of tokens to read. A prompt must leave a position for one more token.
const mostRead = (config) => limitOf(config) - Number(!hasEncoder(config));

/** Return the maximum number of tokens to write after the first, including forced ones.
 * @param {Config} config
 * @param {number[]} read the ids of the source or, without an encoder, of the prompt
 * @param {number} forced the number of forced tokens
 * @param {number} continued the maximum number of tokens after a prompt
 */
export function longestWritten(config, read, forced = 0, continued = MOST_CONTINUED) {
  const most = hasEncoder(config)
    ? Math.max(LEAST_WRITTEN, 2 * read.length, forced + LEAST_WRITTEN / 2)
    : Math.max(read.length - 1, forced) + continued;
  return Math.min(limitOf(config), most);
}

/** @typedef {import("../wire").WireStack} Stack */

// Return the attentions of a model, as in model/anatomy.py: their places, and the texts of their rows and columns. A
// row of a translator's decoder is named after the token that it writes, any other row after the token that it reads.
/** @param {Config} config @returns {[import("../wire").AttentionKind, string, string, Stack["queries"], Stack["keys"]][]} */
function sitesOf(config) {
  const translates = hasEncoder(config) && hasDecoder(config);
  /** @type {Stack["queries"]} */
  const rows = ["target", Number(translates)];
  /** @type {ReturnType<typeof sitesOf>} */
  const sites = [];
  if (hasEncoder(config))
    sites.push(["encoder self-attention", "encoder", "self_attn", ["source", 0], ["source", 0]]);
  if (hasDecoder(config))
    sites.push(["decoder self-attention", "decoder", "self_attn", rows, ["target", 0]]);
  if (translates) sites.push(["cross-attention", "decoder", "cross_attn", rows, ["source", 0]]);
  return sites;
}

// Return the weights of all heads as codes, with the offset of each kind.
function packed(config, tensors) {
  const kinds = /** @type {Answer["kinds"]} */ ({});
  let offset = 0;
  for (const [kind, stack, part, queries, keys] of sitesOf(config)) {
    const layers = stack === "encoder" ? config.n_encoder_layers : config.n_decoder_layers;
    const { heads, rows, columns } = tensors[`${stack}.layers.0.${part}.weights`];
    kinds[kind] = {
      name: `${stack}.layers.{layer}.${part}.weights`,
      layers,
      heads,
      rows,
      columns,
      queries,
      keys,
      drawn: [rows, columns],
      offset,
    };
    offset += layers * heads * rows * columns;
  }
  const codes = new Uint16Array(offset);
  for (const { name, layers, heads, rows, columns, offset: start } of Object.values(kinds)) {
    const size = heads * rows * columns;
    for (let layer = 0; layer < layers; layer++) {
      const weights = tensors[name.replace("{layer}", String(layer))];
      const mask = tensors[name.replace("{layer}", String(layer)).replace(/weights$/, "mask")];
      const from = start + layer * size;
      encodeWeights(weights, mask, codes.subarray(from, from + size));
    }
  }
  return { kinds, codes };
}
