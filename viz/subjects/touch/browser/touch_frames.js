// What the model writes under some changes: computed by its twin in the browser, or sent by PyTorch.

import { createModels } from "../../../pictures/browser/live/models.js";
import { canDo, editsOf } from "../../../pictures/browser/twin/changes.js";
import { bestOf, probabilitiesOf, translate } from "../../../pictures/browser/twin/decoding.js";
import { tensor } from "../../../pictures/browser/twin/tensor.js";
import { weightOf } from "../../../pictures/browser/weights.js";
import { weightsName } from "./touch_ask.js";

/** @typedef {import("./types").Frame} Frame */
/** @typedef {import("./types").Pair} Pair */
/** @typedef {import("./types").Written} Written */
/** @typedef {import("../../../pictures/browser/wire").WireIntervention} Intervention */

const LOGITS_OFF = 1e-4; // largest difference from PyTorch's logits at which the twin is trusted
/** How far the logarithm of a probability may then be off: the softmax adds the error of all logits to its own. */
export const MOST_OFF = 2 * LOGITS_OFF;
const MOST_FRAMES = 8; // of the twin that are kept
const LEAST_HELD = 1e-30; // a smaller probability has lost digits in float32

/** Create the frames of what the model writes: before any change, with the changes in force, with those being tried.
 * @param {import("../../../pictures/browser/types").Loupe} loupe
 * @param {() => Pair} pair
 */
export function createFrames(loupe, pair) {
  const arrived = new WeakMap(); // run that Python sent -> its frame
  const model = () => loupe.part(createModels).at(pair().ran?.model.key);
  const name = createNames(model, pair);
  const twin = createTwin(model, pair, name);
  const sent = (key, written) => {
    const run = loupe.runs.get(key);
    if (!arrived.has(run)) arrived.set(run, sentFrame(run, written));
    return arrived.get(run);
  };
  return {
    model,
    twin,
    difference() {
      const { run, interventions, now } = pair();
      const isOurs = loupe.traces.get(run)?.answer; // PyTorch has not run it
      const frame = isOurs ? null : twin(interventions);
      return frame ? differenceFrom(frame, now) : null;
    },
    name,
    before() {
      const { before, was } = pair();
      return twin([]) ?? sent(before, was);
    },
    inForce() {
      const { run, interventions, now } = pair();
      const frame = twin(interventions);
      const isRight = frame && differenceFrom(frame, now) <= MOST_OFF;
      return isRight ? frame : (sent(run, now) ?? frame);
    },
  };
}

// Create a function that names an id beside the source in view: a word that is carried over has its own name.
function createNames(model, pair) {
  let named = { ran: null, of: /** @type {(id: number) => string} */ (String) };
  return (id) => {
    const { ran } = pair();
    if (named.ran !== ran) named = { ran, of: namesIn(model().tokenizers, ran.text) };
    return named.of(id);
  };
}

/** @param {import("../../../pictures/browser/twin/text/types").Tokenizers} tokenizers */
const namesIn = (tokenizers, text) => tokenizers.naming(tokenizers.encodeSource(text)).target.token;

// Create the twin, which keeps its latest frames and returns null if it cannot run the model.
function createTwin(model, pair, name) {
  const kept = new Map();
  let isBroken = false; // then PyTorch's runs are shown, as if the browser had no weights
  // Return the run with the changes in force: its first steps are reused if the tried changes do not affect them.
  const knownFrame = (tried) => {
    const { interventions } = pair();
    if (tried === interventions) return null;
    const frame = twin(interventions);
    return frame && { frame, interventions };
  };
  const run = (interventions) => {
    const before = interventions.length ? twin([]) : null;
    const known = before && knownFrame(interventions);
    return twinFrame(model(), pair(), interventions, { name, before, known });
  };
  const attempt = (interventions) => {
    try {
      return run(interventions);
    } catch (error) {
      isBroken = true;
      console.error("loupe: the browser cannot run this model", error);
      return null;
    }
  };
  /** @param {Intervention[]} interventions */
  const twin = (interventions) => {
    if (isBroken || !isAble(model(), interventions)) return null;
    const key = JSON.stringify([pair().before, interventions]);
    const frame = kept.get(key) ?? attempt(interventions);
    if (!frame) return null;
    kept.delete(key); // the latest frame is last
    kept.set(key, frame);
    if (kept.size > MOST_FRAMES) kept.delete(kept.keys().next().value);
    return frame;
  };
  return twin;
}

/** Return whether the browser can run the model with these changes.
 * @param {import("../../../pictures/browser/live/models").Kept | undefined} kept
 * @param {Intervention[]} interventions
 */
const isAble = (kept, interventions) => Boolean(kept) && interventions.every(canDo);

/** Run the twin.
 * @param {import("../../../pictures/browser/live/models").Kept} kept
 * @param {Pair} data
 * @param {Intervention[]} interventions
 * @param {object} how
 * @param {(id: number) => string} how.name
 * @param {Frame | null} how.before the run without changes
 * @param {{frame: Frame, interventions: Intervention[]} | null} how.known a run with other changes
 * @returns {Frame}
 */
