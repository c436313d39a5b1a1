// Decoding step by step (section 3.1 of the paper: the model is auto-regressive), as in model/decoding/greedy.py.

import { editsOf, NO_EDITS, needsOrigin } from "./changes.js";
import { hasDecoder, hasEncoder } from "./config.js";
import { rowOf, stack, tensor } from "./tensor.js";
import { beginCache, decode, encode, generate } from "./transformer.js";

/** @typedef {import("./types").Edits} Edits */
/** @typedef {import("./types").Model} Model */
/** @typedef {import("./types").Cache} Cache */
/** @typedef {import("./types").Translation} Translation */

/** Return the first id of a target: the one that the model's folder names or, without an encoder, the prompt's first.
 * @param {Model} model
 * @param {number[]} read
 */
export function firstId({ config, writing }, read) {
  if (!hasEncoder(config)) return read[0];
  if (writing.start !== null) return writing.start;
  throw new Error(
    "Loupe does not know the token with which this model begins to write: the folder's config.json needs " +
      "decoder_start_token_id",
  );
}

/** Return the ids after the first that are read rather than written, which are those of a prompt.
 * @param {Model} model
 * @param {number[]} read
 */
export const promptOf = ({ config }, read) => (hasEncoder(config) ? [] : read.slice(1));

/** Return the number of ids that two texts share at their beginning.
 * @param {number[]} one
 * @param {number[]} other
 */
export function sharedLength(one, other) {
  const different = one.findIndex((id, i) => id !== other[i]);
  return different < 0 ? one.length : different;
}

/** Return whether the model itself ended a text.
 * @param {Model} model
 * @param {number[]} written
 */
export const hasEnded = ({ writing }, written) => writing.stops.includes(written.at(-1));

/** The options for writing a text.
 * @typedef {object} How
 * @property {Edits} [edits]
 * @property {number} longest the number of steps
 * @property {number[]} [given] the whole target, which is forced
 * @property {number[]} [begins] ids that are forced first, including those of a prompt; by default the prompt
 * @property {import("./types").Begun} [begun] the pass of this source with these edits, if it has been computed already
 * @property {{known: Translation, steps: number} | null} [after] another translation of this source, whose first steps
 *   these edits do not change
 * @property {(logits: Float32Array, step: number) => number} [choose]
 */

/** Write the most probable token at each step, or the one that `choose` picks, or force a given target.
 * @param {Model} model
 * @param {number[]} read the source or, without an encoder, the prompt to continue, whose ids after the first are
 *   forced steps
 * @param {How} how
 * @returns {Translation}
 */
export function translate(model, read, how) {
  const writing = writingOf(model, read, how);
  for (;;) {
    const { done, value } = writing.next();
    if (done) return value;
  }
}

/** Write as `translate` does, one pass at a time, and yield all steps so far after each pass.
 * @param {Model} model
 * @param {number[]} read
 * @param {How} how
 * @returns {Generator<Translation["steps"], Translation, void>}
 */
export function* writingOf(model, read, how) {
  const { edits = NO_EDITS, longest, begun, after = null, choose = bestOf } = how;
  const { given = [], begins = [] } = how;
  const caches = model.config.causal_mask && !edits.needAllRows;
  const known = caches ? after?.known : null;
  const encoded =
    begun?.encoded ??
    known?.encoded ??
    (hasEncoder(model.config) ? encode(model, read, edits) : null);
  const empty = begun?.empty ?? known?.empty ?? beginCache(model, encoded?.memory ?? null, edits);
  const prompt = promptOf(model, read);
  const forced = [given, begins, prompt].find((ids) => ids.length) ?? [];
  const only = sharedLength(forced, prompt); // steps that only read the prompt; no token of theirs ends the text
  const steps = known ? known.steps.slice(0, after.steps) : [];
  const count = hasDecoder(model.config) ? given.length || longest : 0;
  const isDone = () =>
    steps.length >= count ||
    (steps.length > only && model.writing.stops.includes(steps.at(-1).token));
  while (!isDone()) {
    const ids = [firstId(model, read), ...steps.map(({ token }) => token)];
    if (caches) ids.push(...forced.slice(steps.length, count - 1));
    const cache = (caches && upTo(steps.at(-1)?.cache, steps.length)) || empty;
    for (const row of rowsOf(model, read, ids, steps.length, cache, edits)) {
      const chosen = choose(allowed(model, row.logits, steps.length, count), steps.length);
      steps.push({ ...row, token: forced[steps.length] ?? chosen });
      if (isDone()) break;
    }
    yield steps;
  }
  const passes = steps.map(({ weights }) => weights);
  const decoded = caches ? stackedRows(passes) : passes.at(-1);
  return {
    ids: steps.map(({ token }) => token),
    logits: steps.map(({ logits }) => logits),
    weights: { ...encoded?.weights, ...decoded },
    encoded,
    empty,
    steps,
  };
}

