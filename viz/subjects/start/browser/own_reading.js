// The reading of a sentence that the browser's own model ran: as packing.py and effect.py make it.

import { isWord } from "../../../pictures/browser/run.js";
import { editsOf, headOff } from "../../../pictures/browser/twin/changes.js";
import {
  BOS_ID,
  EOS_ID,
  probabilitiesOf,
  translate,
} from "../../../pictures/browser/twin/decoding.js";
import { rowOf } from "../../../pictures/browser/twin/tensor.js";
import { beginCache, decode, encode } from "../../../pictures/browser/twin/transformer.js";
import { topOf } from "./own_question.js";

/** @typedef {import("./own_question.js").Answer} Answer */
/** @typedef {import("./own_question.js").Row} Row */
/** @typedef {import("../../../pictures/browser/twin/types").Model} Model */

/** The sentence with what the head of a question computes for it.
 * @param {Answer} answer
 * @param {Model} model
 * @param {Row} row
 * @returns {import("./start_numbers.js").Reading}
 */
export function ownReading(answer, model, row) {
  const { layer, head, query } = row;
  const of = (part) => answer.tensors[`encoder.layers.${layer}.self_attn.${part}`];
  const whole = (part) => {
    const { rows, columns, data } = of(part);
    return data.subarray(head * rows * columns, (head + 1) * rows * columns);
  };
  const own = (part) => rowOf(of(part), query, head);
  const written = writtenPieces(answer);
  const at = answerStep(answer, query);
  return {
    source: answer.text,
    label: "",
    tokens: /** @type {any} */ (answer.read.tokens),
    written,
    given: false,
    unknown: answer.read.unknown.map(({ text }) => text),
    answer: at >= 0 && at < written.length ? answerOf(answer, model, row, at) : null,
    right: null,
    gender: "",
    matrix: whole("weights"),
    q: own("query"),
    k: whole("key"),
    v: whole("value"),
    scores: own("scores"),
    shares: own("weights"),
    mix: own("heads"),
  };
}

const answerOf = (answer, model, row, at) => ({
  at,
  probability: answer.steps[at].probability,
  without: probabilityWithout(answer, model, row, at),
});

// The step that wrote a word and read that of the question most, by the mean of the heads of the last layer; -1 of none.
function answerStep({ kinds, tensors, tokens }, query) {
  const { name, layers } = kinds["cross-attention"];
  const weights = tensors[name.replace("{layer}", String(layers - 1))];
  let best = { at: -1, read: -1 };
  for (let at = 0; at < weights.rows; at++) {
    const mean = new Float32Array(weights.columns);
    for (let head = 0; head < weights.heads; head++)
      rowOf(weights, at, head).forEach((share, key) => {
        mean[key] += share / weights.heads;
      });
    const { key, share } = topOf(mean);
    if (isWord(tokens.target[at + 1]) && key === query && share > best.read)
      best = { at, read: share };
  }
  return best.at;
}

/** What was written in its tokens, each with what stands before it in the text.
 * @param {Answer} answer
 * @returns {[string, string][]}
 */
function writtenPieces({ written, tokens, sentence }) {
  const words = tokens.target.slice(1, written.at(-1) === EOS_ID ? -1 : undefined);
  const pieces = /** @type {[string, string][]} */ ([]);
  let at = 0;
  for (const word of words) {
    const found = sentence.indexOf(word, at);
    if (found < 0 || sentence.slice(at, found).trim())
      return words.map((each, index) => [index ? " " : "", each]);
    pieces.push([sentence.slice(at, found), word]);
    at = found + word.length;
  }
  return pieces;
}

// The changes of the run, and then the output of a head set to zero.
function editsWithout({ interventions }, { config }, { layer, head }) {
  const off = headOff(`encoder.layers.${layer}.self_attn.heads`, head);
  return editsOf([...interventions, off], config);
}

// The probability of the token that a step wrote, with the head switched off.
function probabilityWithout(answer, model, row, step) {
  const { read, written } = answer;
  const edits = editsWithout(answer, model, row);
  const cache = beginCache(model, encode(model, read.ids, edits).memory, edits);
  const before = [BOS_ID, ...written.slice(0, step)];
  const { logits } = decode(model, read.ids, before, cache, edits);
  return probabilitiesOf(logits.data, [written[step]])[0];
}

/** How likely all that was written is with the head switched off, in nats: the less, the more the head matters.
 * @param {Answer} answer
 * @param {Model} model
 * @param {Row} row
 */
export function likelihoodWithout(answer, model, row) {
  const { read, written } = answer;
  const edits = editsWithout(answer, model, row);
  const how = { edits, longest: written.length, given: written };
  const { logits } = translate(model, read.ids, how);
  const likely = (step) => Math.log(probabilitiesOf(logits[step], [written[step]])[0]);
  return written.reduce((sum, _, step) => sum + likely(step), 0);
}
