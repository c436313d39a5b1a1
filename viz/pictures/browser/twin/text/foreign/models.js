// The models of a tokenizer.json, which turn pieces of text into tokens, most of them with the library.

import { ForeignTokenizerError } from "../foreign_names.js";

/** A token of a piece, and the units of the piece that it covers.
 * @typedef {{id: number, token: string, start: number, end: number}} Token
 */
/** The parts of the library that are used; see vendor/README.md.
 * @typedef {{encode(pieces: string[]): string[], (pieces: string[]): string[]}} Encoder
 * @typedef {{
 *   BPE: new (json: any) => Encoder,
 *   WordPiece: new (json: any) => Encoder,
 *   Unigram: new (json: any, end?: string) => Encoder & {scores: number[]},
 *   SplitPreTokenizer: new (json: any) => {pattern: RegExp},
 * }} Library
 */
/** @typedef {(piece: string) => Token[]} Model */

/** @type {Record<string, (json: any, library: Library, ids: Map<string, number>) => Model>} */
const KINDS = { BPE: bytePairs, WordPiece: wordPieces, Unigram: unigram, WordLevel: wholeWords };

/** Read a model.
 * @param {any} json
 * @param {Library} library
 * @returns {{read: Model, ids: Map<string, number>}}
 */
export function readModel(json, library) {
  if (!Object.hasOwn(KINDS, json.type))
    throw new ForeignTokenizerError(`the model ${json.type} is not known`);
  const ids = new Map(
    Array.isArray(json.vocab)
      ? json.vocab.map(([token], id) => /** @type {[string, number]} */ ([token, id]))
      : Object.entries(json.vocab),
  );
  return { read: KINDS[json.type](json, library, ids), ids };
}

function bytePairs(json, library, ids) {
  const { unk_token: unknown, fuse_unk: fuses, end_of_word_suffix: suffix, byte_fallback } = json;
  const model = new library.BPE(json);
  const isKnown = (text) => ids.has(text);
  return (piece) => {
    let at = 0;
    const rest = suffix ? suffix.length : 0;
    /** @type {Token[]} */
    const found = [];
    for (const token of model([piece])) {
      const id = ids.get(token);
      const isByte = byte_fallback && BYTE.test(token) && !piece.startsWith(token, at);
      let length = token.length;
      if (isByte) length = characterAt(piece, at).length;
      else if (token === unknown && !piece.startsWith(token, at))
        length = unknownLength(piece, at, fuses, isKnown);
      else if (at + length - rest === piece.length && token.endsWith(suffix || "")) length -= rest;
      found.push({ id, token, start: at, end: at + length });
      if (!isByte || isLastByte(piece, at, found)) at += length;
    }
    return found;
  };
}

const BYTE = /^<0x[0-9A-F]{2}>$/;
const characterAt = (piece, at) => String.fromCodePoint(piece.codePointAt(at) ?? 0);

// Return whether the tokens now hold all bytes of the character.
function isLastByte(piece, at, found) {
  const bytes = new TextEncoder().encode(characterAt(piece, at)).length;
  return found.length >= bytes && found[found.length - bytes].start === at;
}

function unknownLength(piece, at, fuses, isKnown) {
  let end = at;
  do end += characterAt(piece, end).length;
  while (fuses && end < piece.length && !isKnown(characterAt(piece, end)));
  return end - at;
}

function wordPieces(json, library, ids) {
  const { unk_token: unknown, continuing_subword_prefix: prefix } = json;
  const model = new library.WordPiece(json);
  return (piece) => {
    const tokens = model([piece]);
    if (tokens.length === 1 && tokens[0] === unknown)
      return [{ id: ids.get(unknown), token: unknown, start: 0, end: piece.length }];
    let at = 0;
    return tokens.map((token) => {
      const start = at;
      at += token.length - (start ? prefix.length : 0);
      return { id: ids.get(token), token, start, end: at };
    });
  };
}

function unigram(json, library, ids) {
  const model = new library.Unigram(json);
  const { unk_id: unknown, byte_fallback } = json;
  model.scores[unknown] = json.vocab[unknown][1]; // the library drops this score, but a text may contain the token
  return (piece) => {
    let at = 0;
    const isUnknown = (token) => (ids.get(token) ?? unknown) === unknown;
    return fused(model.encode([piece]), isUnknown).flatMap((token) => {
      const [start, end] = [at, at + token.length];
      at = end;
      const one = (id, token) => ({ id, token, start, end });
      if (ids.has(token)) return [one(ids.get(token), token)];
      const bytes = byte_fallback ? inBytes(token) : [];
      if (bytes.length && bytes.every((byte) => ids.has(byte)))
        return bytes.map((byte) => one(ids.get(byte), byte));
      return [one(unknown, token)];
    });
  };
}

// Join consecutive unknown tokens to one.
function fused(tokens, isUnknown) {
  const made = [];
  let before = false;
  for (const token of tokens) {
    const now = isUnknown(token);
    if (now && before) made[made.length - 1] += token;
    else made.push(token);
    before = now;
  }
  return made;
}

const inBytes = (text) =>
  Array.from(
    new TextEncoder().encode(text),
    (byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`,
  );

function wholeWords({ unk_token: unknown }, _library, ids) {
  return (piece) => {
    const token = ids.has(piece) ? piece : unknown;
    if (!ids.has(token)) throw new ForeignTokenizerError("it has no token for unknown words");
    return [{ id: ids.get(token), token, start: 0, end: piece.length }];
  };
}
