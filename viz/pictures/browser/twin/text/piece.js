// A stretch of normalised text with its place in the typed text, as in model/text/piece.py.

/** @typedef {import("./types").Piece} Piece */

/** Return the span from the first character's start to the last one's end.
 * @param {Piece} piece
 * @returns {import("./types").Span}
 */
export const spanOf = ({ spans }) => [spans[0][0], spans[spans.length - 1][1]];

/** Return a part of a piece.
 * @param {Piece} piece
 * @param {number} start
 * @param {number} end
 * @returns {Piece}
 */
export const part = ({ text, spans }, start, end) => ({
  text: text.slice(start, end),
  spans: spans.slice(start, end),
});

/** Replace a piece's text. Each new character has the span of the whole piece.
 * @param {Piece} piece
 * @param {string} text
 * @returns {Piece}
 */
export const rewritten = (piece, text) => ({
  text,
  spans: Array(text.length).fill(spanOf(piece)),
});
