// The rules of a tokenizer.json, from a text to tokens with their places and back to a text.

import { ForeignTokenizerError } from "../foreign_names.js";
import { readAdded } from "./added.js";
import { typed } from "./aligned.js";
import { BYTE_LETTERS } from "./byte_letters.js";
import { readDecoder } from "./decoders.js";
import { readModel } from "./models.js";
import { readNormalizer } from "./normalizers.js";
import { readSplitter } from "./splitting.js";

/** @typedef {import("../types").Span} Span */
/** @typedef {{id: number, token: string, span: Span}} Placed */
/** @typedef {ReturnType<typeof readRules>} Rules */

const MOST_TOKENS = 100_000;
const IS_SPACE = new RegExp(`^(?:${BYTE_LETTERS[32]}|\\p{White_Space})$`, "u");

/** Read rules.
 * @param {any} json the rules as model/foreign/imports/portable.py packs them
 * @param {import("./models").Library} library
 */
export function readRules(json, library) {
  const patternOf = (pattern) => {
    const found = new library.SplitPreTokenizer({ pattern, invert: true }).pattern;
    if (found) return found;
    throw new ForeignTokenizerError("a pattern of the tokenizer cannot be read");
  };
  const normalise = readNormalizer(json.normalizer, patternOf);
  const normalised = (text) => normalise(typed(text)).text;
  const find = readAdded(json.added_tokens, normalise, normalised);
  const split = readSplitter(json.pre_tokenizer, patternOf);
  const { read, ids } = readModel(json.model, library);
  const write = readDecoder(json.decoder, patternOf);
  const written = writtenTokens(json.added_tokens, ids, normalised);
  return {
    /** Split a text, without special tokens around it.
     * @param {string} text
     * @returns {Placed[]}
     */
    encode(text) {
      const found = find(typed(text)).flatMap(({ piece, id }) => {
        const tokens = (one) => read(one.text).map((token) => placed(token, one));
        if (id === null) return split([piece]).flatMap(tokens);
        return [placed({ id, token: piece.text, start: 0, end: piece.text.length }, piece)];
      });
      if (found.length > MOST_TOKENS)
        throw new ForeignTokenizerError("the tokenizer makes too many tokens of this text");
      return json.trims.reduce(trimmed, found);
    },
    /** Write the tokens of ids, without special ones. @param {number[]} given */
    decode: (given) =>
      write(given.map((id) => written.get(id)).filter((token) => token !== undefined)),
    /** Return whether the tokenizer has a token of an id. */
    has: (/** @type {number} */ id) => written.has(id),
  };
}

// Return the text of each id; undefined for a special token.
function writtenTokens(added, ids, normalised) {
  /** @type {Map<number, string | undefined>} */
  const written = new Map();
  for (const [token, id] of ids) written.set(id, token);
  for (const { id, content, normalized } of added)
    written.set(id, normalized ? normalised(content) : content);
  const special = new Set(added.filter((of) => of.special).map((of) => of.content));
  for (const [id, token] of written) if (special.has(token)) written.set(id, undefined);
  return written;
}

/** @returns {Placed} */
function placed({ id, token, start, end }, { spans }) {
  const last = Math.min(end, spans.length) - 1;
  const first = Math.min(start, spans.length - 1);
  return { id, token, span: [spans[first][0], spans[Math.max(first, last)][1]] };
}

// Leave white space at the ends of tokens out of their places, as the post-processor does.
function trimmed(found, prefixed) {
  return found.map(({ id, token, span: [start, end] }, i) => {
    const characters = [...token];
    const count = (list) => {
      const at = list.findIndex((character) => !IS_SPACE.test(character));
      return at < 0 ? list.length : at;
    };
    let before = count(characters);
    const after = count(characters.toReversed());
    if (prefixed && before === 1 && (i === 0 || start === 0)) before = 0;
    const from = Math.min(start + before, end);
    const to = after > 0 && end >= after ? Math.max(end - after, from) : end;
    return { id, token, span: [from, to] };
  });
}
