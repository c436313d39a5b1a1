// One sentence with what the head in question computes for it, from the tensors of its run.

import { isWord } from "../../../pictures/browser/run.js";
import { headOf } from "../../../pictures/browser/tensors.js";
import { KIND, meanRow, weightsOf } from "./subject.js";

/** @typedef {import("./subject.js").Subject} Subject */
/** @typedef {import("./question.js").Row} Row */
/** The written word that belongs to the word in question: its position, its probability, and the same without the head
 * (null until that is known).
 * @typedef {{at: number, probability: number, without: number | null}} Answer */
/** `label`: the adjective that tells two sentences apart; `written`: pairs of the text before a word, and the word;
 * `matrix`: the weights of the whole head; `right`: the position of the noun that is meant, with its `gender` (m or f).
 * @typedef {{source: string, label: string, tokens: string[], written: [string, string][], given: boolean,
 *   unknown: string[], answer: Answer | null, right: number | null, gender: string, matrix: Float32Array,
 *   q: Float32Array, k: Float32Array, v: Float32Array, scores: Float32Array, shares: Float32Array, mix: Float32Array}} Reading
 */

const GENDERS = { il: "m", elle: "f" }; // of the pronouns that translate "it"

/** Return the sentence with its numbers; null if the tensors of the head have not arrived.
 * @param {Subject} subject
 * @param {Row} row
 * @param {boolean} isMeaning whether the question is what "it" means
 * @param {(step: number) => number | null} without returns the probability of what a step wrote without the head
 * @returns {Reading | null}
 */
export function readingOf(subject, row, isMeaning, without) {
  const { run, source, meaning } = subject;
  const numbers = numbersOf(subject, row);
  if (!numbers) return null;
  const tokens = run.tokens.source;
  const written = writtenPieces(subject);
  const at = answerStep(subject, row.query, isMeaning);
  const isAnswered = at >= 0 && at < written.length;
  const { given, unknown, steps } = run.told;
  return {
    ...numbers,
    source,
    label: meaning ? tokens[meaning.adjective] : "",
    tokens,
    written,
    given,
    unknown,
    answer: isAnswered ? answerOf(at, steps[at].probability, without) : null,
    right: isMeaning ? meaning.right : null,
    gender: isMeaning ? GENDERS[meaning.pronoun] : "",
  };
}

// The probability without the head needs a pass of the model, so it is computed only when it is shown.
/** @returns {Answer} */
const answerOf = (at, probability, without) => ({
  at,
  probability,
  get without() {
    return without(at);
  },
});

// Return what the head computed, from the query to the mix.
function numbersOf({ run, tensors }, { layer, head, query }) {
  const path = `encoder.layers.${layer}.self_attn`;
  const facts = tensors?.attentions[path];
  if (!facts || !headOf(tensors, `${path}.weights`, head)) return null;
  const keyHead = Math.floor((head * facts.keyHeads) / run.kinds[KIND].heads);
  const whole = (part, of = head) => headOf(tensors, `${path}.${part}`, of);
  const own = (part) => {
    const { columns, data } = whole(part);
    return data.subarray(query * columns, (query + 1) * columns);
  };
  return {
    matrix: whole("weights").data,
    q: own("query"),
    k: whole("key", keyHead).data,
    v: whole("value", keyHead).data,
    scores: own("scores"),
    shares: own("weights"),
    mix: own("heads"),
  };
}

// Return the step that wrote a word while reading the word in question most, by the mean over the heads of the last
// cross-attention. For "it", choose among the steps that wrote a pronoun. -1 if every step read another word more.
function answerStep(subject, query, isMeaning) {
  const { run, reader } = subject;
  const tokens = run.tokens.target.slice(1);
  const { layers } = run.kinds["cross-attention"];
  const weights = weightsOf(subject, "cross-attention", layers - 1);
  const pronouns = tokens.flatMap((token, at) => (Object.hasOwn(GENDERS, token) ? [at] : []));
  const reads =
    isMeaning && pronouns.length && weights
      ? pronouns.map((at) => ({ at, share: meanRow(weights, at)[query] || 0 }))
      : tokens
          .map((token, at) => ({ at, isWord: isWord(token), ...reader(at) }))
          .filter((read) => read.isWord && read.key === query);
  return reads.reduce((best, read) => (read.share > best.share ? read : best), {
    at: -1,
    share: -1,
  }).at;
}

/** Return the written tokens, each with the text before it.
 * @param {Subject} subject
 * @returns {[string, string][]}
 */
function writtenPieces({ run, finished }) {
  const { sentence } = run.told;
  const words = run.tokens.target.slice(1, finished ? -1 : undefined);
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
