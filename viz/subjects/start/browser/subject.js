// A sentence as Start reads it: its run, made by Python or the browser, and what is known about its words.

import { longestWritten } from "../../../pictures/browser/live/answer.js";
import { canTrace } from "../../../pictures/browser/live/inputs.js";
import { createModels } from "../../../pictures/browser/live/models.js";
import { unpacked } from "../../../pictures/browser/numbers.js";
import { drawnHead, TYPED } from "../../../pictures/browser/run.js";
import { hasEnded } from "../../../pictures/browser/twin/decoding.js";
import { rowOf, tensor } from "../../../pictures/browser/twin/tensor.js";
import { weightOf } from "../../../pictures/browser/weights.js";

/** @typedef {import("../../../pictures/browser/types").Loupe} Loupe */
/** @typedef {import("../../../pictures/browser/types").Run} Run */
/** @typedef {import("../../../pictures/browser/types").Tensors} Tensors */
/** @typedef {import("../../../pictures/browser/twin/types").Tensor} Tensor */
/** @typedef {import("../../../pictures/browser/twin/types").Model} Model */
/** @typedef {import("./wire").WireReading} WireReading */

/** What a run was made from, with which the browser's own model can run it again.
 * @typedef {object} Made
 * @property {Model | undefined} model undefined until it has arrived
 * @property {number[]} source
 * @property {number[]} written
 * @property {boolean} given
 * @property {number} longest
 * @property {import("../../../pictures/browser/wire").WireIntervention[]} interventions
 */

/** `classes`: parts of speech of the tokens; `made`: null if the browser cannot run it; `strongest` returns the key
 * that a row of the encoder reads most, and `reader` the key that a step of the decoder reads most.
 * @typedef {Pick<WireReading, "source" | "meaning" | "finished" | "without"> & {run: Run, tensors: Tensors | undefined,
 *   classes: (string | undefined)[], made: Made | null, strongest: (layer: number, head: number, query: number) => Top,
 *   reader: (step: number) => Top}} Subject
 */

/** A key, and its share of a row.
 * @typedef {{key: number, share: number}} Top */

export const KIND = "encoder self-attention";
const CROSS = "cross-attention";

/** Return the sentence whose facts Python sent; null if its run has not arrived.
 * @param {Loupe} loupe
 * @param {WireReading} sent
 * @param {ReturnType<typeof createOwnModels>} models
 * @returns {Subject | null}
 */
export function sentSubject(loupe, sent, models) {
  const run = loupe.runs.get(sent.run);
  if (!run?.told) return null;
  const tensors = loupe.traces.get(sent.run);
  const { answer } = tensors ?? {}; // on a page without Python
  return {
    ...sent,
    ...topsOf(run, tensors, sent.strongest),
    run,
    tensors,
    finished: answer ? hasEnded(tensors.model, answer.written) : sent.finished,
    made: answer ? madeOf(answer, tensors.model) : models.madeOf(sent.inputs),
  };
}

/** Return the sentence that the browser's own model has just run.
 * @param {Loupe} loupe
 * @param {(word: string) => string | undefined} partOf returns the part of speech of a known word
 * @returns {Subject}
 */
export function typedSubject(loupe, partOf) {
  const [run, tensors] = [loupe.runs.get(TYPED), loupe.traces.get(TYPED)];
  const { answer, model } = tensors;
  return {
    ...topsOf(run, tensors, null),
    run,
    tensors,
    source: answer.text,
    meaning: null, // only Python's data contain it
    classes: run.tokens.source.map((token) => partOf(token)),
    finished: hasEnded(model, answer.written),
    made: madeOf(answer, model),
    without: null,
  };
}

/** @returns {Made} */
const madeOf = ({ read, written, interventions }, model) => ({
  model,
  source: read.ids,
  written,
  given: false,
  longest: longestWritten(model.config, read.ids),
  interventions,
});

