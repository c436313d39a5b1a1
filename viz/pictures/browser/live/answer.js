// What the browser's own model makes of a text: the record of a run, as Python sends one, and all that was computed.

import { encodeWeights } from "../twin/codes.js";
import { BOS_ID, editsFor, probabilitiesOf, translate } from "../twin/decoding.js";
import { kernelOf } from "../twin/kernel.js";
import { linear, stack, tensor } from "../twin/tensor.js";
import { beginTrace } from "../twin/trace.js";

const MOST_TOKENS = 96; // of a source: a longer one takes more than some frames
const LEAST_WRITTEN = 64; // as MAX_WRITTEN in viz/run/record.py
const CANDIDATES = 12;

/** @typedef {import("./types").Answer} Answer */

/** Run a text; null where it has too many tokens.
 * @param {import("./models").Kept} kept
 * @param {string} text
 * @param {import("../wire").WireIntervention[]} interventions that mean something in it
 * @returns {Answer | null}
 */
export function answerTo({ model, tokenizers }, text, interventions = []) {
  const read = tokenizers.encodeSource(text);
  const { config } = model;
  if (read.ids.length > Math.min(MOST_TOKENS, limitOf(config))) return null;
  const longest = longestWritten(config, read.ids);
  const edits = editsFor(model, read.ids, interventions, { longest });
  const { begun, finish } = beginTrace(model, read.ids, edits);
  const { ids, logits } = translate(model, read.ids, { edits, longest, begun });
  const { target } = tokenizers.naming(read);
  const { tensors, touched } = finish(ids);
  const kernel = kernelOf(model.parameters.generator.weight);
  const stepAt = (of, step) => stepOf(of, ids[step], target.token, tokenizers.isStandIn, kernel);
  return {
    text,
    isTyped: true,
    interventions,
    read,
    written: ids,
    sentence: target.decode(ids),
    tokens: { source: read.tokens, target: [BOS_ID, ...ids].map(target.token) },
    steps: logits.map(stepAt),
    tensors: { ...tensors, logits: logitsOf(model, tensors["decoder.output"], logits, edits) },
    touched,
    ...packed(config, tensors),
  };
}

// The logits of all rows: where no row sees a later one they are those from which each step chose.
function logitsOf({ config, parameters }, output, ofSteps, edits) {
  if (config.causal_mask && !edits.needAllRows)
    return stack(ofSteps.map((of) => tensor(1, 1, of.length, of)));
  return edits.apply("logits", linear(output, parameters.generator));
}

const limitOf = ({ positions, max_length }) => (positions === "learned" ? max_length : Infinity);

/** How many tokens are written at most for a source, those included that are forced at first.
 * @param {import("../twin/types").Config} config
 * @param {number[]} source
 * @param {number} forced how many
 */
export const longestWritten = (config, source, forced = 0) =>
  Math.min(limitOf(config), Math.max(LEAST_WRITTEN, 2 * source.length, forced + LEAST_WRITTEN / 2));

// The likeliest tokens of a step, and how likely the one was that was written.
function stepOf(logits, written, token, isStandIn, kernel) {
  const ids = likeliest(logits, CANDIDATES);
  const [own, ...probabilities] = probabilitiesOf(logits, [written, ...ids], kernel);
  return {
    id: written,
    probability: own,
    candidates: ids.map((id, i) => ({
      id,
      token: token(id),
      isStandIn: isStandIn(token(id)),
      probability: probabilities[i],
    })),
  };
}

// The ids of the largest logits, the largest first.
function likeliest(logits, count) {
  const best = [];
  for (let id = 0; id < logits.length; id++) {
    if (best.length === count && logits[id] <= logits[best[count - 1]]) continue;
    let place = best.length;
    while (place > 0 && logits[best[place - 1]] < logits[id]) place--;
    best.splice(place, 0, id);
    if (best.length > count) best.pop();
  }
  return best;
}

/** @typedef {import("../wire").WireStack} Stack */

/** @type {[import("../wire").AttentionKind, string, string, Stack["queries"], Stack["keys"]][]} */
const SITES = [
  ["encoder self-attention", "encoder", "self_attn", ["source", 0], ["source", 0]],
  ["decoder self-attention", "decoder", "self_attn", ["target", 1], ["target", 0]],
  ["cross-attention", "decoder", "cross_attn", ["target", 1], ["source", 0]],
];

// The weights of all heads in codes, and where each kind's lie.
function packed(config, tensors) {
  const kinds = /** @type {Answer["kinds"]} */ ({});
  let offset = 0;
  for (const [kind, stack, part, queries, keys] of SITES) {
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
