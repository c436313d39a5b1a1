// Text as the tokenizers read it, normalised and split into words, as in model/text/normalised.py.

import { hasControl, hasDigit, hasMark, isHyphenated, isSpace, lower } from "./characters.js";
import { part, rewritten } from "./piece.js";
import { contraction, spoken } from "./short_forms.js";

/** @typedef {import("./types").Piece} Piece */
/** @typedef {import("./types").Span} Span */
/** @typedef {import("./types").WholeWords} WholeWords */

const MAX_CHARACTERS = 20_000;

const APOSTROPHES = /[\u2018\u2019\u02bc\uff07]/g;
const COMPATIBLE = /[\ufb00-\ufb06\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]/;
const JOINERS = "\u200c\u200d";
const LONGEST_CLUSTER = 31;

const PUNCTUATION = ".,?!";
const SIGNS = '"`´“”„‚«»‹›()[]{}:;-‐‑‒–—―…*/\\|_~•·¿¡';
const ENDS = "!?";
const INNER = /[.,?!]|[^.,?!]+/g;
const OWNER = "'s";
const ELISION = /(?:[cdjlmnst]|qu|(?:jus|lors|puis|quoi)qu)'/iy;

/** A text that a tokenizer cannot read. */
export class UnreadableTextError extends Error {}

/** A text that is refused for its length, before it is processed. */
export class TextTooLongError extends UnreadableTextError {}

/** Throw a TextTooLongError if a text has too many characters.
 * @param {string} text
 */
export function checkLength(text) {
  if (text.length <= MAX_CHARACTERS) return;
  let count = 0;
  for (const _ of text) count++;
  if (count <= MAX_CHARACTERS) return;
  const [most, got] = [MAX_CHARACTERS, count].map((number) => number.toLocaleString("en"));
  throw new TextTooLongError(`a text must have at most ${most} characters, got ${got}`);
}

/** Compose to NFC, drop invisible characters, and simplify white space, apostrophes, ligatures and wide letters.
 * @param {string} text
 * @param {boolean} lowerCase
 * @returns {Piece}
 */
export function normalise(text, lowerCase) {
  let read = "";
  /** @type {Span[]} */
  const spans = [];
  for (const { cluster, start, end } of clusters(text)) {
    const typed = cluster.join("");
    const composed = typed.normalize("NFC");
    const apart = composed === typed && cluster.length === end - start;
    let at = start;
    for (const character of composed) {
      const made = (lowerCase ? lower(character) : character).replace(APOSTROPHES, "'");
      /** @type {Span} */
      const span = apart ? [at, ++at] : [start, end];
      for (let i = 0; i < made.length; i++) spans.push(span);
      read += made;
    }
  }
  return { text: read, spans };
}

// Yield groups of characters that composition may join, each with its place.
function* clusters(text) {
  let cluster = [];
  let [start, end, at] = [0, 0, 0];
  for (const typed of text) {
    const character = plain(typed);
    at++;
    if (!character) continue;
    if (cluster.length && !joins(cluster, character)) {
      yield { cluster, start, end };
      cluster = [];
    }
    if (!cluster.length) start = at - 1;
    cluster.push(...character);
    end = at;
  }
  if (cluster.length) yield { cluster, start, end };
}

function plain(character) {
  if (isSpace(character)) return " ";
  if (COMPATIBLE.test(character)) return character.normalize("NFKC");
  const dropped = hasControl(character) && !JOINERS.includes(character);
  return dropped ? "" : character.toWellFormed();
}

function joins(cluster, character) {
  if (character < "\u0080" || cluster.length > LONGEST_CLUSTER) return false;
  if (hasMark(character)) return true;
  const together = (cluster.join("") + character).normalize("NFC");
  return !together.endsWith(character.normalize("NFC"));
}

/** Wrap the words that are kept as they are, with the length of the longest.
 * @param {Map<string, unknown> | Set<string>} words
 * @param {boolean} areAll
 * @returns {WholeWords}
 */
export function wholeWords(words, areAll) {
  let longest = 0;
  for (const word of words.keys()) longest = Math.max(longest, word.length);
  return { words, longest, areAll };
}

const has = ({ words, longest }, text, start, end) =>
  end - start <= longest && words.has(text.slice(start, end));
const isOne = (whole, { text }) => has(whole, text, 0, text.length);

/** Split at white space, then split off punctuation, then elisions and contractions.
 * @param {Piece} text
 * @param {WholeWords} whole
 * @returns {Generator<Piece>}
 */
export function* splitWords(text, whole) {
  const matches = [...text.text.matchAll(/[^ ]+/g)];
  for (const [i, { index, 0: found }] of matches.entries()) {
    const word = part(text, index, index + found.length);
    const pieces = [...splitWord(word, whole)];
    if (!whole.areAll || pieces.every((piece) => isOne(whole, piece))) yield* pieces;
    else yield* splitBareWord(word, whole, i === matches.length - 1);
  }
}

