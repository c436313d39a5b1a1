// What the browser's own model makes of a text: the record of a run, as Python sends one, and all that was computed.

import { encodeWeights } from "../twin/codes.js";
import { hasDecoder, hasEncoder } from "../twin/config.js";
import { allowed, bestOf, editsFor, firstId, promptOf, translate } from "../twin/decoding.js";
import { rowOf, stack, tensor } from "../twin/tensor.js";
import { beginTrace, traceOf, withPredictions } from "../twin/trace.js";

const MOST_TOKENS = 96; // of a text that is read: a longer one takes more than some frames
const LEAST_WRITTEN = 64; // as MAX_WRITTEN in viz/run/record.py
/** Tokens that are written after a prompt, as MAX_CONTINUED there. */
export const MOST_CONTINUED = 16;

/** @typedef {import("./types").Answer} Answer */
/** @typedef {import("../twin/types").Config} Config */
/** @typedef {import("../twin/types").Trace} Trace */

/** Run a text: translate or continue it, or read it alone; null where it has too many tokens.
 * @param {import("./models").Kept} kept
 * @param {string} text
 * @param {import("../wire").WireIntervention[]} interventions that mean something in it
 * @param {number} continued tokens that are written at most after a prompt
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
  const isRead = !hasEncoder(config) && longest === read.ids.length; // nothing is written that is read again
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

// What is written is computed step by step, and all of it once more in one pass, whose tensors are kept.
function written(model, read, edits, longest) {
  const { begun, finish } = beginTrace(model, read, edits);
  const { ids, logits } = translate(model, read, { edits, longest, begun });
  const stacked = ids.length ? stackedLogits(logits) : undefined;
  const isFinal = model.config.causal_mask && !edits.needAllRows; // no row sees a later one
  const trace = withPredictions(model, finish(ids), edits, isFinal ? stacked : undefined);
  return { ids, logits: stacked, trace };
}

// A prompt after which one token is written takes one pass.
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

// A prompt that leaves no place is not continued.
const mostRead = (config) => limitOf(config) - Number(!hasEncoder(config));

/** How many tokens are written at most after the first, those included that are forced: of a prompt, or at first.
 * @param {Config} config
 * @param {number[]} read the source or, without an encoder, the prompt
 * @param {number} forced how many
 * @param {number} continued after a prompt
 */
export function longestWritten(config, read, forced = 0, continued = MOST_CONTINUED) {
  const most = hasEncoder(config)
    ? Math.max(LEAST_WRITTEN, 2 * read.length, forced + LEAST_WRITTEN / 2)
    : Math.max(read.length - 1, forced) + continued;
  return Math.min(limitOf(config), most);
}

/** @typedef {import("../wire").WireStack} Stack */

// The attentions of a model, as model/anatomy.py has them: where they are, and of which text their rows and columns are.
// A row of a translator's decoder is named after the token that it writes, every other one after that which it reads.
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

// The weights of all heads in codes, and where each kind's lie.
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
