// Greedy decoding (section 3.1 of the paper: the model is auto-regressive): see model/decoding.py.

import { NO_EDITS } from "./changes.js";
import { stack } from "./tensor.js";
import { beginCache, decode, encode } from "./transformer.js";

const BOS_ID = 1;
const EOS_ID = 2;

/** Write the most probable token at each step, or force a target that is given.
 * @param {import("./types").Model} model
 * @param {number[]} source
 * @param {{edits?: import("./types").Edits, longest: number, given?: number[]}} how
 * @returns {import("./types").Translation}
 */
export function translate(model, source, { edits = NO_EDITS, longest, given = [] }) {
  const encoded = encode(model, source, edits);
  const empty = beginCache(model, encoded.memory, edits);
  const caches = model.config.causal_mask && !edits.needAllRows;
  const ids = [BOS_ID];
  const logits = [];
  const passes = [];
  let cache = empty;
  const count = given.length || longest;
  while (logits.length < count) {
    const step = decode(model, source, ids, caches ? cache : empty, edits);
    const token = given[logits.length] ?? bestOf(step.logits.data);
    logits.push(step.logits.data);
    ids.push(token);
    passes.push(step.weights);
    cache = step.cache;
    if (token === EOS_ID) break;
  }
  const decoded = caches ? stackedRows(passes) : passes[passes.length - 1];
  return { ids: ids.slice(1), logits, weights: { ...encoded.weights, ...decoded } };
}

function stackedRows(passes) {
  const names = Object.keys(passes[0]);
  return Object.fromEntries(names.map((name) => [name, stack(passes.map((pass) => pass[name]))]));
}

/** The id of the largest logit, the lower one among equals.
 * @param {Float32Array} logits
 */
export function bestOf(logits) {
  let best = 0;
  for (let id = 1; id < logits.length; id++) if (logits[id] > logits[best]) best = id;
  return best;
}

/** The probabilities of ids.
 * @param {Float32Array} logits
 * @param {number[]} ids
 */
export function probabilitiesOf(logits, ids) {
  const largest = logits[bestOf(logits)];
  let sum = 0;
  for (const logit of logits) sum += Math.exp(logit - largest);
  return ids.map((id) => Math.exp(logits[id] - largest) / sum);
}
