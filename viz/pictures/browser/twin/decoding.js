// Greedy decoding (section 3.1 of the paper: the model is auto-regressive): see model/decoding/greedy.py.

import { editsOf, NO_EDITS, needsOrigin } from "./changes.js";
import { stack } from "./tensor.js";
import { beginCache, decode, encode } from "./transformer.js";

/** @typedef {import("./types").Edits} Edits */
/** @typedef {import("./types").Translation} Translation */

export const BOS_ID = 1;
export const EOS_ID = 2;

/** Write the most probable token at each step, or another that is chosen, or force a target that is given.
 * @param {import("./types").Model} model
 * @param {number[]} source
 * @param {object} how
 * @param {Edits} [how.edits]
 * @param {number} how.longest
 * @param {number[]} [how.given]
 * @param {import("./types").Begun} [how.begun] this source as these edits have it, where it was read already
 * @param {{known: Translation, steps: number} | null} [how.after] another translation of this source, whose first
 *   steps these edits leave as they are
 * @param {(logits: Float32Array, step: number) => number} [how.choose]
 * @returns {Translation}
 */
export function translate(model, source, how) {
  const { edits = NO_EDITS, longest, given = [], begun, after = null, choose = bestOf } = how;
  const caches = model.config.causal_mask && !edits.needAllRows;
  const known = caches ? after?.known : null;
  const encoded = begun?.encoded ?? known?.encoded ?? encode(model, source, edits);
  const empty = begun?.empty ?? known?.empty ?? beginCache(model, encoded.memory, edits);
  const steps = known ? known.steps.slice(0, after.steps) : [];
  const count = given.length || longest;
  while (steps.length < count && steps.at(-1)?.token !== EOS_ID) {
    const written = [BOS_ID, ...steps.map(({ token }) => token)];
    const cache = (caches && steps.at(-1)?.cache) || empty;
    const step = decode(model, source, written, cache, edits);
    const logits = step.logits.data;
    steps.push({ ...step, logits, token: given[steps.length] ?? choose(logits, steps.length) });
  }
  const passes = steps.map(({ weights }) => weights);
  const decoded = caches ? stackedRows(passes) : passes[passes.length - 1];
  return {
    ids: steps.map(({ token }) => token),
    logits: steps.map(({ logits }) => logits),
    weights: { ...encoded.weights, ...decoded },
    encoded,
    empty,
    steps,
  };
}

/** The edits of interventions; those that copy from the run without any change get its weights.
 * @param {import("./types").Model} model
 * @param {number[]} source
 * @param {import("./types").Intervention[]} interventions
 * @param {{longest: number, given?: number[]}} how as of `translate`
 */
export function editsFor(model, source, interventions, how) {
  const before = interventions.some(needsOrigin) ? translate(model, source, how) : null;
  return editsOf(interventions, model.config, before?.weights);
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
 * @param {import("./types").Kernel} [kernel] of the model
 */
export function probabilitiesOf(logits, ids, kernel) {
  const largest = logits[bestOf(logits)];
  const sum = kernel?.exponentials(logits, largest) ?? sumOfExponentials(logits, largest);
  return ids.map((id) => Math.exp(logits[id] - largest) / sum);
}

function sumOfExponentials(logits, largest) {
  let sum = 0;
  for (const logit of logits) sum += Math.exp(logit - largest);
  return sum;
}
