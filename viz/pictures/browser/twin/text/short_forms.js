// English short forms, written out, as in model/text/short_forms.py.

import { part, rewritten } from "./piece.js";

/** @typedef {import("./types").Piece} Piece */

const CONTRACTION =
  /^(?:(?<can>can)(?:'t|not)|(?<stem>\w+)n't|(?<subject>i|you|he|she|it|we|they)'(?<verb>\w+))$/i;
const SPOKEN =
  /^(?:(?<that>that|there|here|what|where|who|how|when|why)'s|(?<subject>i|you|he|she|it|we|they)'d|(?<let>let)'s)$/i;
const SAID_IN_FULL = { that: "is", subject: "would", let: "us" };
const FULL_STEMS = new Map([
  ["wo", "will"],
  ["sha", "shall"],
]);
const FULL_VERBS = new Map([
  ["m", "am"],
  ["re", "are"],
  ["s", "is"],
  ["ve", "have"],
  ["ll", "will"],
]);

/** Split "doesn't" into "does" and "not"; return nothing for other words.
 * @param {Piece} word
 * @returns {Piece[]}
 */
export function contraction(word) {
  const found = CONTRACTION.exec(word.text)?.groups;
  if (!found) return [];
  const { can, stem, subject, verb } = found;
  const first = stem ?? can ?? subject;
  const head = part(word, 0, first.length);
  const tail = part(word, first.length, word.text.length);
  if (!subject) {
    const full = FULL_STEMS.get(first.toLowerCase());
    return [full ? rewritten(head, full) : head, rewritten(tail, "not")];
  }
  const full = FULL_VERBS.get(verb.toLowerCase());
  return full ? [head, rewritten(tail, full)] : [];
}

/** Write "that's", "I'd" and "let's" in full; return nothing for other words.
 * @param {Piece} word
 * @returns {Piece[]}
 */
export function spoken(word) {
  for (const [group, full] of Object.entries(SAID_IN_FULL)) {
    const first = SPOKEN.exec(word.text)?.groups[group];
    if (first)
      return [
        part(word, 0, first.length),
        rewritten(part(word, first.length, word.text.length), full),
      ];
  }
  return [];
}
