// A stretch of normalised text that knows its place in the text as typed: see model/text/piece.py.

/** @typedef {import("./types").Piece} Piece */

/** From the first character's start to the last one's end.
 * @param {Piece} piece
 * @returns {import("./types").Span}
 */
export const spanOf = ({ spans }) => [spans[0][0], spans[spans.length - 1][1]];

/** Some of its characters.
 * @param {Piece} piece
 * @param {number} start
 * @param {number} end
 * @returns {Piece}
 */
export const part = ({ text, spans }, start, end) => ({
  text: text.slice(start, end),
  spans: spans.slice(start, end),
});

/** Another text in its place; each new character stands for the whole of it.
 * @param {Piece} piece
 * @param {string} text
 * @returns {Piece}
 */
export const rewritten = (piece, text) => ({
  text,
  spans: Array(text.length).fill(spanOf(piece)),
});