function twinFrame({ model }, data, interventions, { name, before, known }) {
  const edits = editsOf(interventions, model.config, before?.weights);
  const { source, longest } = data.ran;
  const given = data.isGiven ? data.now.ids : [];
  const steps = known ? stepsBefore(known.interventions, interventions) : 0;
  const after = steps ? { known: known.frame.translation, steps } : null;
  const translation = translate(model, source, { edits, longest, given, after });
  const { ids, logits, weights } = translation;
  return {
    ids,
    tokens: ids.map(name),
    probabilities: ids.map((id, step) => probabilitiesOf(logits[step], [id])[0]),
    logits,
    weights,
    translation,
  };
}

/** Return how many steps two lists of changes leave the same: those before the first row that only one of them changes.
 * @param {Intervention[]} one
 * @param {Intervention[]} other
 */
export function stepsBefore(one, other) {
  const [a, b] = [one, other].map((list) => new Set(list.map((made) => JSON.stringify(made))));
  const differ = [...a, ...b].filter((made) => !(a.has(made) && b.has(made)));
  const firsts = differ.map((text) => {
    const { name, rows } = JSON.parse(text);
    return name.startsWith("decoder.") && name.endsWith(".weights") && rows ? Math.min(...rows) : 0;
  });
  return firsts.length ? Math.min(...firsts) : 0;
}

/** Return what PyTorch has sent of a run; null if a matrix was sent reduced: its rows are not those of the text.
 * @param {import("../../../pictures/browser/types").Run} run
 * @param {Written} written
 * @returns {Frame | null}
 */
export function sentFrame(run, { ids, tokens, probabilities }) {
  if (Object.values(run.kinds).some(({ whole }) => !whole)) return null;
  const weights = {};
  for (const [kind, stack] of Object.entries(run.kinds)) {
    const [rows, columns] = stack.drawn;
    const size = stack.heads * rows * columns;
    for (let layer = 0; layer < stack.layers; layer++) {
      const codes = stack.codes.subarray(layer * size, (layer + 1) * size);
      const numbers = Float32Array.from(codes, weightOf);
      weights[weightsName(kind, layer)] = tensor(stack.heads, rows, columns, numbers);
    }
  }
  return {
    ids,
    tokens,
    probabilities,
    logits: null,
    weights,
    translation: null,
  };
}

/** Return how far the twin is from PyTorch: the largest difference of a logarithm of a probability (about its relative
 * difference), or Infinity if the words differ.
 * @param {Frame} frame
 * @param {Written} written
 */
export function differenceFrom(frame, { ids, candidates }) {
  if (frame.ids.join() !== ids.join()) return Infinity;
  let largest = 0;
  for (const [step, likely] of candidates.entries()) {
    const held = likely.filter(({ probability }) => probability > LEAST_HELD);
    const own = probabilitiesOf(
      frame.logits[step],
      held.map(({ id }) => id),
    );
    for (const [i, { probability }] of held.entries())
      largest = Math.max(largest, Math.abs(Math.log(own[i] / probability)));
  }
  return largest;
}

/** Return the weights of one row, averaged over the heads that are held.
 * @param {Frame} frame
 * @param {import("./types").Place} place
 * @returns {number[]}
 */
export function rowWeights(frame, { kind, scope, layer, head, row }) {
  const all = Object.entries(frame.weights)
    .filter(([name]) => name === weightsName(kind, scope === "all" ? layerIn(name) : layer))
    .map(([, weights]) => weights);
  const heads = scope === "head" ? [head] : [...Array(all[0]?.heads ?? 0).keys()];
  return meanRow(all, heads, row);
}

/** Return the weights of one row, averaged over the heads that are not held.
 * @param {Frame} frame
 * @param {import("./types").Place} place
 */
export function otherWeights(frame, { kind, scope, layer, head, row }) {
  const rows = [];
  for (const [name, weights] of Object.entries(frame.weights)) {
    const at = layerIn(name);
    if (name !== weightsName(kind, at)) continue;
    for (let one = 0; one < weights.heads; one++)
      if (at !== layer || (scope === "head" && one !== head))
        rows.push(meanRow([weights], [one], row));
  }
  return { count: rows.length, weights: meanOf(rows) };
}

const layerIn = (name) => Number(name.split(".")[2]);

function meanRow(tensors, heads, row) {
  const rows = [];
  for (const { rows: count, columns, data } of tensors)
    for (const head of heads) {
      const start = (head * count + row) * columns;
      if (row < count) rows.push([...data.subarray(start, start + columns)]);
    }
  return meanOf(rows);
}

function meanOf(rows) {
  if (!rows.length) return [];
  return rows[0].map((_, i) => rows.reduce((sum, row) => sum + (row[i] || 0), 0) / rows.length);
}

/** Return the two words between which a step decides: the one written before any change, and its likeliest rival now.
 * @param {Frame} frame
 * @param {Frame} before
 * @param {number} step
 * @param {(id: number) => string} word
 */
export function rivals(frame, before, step, word) {
  if (!frame.logits || step >= frame.ids.length || step >= before.ids.length) return [];
  const own = before.ids[step];
  const others = frame.logits[step].slice();
  others[own] = -Infinity;
  const ids = [own, bestOf(others)];
  return probabilitiesOf(frame.logits[step], ids).map((probability, i) => ({
    word: word(ids[i]),
    probability,
    isWritten: ids[i] === frame.ids[step],
  }));
}
