// The probabilities of the written text with one head switched off, computed by the browser's own model.

import { headOff } from "../../../pictures/browser/twin/changes.js";
import {
  editsFor,
  firstId,
  probabilitiesOf,
  translate,
} from "../../../pictures/browser/twin/decoding.js";
import { kernelOf } from "../../../pictures/browser/twin/kernel.js";
import { tensor } from "../../../pictures/browser/twin/tensor.js";
import {
  beginCache,
  decode,
  encode,
  generate,
} from "../../../pictures/browser/twin/transformer.js";

/** @typedef {import("./question.js").Row} Row */
/** @typedef {import("./subject.js").Made} Made */

function editsWithout({ model, source, written, given, longest, interventions }, { layer, head }) {
  const off = headOff(`encoder.layers.${layer}.self_attn.heads`, head);
  const how = { longest, given: given ? written : [] };
  return editsFor(model, source, [...interventions, off], how);
}

const probabilityOf = ({ parameters }, logits, id) =>
  probabilitiesOf(logits, [id], kernelOf(parameters.generator.weight))[0];

/** Return the probability of the token that a step wrote, with one head switched off.
 * @param {Made} made
 * @param {Row} row whose head is switched off
 * @param {number} step
 */
export function probabilityWithout(made, row, step) {
  const { model, source, written } = made;
  const edits = editsWithout(made, row);
  const cache = beginCache(model, encode(model, source, edits).memory, edits);
  const before = [firstId(model, source), ...written.slice(0, step)];
  const { output } = decode(model, source, before, cache, edits);
  const last = tensor(1, 1, output.columns, output.data.slice(-output.columns));
  const logits = generate(model, last, edits, step);
  return probabilityOf(model, logits.data, written[step]);
}

/** Return the log-probability (in nats) of all that was written, with one head off: the lower, the more it matters.
 * @param {Made} made
 * @param {Row} row whose head is switched off
 */
export function likelihoodWithout(made, row) {
  const { model, source, written } = made;
  const how = { edits: editsWithout(made, row), longest: written.length, given: written };
  const { logits } = translate(model, source, how);
  const likely = (step) => Math.log(probabilityOf(model, logits[step], written[step]));
  return written.reduce((sum, _, step) => sum + likely(step), 0);
}
