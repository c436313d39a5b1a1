// The question about a sentence: the word that is asked about, and the encoder head that answers (one row of one head).

import { isWord } from "../../../pictures/browser/run.js";
import { rowOf } from "../../../pictures/browser/twin/tensor.js";
import { KIND, weightsOf } from "./subject.js";

/** @typedef {import("./subject.js").Subject} Subject */
/** @typedef {{layer: number, head: number, query: number}} Row a word and the encoder head whose row is asked about */

/** Return whether two questions are about the same row.
 * @param {Row} one
 * @param {Row} other
 */
export const isSameRow = (one, other) =>
  one.layer === other.layer && one.head === other.head && one.query === other.query;

const ANAPHORIC = new Set(["it", "he", "she", "they", "him", "them"]); // pronouns that refer to an earlier noun
const CONTENT = new Set(["noun", "verb", "adjective"]);
const MOST_CUT = 4; // most words whose heads are cut to find the one that matters

/** Return the row of "it" in the head that best separates the two nouns in all sentences; null if another word is asked
 * about, if the data do not say what "it" means, or if weights are missing.
 * @param {Subject[]} subjects one sentence, and optionally the one in which "it" means the other noun
 * @param {number} current
 * @param {number} word position of the word that the reader chose; -1 for none
 * @returns {Row | null}
 */
export function rowOfMeaning(subjects, current, word) {
  const { meaning, run } = subjects[current];
  if (!meaning || ![-1, meaning.it].includes(word)) return null;
  if (subjects.some((one) => !weightsOf(one, KIND, 0))) return null;
  const query = meaning.it;
  let best = { layer: 0, head: 0, query, margin: -Infinity };
  for (let layer = 0; layer < run.kinds[KIND].layers; layer++)
    for (let head = 0; head < run.kinds[KIND].heads; head++) {
      const margin = Math.min(...subjects.map((one) => marginOf(one, layer, head)));
      if (margin > best.margin) best = { layer, head, query, margin };
    }
  return { layer: best.layer, head: best.head, query };
}

// Return how much more weight a row of "it" gives to the noun that is meant than to the other noun.
function marginOf(subject, layer, head) {
  const { it, candidates, right } = subject.meaning;
  const row = rowOf(weightsOf(subject, KIND, layer), it, head);
  const wrong = candidates.find((noun) => noun !== right);
  return (row[right] || 0) - (row[wrong] || 0);
}

/** Return the rows to ask about: the row of a pronoun, else of content words that read another content word. Several
 * rows are sorted by sharpness, and the question is about the one whose head matters most.
 * @param {Subject} subject
 * @param {number} word position of the word that the reader chose; -1 for none
 * @returns {Row[]} at least one
 */
export function rowsToAsk(subject, word = -1) {
  const tokens = subject.run.tokens.source;
  const where = (holds) => tokens.flatMap((token, at) => (holds(token, at) ? [at] : []));
  const ofClass = (holds) => where((_token, at) => holds(subject.classes[at]));
  const words = where(isWord);
  if (word >= 0) return first(sharpest(subject, [word], words), { layer: 0, head: 0, query: word });
  const nouns = ofClass((part) => part === "noun");
  const pronouns = where((token, at) => ANAPHORIC.has(token) && at > nouns[0]);
  const content = ofClass((part) => CONTENT.has(part));
  const referring = sharpest(subject, pronouns, nouns);
  if (referring.length) return first(referring);
  const telling = sharpest(subject, content, content);
  if (telling.length) return telling.slice(0, MOST_CUT);
  return first(sharpest(subject, words, words), tellingRow(subject));
}

const first = ([found], otherwise = undefined) => [found ?? otherwise];

// For each row that reads one of the given words most in some head, return its sharpest head; the sharpest row first.
// Neighbours of a word count only if no row reads a word farther away.
function sharpest({ run, strongest }, rows, read) {
  const { layers, heads } = run.kinds[KIND];
  const may = new Set(read);
  for (const least of [2, 1]) {
    const found = rows.flatMap((query) => {
      let best = { share: 0 };
      for (let layer = 0; layer < layers; layer++)
        for (let head = 0; head < heads; head++) {
          const { key, share } = strongest(layer, head, query);
          if (share > best.share && may.has(key) && Math.abs(query - key) >= least)
            best = /** @type {any} */ ({ layer, head, query, share });
        }
      return best.share > 0 ? [best] : [];
    });
    if (found.length) return found.sort((one, other) => other.share - one.share);
  }
  return [];
}

// If no row tells anything, return the sharpest one of the first head: see telling_row in viz/heads/telling_cells.py.
function tellingRow({ run, tensors, strongest }) {
  const tokens = run.tokens.source;
  const mask = tensors?.tensors["encoder.layers.0.self_attn.mask"];
  const said = tokens.map((token, query) => {
    const { key, share } = strongest(0, 0, query);
    const readable = mask ? rowOf(mask, query).reduce((sum, may) => sum + may, 0) : tokens.length;
    const reads = isWord(token) && isWord(tokens[key]);
    return 8 * Number(readable > 1) + 4 * Number(isWord(token)) + 2 * Number(reads) + share;
  });
  return { layer: 0, head: 0, query: said.indexOf(Math.max(...said)) };
}
