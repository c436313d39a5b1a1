// The predictions of a run: each row is ranked only when it is looked at, which happens for one row at a time.

import { hasDecoder } from "../twin/config.js";
import { probabilitiesOf } from "../twin/decoding.js";
import { kernelOf } from "../twin/kernel.js";
import { rowOf } from "../twin/tensor.js";

/** @typedef {import("../wire").WireWritten} Written */

const CANDIDATES = 12;

/** Return the tokens of an answer, with the predictions from which each was chosen. For a text that is only read,
 * return its own tokens. Return none for a model without predictions.
 * @param {import("./models").Kept} kept
 * @param {import("./types").Answer} answer
 * @returns {Written[]}
 */
export function predictionsOf({ model, tokenizers }, { read, written, chosenFrom }) {
  if (!chosenFrom) return [];
  const { source, target } = tokenizers.naming(read);
  const [ids, names] = hasDecoder(model.config) ? [written, target] : [read.ids, source];
  const kernel = model.parameters && kernelOf(model.parameters.generator.weight);
  const rank = (id, step) =>
    ranked(rowOf(chosenFrom, step), id, names.token, tokenizers.isStandIn, kernel);
  return ids.map((id, step) => onceAsked(id, () => rank(id, step)));
}

/** @returns {Written} */
function onceAsked(id, rank) {
  /** @type {Omit<Written, "id"> | undefined} */
  let known;
  const found = () => (known ??= rank());
  return {
    id,
    get probability() {
      return found().probability;
    },
    get candidates() {
      return found().candidates;
    },
  };
}

// Return the most probable tokens of a row, and the probability of the written token.
function ranked(logits, written, token, isStandIn, kernel) {
  const ids = likeliest(logits, CANDIDATES);
  const [probability, ...probabilities] = probabilitiesOf(logits, [written, ...ids], kernel);
  const candidates = ids.map((id, i) => ({
    id,
    token: token(id),
    isStandIn: isStandIn(token(id)),
    probability: probabilities[i],
  }));
  return { probability, candidates };
}

// Return the ids of the largest logits, the largest first.
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
