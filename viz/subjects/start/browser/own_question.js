// What is asked of a sentence that the browser's own model ran: as question.py asks where nobody knows what "it" means.

import { isWord } from "../../../pictures/browser/run.js";
import { rowOf } from "../../../pictures/browser/twin/tensor.js";

/** @typedef {import("../../../pictures/browser/live/types").Answer} Answer */
/** @typedef {{layer: number, head: number, query: number}} Row a word, and the encoder head whose row of it is asked about */
/** @typedef {(word: string) => string | undefined} PartOf gives the part of speech of a word that is known */

const ANAPHORIC = new Set(["it", "he", "she", "they", "him", "them"]); // as in viz/heads/coreference.py
const CONTENT = new Set(["noun", "verb", "adjective"]);
const MOST_CUT = 4; // as in question.py

/** The row to ask about; of content words there may be several, the sharpest first, of which that is meant whose head
 * matters most.
 * @param {Answer} answer
 * @param {PartOf} partOf
 * @param {number} word position of the word that the reader chose; -1 of none
 * @returns {Row[]} at least one
 */
export function rowsToAsk(answer, partOf, word = -1) {
  const { tokens } = answer.read;
  const where = (holds) => tokens.flatMap((token, at) => (holds(token, at) ? [at] : []));
  const words = where(isWord);
  if (word >= 0) return first(sharpest(answer, [word], words), { layer: 0, head: 0, query: word });
  const nouns = where((token) => partOf(token) === "noun");
  const pronouns = where((token, at) => ANAPHORIC.has(token) && at > nouns[0]);
  const content = where((token) => CONTENT.has(partOf(token)));
  const referring = sharpest(answer, pronouns, nouns);
  if (referring.length) return first(referring);
  const telling = sharpest(answer, content, content);
  if (telling.length) return telling.slice(0, MOST_CUT);
  return first(sharpest(answer, words, words), tellingRow(answer));
}

const first = ([found], otherwise = undefined) => [found ?? otherwise];

const layersOf = ({ kinds }) => kinds["encoder self-attention"].layers;
const weightsOf = ({ tensors }, layer) => tensors[`encoder.layers.${layer}.self_attn.weights`];

// Of each word that in some head reads one of others most, the sharpest such row; the sharpest first. A word that is
// next to it counts where no word reads one farther apart.
function sharpest(answer, rows, read) {
  const stacks = Array.from({ length: layersOf(answer) }, (_, layer) => weightsOf(answer, layer));
  for (const least of [2, 1]) {
    const found = rows.flatMap((query) => {
      let best = { share: 0 };
      for (const [layer, weights] of stacks.entries())
        for (let head = 0; head < weights.heads; head++) {
          const { key, share } = topOf(rowOf(weights, query, head));
          if (share > best.share && read.includes(key) && Math.abs(query - key) >= least)
            best = /** @type {any} */ ({ layer, head, query, share });
        }
      return best.share > 0 ? [best] : [];
    });
    if (found.length) return found.sort((one, other) => other.share - one.share);
  }
  return [];
}

/** The key that a row reads most, the first among equals, and its share.
 * @param {ArrayLike<number>} row
 */
export function topOf(row) {
  let key = 0;
  for (let at = 1; at < row.length; at++) if (row[at] > row[key]) key = at;
  return { key, share: row[key] };
}

// Where no row tells anything, the sharpest of the first head: see telling_cell in viz/heads/telling_cells.py.
function tellingRow(answer) {
  const { tokens } = answer.read;
  const weights = weightsOf(answer, 0);
  const mask = answer.tensors["encoder.layers.0.self_attn.mask"];
  const said = tokens.map((token, query) => {
    const { key, share } = topOf(rowOf(weights, query));
    const chooses = rowOf(mask, query).reduce((count, may) => count + may, 0) > 1;
    const reads = isWord(token) && isWord(tokens[key]);
    return 8 * Number(chooses) + 4 * Number(isWord(token)) + 2 * Number(reads) + share;
  });
  return { layer: 0, head: 0, query: topOf(said).key };
}