/** Create a finder of the browser's own models, which calls back when a model has arrived or could not be fetched.
 * @param {Loupe} loupe
 * @param {() => void} changed
 */
export function createOwnModels(loupe, changed) {
  const models = loupe.part(createModels);
  const [coming, failed] = [new Set(), new Set()];
  const fetch = (wanted) => {
    const { key } = wanted;
    coming.add(key);
    const settle = () => {
      coming.delete(key);
      changed();
    };
    models
      .get(wanted)
      .catch(() => failed.add(key))
      .then(settle);
  };
  return {
    /** Return what a run was made from, as Python sent it; null if the browser cannot run it.
     * @param {import("../../../pictures/browser/wire").WireInputs | null} inputs
     * @returns {Made | null}
     */
    madeOf(inputs) {
      if (!inputs || failed.has(inputs.model.key) || !canTrace(inputs)) return null;
      const kept = models.at(inputs.model.key);
      if (!kept && !coming.has(inputs.model.key)) fetch(inputs.model);
      return { ...inputs, model: kept?.model };
    },
  };
}

const decoded = new WeakMap(); // run -> weights by name, from their codes

/** Return the weights of all heads of a layer from its tensors, else from their codes; null if they were sent reduced.
 * @param {Pick<Subject, "run" | "tensors">} subject
 * @param {import("../../../pictures/browser/wire").AttentionKind} kind
 * @param {number} layer
 * @returns {Tensor | null}
 */
export function weightsOf({ run, tensors }, kind, layer) {
  const stack = run.kinds[kind];
  const name = stack.name.replace("{layer}", String(layer));
  if (tensors?.tensors[name]) return tensors.tensors[name];
  if (!stack.whole) return null;
  if (!decoded.has(run)) decoded.set(run, new Map());
  const known = decoded.get(run);
  if (!known.has(name)) known.set(name, fromCodes(stack, layer));
  return known.get(name);
}

function fromCodes(stack, layer) {
  const { heads, rows, columns } = stack;
  const all = tensor(heads, rows, columns);
  for (let head = 0; head < heads; head++) {
    const { codes } = drawnHead(stack, layer, head);
    all.data.set(Float32Array.from(codes, weightOf), head * rows * columns);
  }
  return all;
}

// Return what each row reads most, found in the weights or, if these were sent reduced, by Python.
function topsOf(run, tensors, strongest) {
  const { heads, rows } = run.kinds[KIND];
  const layerOf = memo((layer) => weightsOf({ run, tensors }, KIND, layer));
  const last = run.kinds[CROSS].layers - 1;
  const read = memo(() => topsIn(strongest.read));
  const written = memo(() => topsIn(strongest.written));
  return {
    strongest(layer, head, query) {
      const weights = layerOf(layer);
      if (weights) return topOf(rowOf(weights, query, head));
      return read()((layer * heads + head) * rows + query);
    },
    reader(step) {
      const weights = weightsOf({ run, tensors }, CROSS, last);
      return weights ? topOf(meanRow(weights, step)) : written()(step);
    },
  };
}

function memo(make) {
  const known = new Map();
  return (name = 0) => {
    if (!known.has(name)) known.set(name, make(name));
    return known.get(name);
  };
}

function topsIn([keys, shares]) {
  const [key, share] = [unpacked(keys), unpacked(shares)];
  return (at) => ({ key: key[at], share: share[at] });
}

/** Return the mean of a row over all heads.
 * @param {Tensor} weights
 * @param {number} row
 */
export function meanRow(weights, row) {
  const mean = new Float64Array(weights.columns);
  for (let head = 0; head < weights.heads; head++)
    for (const [key, share] of rowOf(weights, row, head).entries())
      mean[key] += share / weights.heads;
  return mean;
}

// Return the key that a row reads most, the first among equals; NaN counts as 0.
function topOf(row) {
  let key = 0;
  for (let at = 1; at < row.length; at++) if ((row[at] || 0) > (row[key] || 0)) key = at;
  return { key, share: row[key] || 0 };
}