// Return the logits and weights of the rows of a target from one row on, with the cache for the next pass.
function rowsOf(model, read, target, first, cache, edits) {
  const { output, weights, cache: next } = decode(model, read, target, cache, edits);
  const count = target.length - first;
  const last = tensor(1, count, output.columns, output.data.slice(-count * output.columns));
  const logits = generate(model, last, edits, first);
  return Array.from({ length: count }, (_, i) => ({
    logits: rowOf(logits, i),
    weights: count === 1 ? weights : mapped(weights, (of) => oneRow(of, i)),
    cache: next,
  }));
}

const mapped = (values, change) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]));

function oneRow(of, row) {
  const own = tensor(of.heads, 1, of.columns);
  for (let head = 0; head < of.heads; head++) rowOf(own, 0, head).set(rowOf(of, row, head));
  return own;
}

// Return the keys and values of the first positions of a cache.
/** @param {Cache | undefined} cache @returns {Cache | undefined} */
function upTo(cache, length) {
  if (!cache || cache.length <= length) return cache;
  const first = (of) => {
    const own = tensor(of.heads, length, of.columns);
    for (let head = 0; head < of.heads; head++)
      for (let row = 0; row < length; row++) rowOf(own, row, head).set(rowOf(of, row, head));
    return own;
  };
  const own = cache.self_attn.map(({ key, value }) => ({ key: first(key), value: first(value) }));
  return { ...cache, length, self_attn: own };
}

/** Return the logits of a step under the rules of the model's folder, as model/writing.py does.
 * @param {Model} model
 * @param {Float32Array} logits
 * @param {number} step
 * @param {number} longest the number of steps
 */
export function allowed({ writing: { rules } }, logits, step, longest) {
  const { first, last, never } = rules;
  if (step === longest - 1 && last !== null) return only(last, logits);
  if (step === 0 && first !== null) return only(first, logits);
  if (!never.length) return logits;
  const left = logits.slice();
  for (const id of never) left[id] = -Infinity;
  return left;
}

function only(id, logits) {
  const left = new Float32Array(logits.length).fill(-Infinity);
  left[id] = 0;
  return left;
}

/** Make the edits of interventions. Those that copy from the run without changes receive its weights.
 * @param {Model} model
 * @param {number[]} read
 * @param {import("./types").Intervention[]} interventions
 * @param {{longest: number, given?: number[]}} how the options as for `translate`
 */
export function editsFor(model, read, interventions, how) {
  const before = interventions.some(needsOrigin) ? translate(model, read, how) : null;
  return editsOf(interventions, model.config, before?.weights);
}

function stackedRows(passes) {
  return mapped(passes[0] ?? {}, (_, name) => stack(passes.map((pass) => pass[name])));
}

/** Return the id of the largest logit, the lowest of equal ones.
 * @param {Float32Array} logits
 */
export function bestOf(logits) {
  let best = 0;
  for (let id = 1; id < logits.length; id++) if (logits[id] > logits[best]) best = id;
  return best;
}

/** Return the probabilities of some ids.
 * @param {Float32Array} logits
 * @param {number[]} ids
 * @param {import("./types").Kernel} [kernel] the model's kernel
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
