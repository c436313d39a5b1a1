// Finds a line that is worth pulling on a page without Python, because another word is then written. In the app Python
// finds it (viz/subjects/touch/pulls.py), since the address and the answer of the page name it before a model arrives.

import { isWord } from "../../../pictures/browser/run.js";
import { editsOf } from "../../../pictures/browser/twin/changes.js";
import { bestOf, translate } from "../../../pictures/browser/twin/decoding.js";
import { pulledTo } from "./touch_ask.js";
import { rowWeights } from "./touch_frames.js";

/** @typedef {import("./wire").WirePull} Pull */
/** @typedef {import("../../../pictures/browser/live/types").Answer} Answer */

const MOST_TRIED = 16;
/** @type {import("./types").Place} */
const EVERY_HEAD = { kind: "cross-attention", scope: "all", layer: 0, head: 0, row: 0, key: 0 };

/** Find a pull after which the row writes the word that the other key's own row wrote; null if no tried pull does.
 * @param {import("../../../pictures/browser/twin/types").Model} model
 * @param {Answer} answer of a run without changes
 * @param {Set<string>} nouns of the source's language, which are tried first
 * @returns {Pull | null}
 */
export function tellingPull(model, answer, nouns) {
  const source = answer.read.ids;
  const written = { longest: answer.written.length, given: answer.written };
  const known = translate(model, source, written);
  const writes = ({ row, to }) => {
    const edits = editsOf([pulledTo({ ...EVERY_HEAD, row }, to)], model.config);
    const given = answer.written.slice(0, row + 1);
    const { logits } = translate(model, source, {
      ...written,
      edits,
      given,
      after: { known, steps: row },
    });
    return bestOf(logits[row]);
  };
  const tried = candidates(answer, nouns).slice(0, MOST_TRIED);
  return tried.find(({ pull, wanted }) => writes(pull) === wanted)?.pull ?? null;
}

// Return pulls from written words to what other written words read. Rows that read a noun come first, then rows whose
// word is spelled differently from what it reads, then rows that read it most.
/** @param {Answer} answer @returns {{pull: Pull, wanted: number}[]} */
function candidates({ tokens, tensors, written }, nouns) {
  const said = tokens.target.slice(1);
  const rows = written
    .map((id, row) => {
      const weights = rowWeights(/** @type {any} */ ({ weights: tensors }), { ...EVERY_HEAD, row });
      const most = Math.max(...weights);
      return { row, id, held: weights.indexOf(most), most };
    })
    .filter(({ row, held }) => isWord(tokens.source[held]) && isWord(said[row]));
  const isNoun = ({ held }) => Number(nouns.has(tokens.source[held]));
  const isSame = ({ row, held }) => Number(tokens.source[held] === said[row]);
  rows.sort((a, b) => isNoun(b) - isNoun(a) || isSame(a) - isSame(b) || b.most - a.most);
  return rows.flatMap(({ row, held, id }) =>
    rows
      .filter((other) => other.held !== held && other.id !== id)
      .map((other) => ({ pull: { row, held, to: other.held }, wanted: other.id })),
  );
}
