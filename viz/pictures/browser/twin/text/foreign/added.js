// The tokens added to a vocabulary, which are found in a text before anything else.

import { part } from "../piece.js";

/** @typedef {import("../types").Piece} Piece */
/** A token as in a tokenizer.json.
 * @typedef {{id: number, content: string, single_word: boolean, lstrip: boolean, rstrip: boolean,
 *   normalized: boolean, special: boolean}} AddedToken
 */
/** @typedef {{piece: Piece, id: number | null}} Found */

const WORD = /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]/u;
const WHITE_SPACE = /\p{White_Space}/u;

/** Read the added tokens. The returned function normalises a text and takes these tokens out of it.
 * @param {AddedToken[]} tokens
 * @param {(piece: Piece) => Piece} normalise
 * @param {(text: string) => string} normalised
 * @returns {(piece: Piece) => Found[]}
 */
export function readAdded(tokens, normalise, normalised) {
  const before = finder(tokens.filter((token) => !token.normalized).map((of) => [of.content, of]));
  const after = finder(
    tokens.filter((token) => token.normalized).map((of) => [normalised(of.content), of]),
  );
  return (piece) =>
    before(piece).flatMap((found) =>
      found.id === null && found.piece.text ? after(normalise(found.piece)) : [found],
    );
}

// Return a function that finds the leftmost tokens, and of several at one place the longest.
function finder(/** @type {[string, AddedToken][]} */ named) {
  const byText = new Map(named.filter(([text]) => text));
  const lengths = [...new Set([...byText.keys()].map((text) => text.length))].sort((a, b) => b - a);
  const firsts = new Set([...byText.keys()].map((text) => text[0]));
  const at = (text, start) => {
    if (!firsts.has(text[start])) return null;
    for (const length of lengths) {
      const token = byText.get(text.slice(start, start + length));
      if (token && start + length <= text.length) return { token, length };
    }
    return null;
  };
  return (/** @type {Piece} */ piece) => split(piece, at);
}

/** @returns {Found[]} */
function split(piece, at) {
  const { text } = piece;
  const found = [];
  let done = 0;
  const take = (end, id) => {
    if (done < end) found.push({ piece: part(piece, done, end), id });
    done = Math.max(done, end);
  };
  for (let i = 0; i < text.length; i++) {
    const match = at(text, i);
    if (!match) continue;
    let [start, end] = [i, i + match.length];
    i = end - 1;
    const { single_word, lstrip, rstrip, id } = match.token;
    if (single_word && (endsWord(text, start) || beginsWord(text, end))) continue;
    while (lstrip && start > done && WHITE_SPACE.test(text[start - 1])) start--;
    while (rstrip && end < text.length && WHITE_SPACE.test(text[end])) end++;
    take(start, null);
    take(end, id);
  }
  take(text.length, null);
  return found;
}

const beginsWord = (text, start) =>
  start < text.length && WORD.test(String.fromCodePoint(text.codePointAt(start)));

function endsWord(text, end) {
  const [last] = end ? [...text.slice(Math.max(0, end - 2), end)].slice(-1) : [""];
  return WORD.test(last);
}
