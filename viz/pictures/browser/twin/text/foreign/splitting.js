// The pre-tokenizers of a tokenizer.json. Each splits pieces of text further, as tokenizers does.

import { ForeignTokenizerError } from "../foreign_names.js";
import { part } from "../piece.js";
import { mapped, prepended, replaced } from "./aligned.js";
import { BYTE_LETTERS } from "./byte_letters.js";

/** @typedef {import("../types").Piece} Piece */
/** @typedef {import("./normalizers").PatternOf} PatternOf */
/** @typedef {(pieces: Piece[]) => Piece[]} Splitter */

const GPT2 = String.raw`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`;
const WORDS = String.raw`[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]`;
const WHITE_SPACE = /\p{White_Space}/gu;
const PUNCTUATION = /[\p{P}!-/:-@[-`{-~]/gu;
const WORD = new RegExp(`${WORDS}+|[^\\p{White_Space}${WORDS.slice(1, -1)}]+`, "gu");

/** @type {Record<string, (json: any, patternOf: PatternOf) => Splitter>} */
const KINDS = {
  BertPreTokenizer: () => (pieces) =>
    split(split(pieces, WHITE_SPACE, "Removed"), PUNCTUATION, "Isolated"),
  ByteLevel: byteLevel,
  Digits: ({ individual_digits: each }) => by(/\p{N}/gu, each ? "Isolated" : "Contiguous"),
  Metaspace: metaspace,
  Punctuation: ({ behavior }) => by(PUNCTUATION, behavior),
  Split: ({ pattern, behavior, invert }, patternOf) => by(patternOf(pattern), behavior, invert),
  Whitespace: () => by(WORD, "Removed", true),
  WhitespaceSplit: () => by(WHITE_SPACE, "Removed"),
  Sequence: ({ pretokenizers }, patternOf) => {
    const steps = pretokenizers.map((json) => readSplitter(json, patternOf));
    return (pieces) => steps.reduce((made, step) => step(made), pieces);
  },
};

/** Read a pre-tokenizer.
 * @param {any} json the pre-tokenizer, or null
 * @param {PatternOf} patternOf
 * @returns {Splitter}
 */
export function readSplitter(json, patternOf) {
  if (json === null) return (pieces) => pieces;
  if (!Object.hasOwn(KINDS, json.type))
    throw new ForeignTokenizerError(`the pre-tokenizer ${json.type} is not known`);
  return KINDS[json.type](json, patternOf);
}

const by =
  (pattern, behavior, invert = false) =>
  (pieces) =>
    split(pieces, pattern, behavior, invert);

/** Write a text as letters that stand for its bytes in UTF-8.
 * @param {Piece} piece
 */
export const inBytes = (piece) =>
  mapped(piece, (character) =>
    Array.from(new TextEncoder().encode(character), (byte) => BYTE_LETTERS[byte]).join(""),
  );

function byteLevel({ add_prefix_space: spaced, use_regex: splits }, patternOf) {
  const pattern = patternOf({ Regex: GPT2 });
  return (pieces) => {
    const begun = pieces.map((piece) =>
      spaced && !piece.text.startsWith(" ") ? prepended(piece, " ") : piece,
    );
    return (splits ? split(begun, pattern, "Isolated") : begun).map(inBytes);
  };
}

function metaspace({ replacement, prepend_scheme: scheme, split: splits }, patternOf) {
  const pattern = patternOf({ String: replacement });
  const begins = (piece) => scheme === "always" || (scheme === "first" && piece.spans[0][0] === 0);
  return (pieces) => {
    const marked = pieces.map((piece) => {
      const made = replaced(piece, / /g, replacement);
      return made.text.startsWith(replacement) || !begins(made)
        ? made
        : prepended(made, replacement);
    });
    return splits ? split(marked, pattern, "MergedWithNext") : marked;
  };
}

/** Split pieces at the matches of a pattern, and treat the matches in one of tokenizers' ways.
 * @param {Piece[]} pieces
 * @param {RegExp} pattern
 * @param {string} behavior
 * @param {boolean} invert whether to split at everything else instead
 * @returns {Piece[]}
 */
function split(pieces, pattern, behavior, invert = false) {
  return pieces.flatMap((piece) =>
    WAYS[behavior](stretches(piece.text, pattern, invert))
      .filter(({ start, end }) => start < end)
      .map(({ start, end }) => part(piece, start, end)),
  );
}

// Split the whole text into stretches that match a pattern or do not.
function stretches(text, pattern, invert) {
  const found = [];
  let at = 0;
  for (const { index, 0: match } of text.matchAll(pattern)) {
    if (at < index) found.push({ start: at, end: index, isFound: invert });
    at = index + match.length;
    found.push({ start: index, end: at, isFound: !invert });
  }
  if (at < text.length) found.push({ start: at, end: text.length, isFound: invert });
  return found;
}

/** @type {Record<string, (found: {start: number, end: number, isFound: boolean}[]) => {start: number, end: number}[]>} */
const WAYS = {
  Removed: (found) => found.filter(({ isFound }) => !isFound),
  Isolated: (found) => found,
  Contiguous: (found) => merged(found, (before, each) => before === each),
  MergedWithPrevious: (found) => merged(found, (before, each) => each && !before),
  MergedWithNext: (found) =>
    merged(found.toReversed(), (before, each) => each && !before).toReversed(),
};

function merged(found, joins) {
  const made = [];
  let before = false;
  for (const { start, end, isFound } of found) {
    const last = made.at(-1);
    if (last && joins(before, isFound)) {
      last.start = Math.min(last.start, start);
      last.end = Math.max(last.end, end);
    } else made.push({ start, end });
    before = isFound;
  }
  return made;
}
