// A text that rules change, with the span of the typed text from which each of its units came.

import { ForeignTokenizerError } from "../foreign_names.js";
import { part } from "../piece.js";

/** @typedef {import("../types").Piece} Piece */
/** @typedef {import("../types").Span} Span */

const MOST_UNITS = 100_000; // maximum length of a changed text, enough for any reasonable rule and 20,000 characters

/** Wrap a text as typed: each character has its own span.
 * @param {string} text
 * @returns {Piece}
 */
export function typed(text) {
  /** @type {Span[]} */
  const spans = [];
  let at = 0;
  for (const { length } of text) {
    for (let i = 0; i < length; i++) spans.push([at, at + 1]);
    at++;
  }
  return { text, spans };
}

/** Change the characters of a piece as `NormalizedString.transform` of tokenizers does.
 *
 * Each new character has a number. With 0 it replaces the next character, and with -n it also removes the n characters
 * after that. With 1 it is inserted, with the span of the character before it.
 * @param {Piece} piece
 * @param {[string, number][]} changes
 * @returns {Piece}
 */
export function transformed(piece, changes) {
  const starts = [...startsOf(piece.text)];
  /** @type {Span[]} */
  const spans = [];
  const made = [];
  const [start] = piece.spans[0] ?? [0];
  let at = 0;
  for (const [character, change] of changes) {
    const from = change > 0 ? at - 1 : at;
    /** @type {Span} */
    const span = piece.spans[starts[from]] ?? [start, start];
    if (change <= 0) at += 1 - change;
    made.push(character);
    for (let i = 0; i < character.length; i++) spans.push(span);
  }
  return bounded({ text: made.join(""), spans });
}

function* startsOf(text) {
  let at = 0;
  for (const { length } of text) {
    yield at;
    at += length;
  }
}

/** Replace each character by others, all with its span.
 * @param {Piece} piece
 * @param {(character: string) => string} change
 * @returns {Piece}
 */
export function mapped(piece, change) {
  let text = "";
  /** @type {Span[]} */
  const spans = [];
  let at = 0;
  for (const character of piece.text) {
    const made = change(character);
    for (let i = 0; i < made.length; i++) spans.push(piece.spans[at]);
    text += made;
    at += character.length;
  }
  return bounded({ text, spans });
}

/** Replace all matches of a pattern by a text, which gets the span of the last character of the match.
 * @param {Piece} piece
 * @param {RegExp} pattern
 * @param {string} content
 * @returns {Piece}
 */
export function replaced(piece, pattern, content) {
  let text = "";
  /** @type {Span[]} */
  const spans = [];
  let at = 0;
  for (const { index, 0: found } of piece.text.matchAll(pattern)) {
    const end = index + found.length;
    text += piece.text.slice(at, index) + content;
    for (let i = at; i < index; i++) spans.push(piece.spans[i]);
    const [start] = piece.spans[0];
    for (let i = 0; i < content.length; i++) spans.push(piece.spans[end - 1] ?? [start, start]);
    at = end;
    bounded({ text, spans });
  }
  for (let i = at; i < piece.text.length; i++) spans.push(piece.spans[i]);
  return bounded({ text: text + piece.text.slice(at), spans });
}

/** Put a text before a piece, with the span of the piece's first character.
 * @param {Piece} piece
 * @param {string} before
 * @returns {Piece}
 */
export const prepended = (piece, before) =>
  piece.text === ""
    ? piece
    : {
        text: before + piece.text,
        spans: [...Array(before.length).fill(piece.spans[0]), ...piece.spans],
      };

/** Remove white space at the ends of a piece.
 * @param {Piece} piece
 * @param {boolean} left
 * @param {boolean} right
 */
export function stripped(piece, left, right) {
  const { text } = piece;
  const start = left ? /^\p{White_Space}*/u.exec(text)[0].length : 0;
  let end = text.length;
  while (right && end > start && /\p{White_Space}/u.test(text[end - 1])) end--;
  return part(piece, start, end);
}

function bounded(piece) {
  if (piece.text.length <= MOST_UNITS) return piece;
  throw new ForeignTokenizerError("the tokenizer makes this text too long");
}