function* splitWord(word, whole) {
  const { length } = word.text;
  const [before, after] = inside(word.text, PUNCTUATION);
  for (let i = 0; i < before; i++) yield part(word, i, i + 1);
  if (before < after) yield* splitCore(part(word, before, after), whole);
  for (let i = after; i < length; i++) yield part(word, i, i + 1);
}

// Split a word without the signs around it that are not words themselves.
function* splitBareWord(word, whole, isLast) {
  const { text } = word;
  let [before, after] = inside(text, PUNCTUATION + SIGNS);
  let isOwner = false;
  if (!has(whole, text, before, after)) {
    const isQuoted = text.startsWith("'", before);
    [before, after] = inside(text, `${PUNCTUATION}${SIGNS}'`);
    const endsSo = after === text.length - 1 && text.endsWith("s'");
    isOwner = endsSo && !isQuoted && !isLast && whole.words.has(OWNER);
  }
  yield* kept(word, whole, 0, before);
  if (before < after) yield* splitCore(part(word, before, after), whole);
  if (isOwner) yield rewritten(part(word, after, after + 1), OWNER);
  else yield* kept(word, whole, after, text.length);
}

function* kept(word, whole, start, end) {
  let none = true;
  for (let i = start; i < end; i++) {
    const sign = part(word, i, i + 1);
    const isKnown = isOne(whole, sign);
    if (isKnown) yield sign;
    else if (none && ENDS.includes(sign.text) && whole.words.has(".")) yield rewritten(sign, ".");
    else continue;
    none = false;
  }
}

// Return where a text begins and ends without the given characters at its edges.
function inside(text, edges) {
  let [before, end] = [0, text.length];
  while (before < end && edges.includes(text[before])) before++;
  while (end > before && edges.includes(text[end - 1])) end--;
  const first = String.fromCodePoint(text.codePointAt(before) ?? 0);
  return [text[before - 1] === "-" && hasDigit(first) ? before - 1 : before, end];
}

function* splitCore(word, whole) {
  const { text } = word;
  if (isOne(whole, word)) {
    yield word;
    return;
  }
  for (const { index, 0: found } of text.matchAll(INNER)) {
    const end = index + found.length;
    let start = index;
    while (!has(whole, text, start, end)) {
      const after = start + elisionAt(text, start);
      if (after === start || after === end) break;
      yield part(word, start, after);
      start = after;
    }
    const inner = part(word, start, end);
    const parts = isOne(whole, inner) ? [inner] : partsOf(inner, whole);
    if (parts.length) yield* parts;
    else if (!(whole.areAll && PUNCTUATION.includes(inner.text))) yield inner;
  }
}

// Return the length of an elision, or 0 if there is none.
function elisionAt(text, start) {
  ELISION.lastIndex = start;
  return ELISION.exec(text)?.[0].length ?? 0;
}

function partsOf(word, whole) {
  for (const found of whole.areAll ? [contraction, spoken, possessive, compound] : [contraction]) {
    const parts = found(word, whole);
    if (parts.length) return parts;
  }
  return [];
}

// Split words like "girl's" if the possessive is a word of its own.
function possessive(word, whole) {
  const end = word.text.length - OWNER.length;
  if (end < 1 || !word.text.endsWith(OWNER) || !whole.words.has(OWNER)) return [];
  const owner = part(word, 0, end);
  const owners = isOne(whole, owner) ? [] : compound(owner, whole);
  return [...(owners.length ? owners : [owner]), part(word, end, word.text.length)];
}

// Split words like "twenty-one", or "donne-moi" before its hyphen. Return nothing unless all parts are known.
function compound(word, whole) {
  const { text } = word;
  const ends = [...text.matchAll(/-|$/g)].map(({ index }) => index);
  if (ends.length === 1) return [];
  const parts = [part(word, 0, ends[0])];
  for (const [i, hyphen] of ends.slice(0, -1).entries()) {
    if (has(whole, text, hyphen, text.length)) {
      parts.push(part(word, hyphen, text.length)); // as in "a-t-il"
      break;
    }
    const start = has(whole, text, hyphen, ends[i + 1]) ? hyphen : hyphen + 1;
    parts.push(part(word, start, ends[i + 1]));
  }
  return parts.every((each) => isOne(whole, each)) ? parts : [];
}

/** Join words as people write them: "l'animal", "donne-moi", and no space before a full stop.
 * @param {string[]} words
 */
export function joinWords(words) {
  let text = "";
  let closed = true;
  for (const word of words) {
    const follows = PUNCTUATION.includes(word) || isHyphenated(word);
    text += closed || follows ? word : ` ${word}`;
    const bare = word.replace(/^-/, "");
    closed = bare !== "" && elisionAt(bare, 0) === bare.length;
  }
  return text;
}
