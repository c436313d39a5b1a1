// What the model writes with some changes: by its twin in the browser, or as PyTorch has sent it.

import { canDo, editsOf } from "../../../pictures/browser/twin/changes.js";
import { bestOf, probabilitiesOf, translate } from "../../../pictures/browser/twin/decoding.js";
import { tensor } from "../../../pictures/browser/twin/tensor.js";
import { weightOf } from "../../../pictures/browser/weights.js";
import { weightsName } from "./touch_ask.js";

/** @typedef {import("./types").Frame} Frame */
/** @typedef {import("./wire").WireHand} WireHand */
/** @typedef {import("../../../pictures/browser/wire").WireIntervention} Intervention */

/** How far the twin may be from PyTorch before its numbers are not shown. */
export const MOST_OFF = 1e-4;

/** Whether the browser can run the model with these changes.
 * @param {import("../../../pictures/browser/live/models").Kept | undefined} kept
 * @param {Intervention[]} interventions
 */
export const isAble = (kept, interventions) => Boolean(kept) && interventions.every(canDo);

/** Run the twin.
 * @param {import("../../../pictures/browser/live/models").Kept} kept
 * @param {WireHand} data
 * @param {Intervention[]} interventions
 * @param {Frame | null} before the run without any
 * @param {{frame: Frame, interventions: Intervention[]} | null} known a run with other changes
 * @returns {Frame}
 */
export function twinFrame({ model, tokenizers }, data, interventions, before, known = null) {
  const edits = editsOf(interventions, model.config, before?.weights);
  const { longest, given } = data;
  const steps = known ? stepsBefore(known.interventions, interventions) : 0;
  const after = steps ? { known: known.frame.translation, steps } : null;
  const translation = translate(model, data.source, { edits, longest, given, after });
  const { ids, logits, weights } = translation;
  const named = new Map(data.named);
  return {
    ids,
    tokens: ids.map((id) => named.get(id) ?? tokenizers.target.token(id)),
    probabilities: ids.map((id, step) => probabilitiesOf(logits[step], [id])[0]),
    logits,
    weights,
    translation,
  };
}

/** How many steps two lists of changes leave the same: those before the first row that only one of them changes.
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

/** What PyTorch has sent of a run; null where a matrix is sent reduced, whose rows are not those of the text.
 * @param {import("../../../pictures/browser/types").Run} run
 * @param {number[]} ids
 * @param {string[]} tokens
 * @param {number[]} probabilities
 * @returns {Frame | null}
 */
export function sentFrame(run, ids, tokens, probabilities) {
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

/** How far the twin's logits are from PyTorch's: the largest difference; Infinity where the words are not the same.
 * @param {Frame} frame
 * @param {WireHand} data
 */
export function differenceFrom(frame, { written, likely }) {
  if (frame.ids.join() !== written.join()) return Infinity;
  let largest = 0;
  for (const [step, { ids, logits }] of likely.entries())
    for (const [i, id] of ids.entries())
      largest = Math.max(largest, Math.abs(frame.logits[step][id] - logits[i]));
  return largest;
}

/** Weights of one row, on average over some heads.
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

/** Weights of one row, on average over the heads that are not held.
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

/** The two words that a step is between: the one that was written before any change, and its likeliest rival now.
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
