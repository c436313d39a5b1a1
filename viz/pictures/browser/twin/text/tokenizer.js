// Text to ids and back, for one of Loupe's own models, as in model/text/tokenizer.py.

import { bytePairs, joinBytePairs, lookUp } from "./backend.js";
import { between, SPECIAL_TOKENS } from "./encoding.js";
import { checkLength, joinWords, normalise, splitWords, wholeWords } from "./normalised.js";
import { part, spanOf } from "./piece.js";
import { carry, readStandIns } from "./stand_ins.js";
import { idSpace, readIds } from "./vocabulary.js";

/** @typedef {import("./types").Encoding} Encoding */
/** @typedef {import("./types").Tokenizer} Tokenizer */
/** @typedef {import("./types").Tokenizers} Tokenizers */

const [PAD_ID, BOS_ID, EOS_ID, UNK_ID] = SPECIAL_TOKENS.keys();
const FIRST_ID = SPECIAL_TOKENS.length;
const MASK_TOKEN = "<mask>"; // in a model that guesses words, an ordinary token of its vocabulary

/** @type {import("./types").Specials} */
const SPECIALS = {
  pad: PAD_ID,
  bos: BOS_ID,
  eos: EOS_ID,
  unk: UNK_ID,
  mask: null,
  start: BOS_ID,
  stops: [EOS_ID],
  beforePrompt: [BOS_ID],
  afterPrompt: [],
  around: [[], [EOS_ID]],
};

/** Read the tokenizers of a checkpoint.
 * @param {any} json the tokenizers as `Tokenizers.to_dict` writes them
 * @returns {Tokenizers}
 */
export function readTokenizers({ shared, source, target, stand_ins: standIns }) {
  const targetIds = readIds(target.vocabulary, FIRST_ID);
  const sourceIds = readIds(source.vocabulary, FIRST_ID, shared ? targetIds : null);
  const space = (ids) => idSpace(shared ? [sourceIds, targetIds] : [ids], FIRST_ID);
  const side = (of, ids) => tokenizer(of, ids, [...SPECIAL_TOKENS, ...space(ids)]);
  return tokenizers(
    side(source, sourceIds),
    side(target, targetIds),
    standIns ? readStandIns(standIns) : null,
  );
}

/**
 * @param {Tokenizer} source
 * @param {Tokenizer} target
 * @param {import("./types").StandIns | null} standIns
 * @returns {Tokenizers}
 */
function tokenizers(source, target, standIns) {
  // Return the words that a source carries over, as the target would read them, with their stand-ins.
  const carried = ({ ids, copied }) =>
    new Map(
      copied.map(({ index, text, kind }) => [
        normalise(text, target.lowerCase).text,
        { token: source.allTokens[ids[index]], kind },
      ]),
    );
  return {
    source,
    target,
    specials: { ...SPECIALS, mask: source.vocabulary.get(MASK_TOKEN) ?? null },
    encodeSource: (text) =>
      between(source.encode(text, standIns?.carrier()), [], [EOS_ID], source.token),
    encodePrompt: (text) => between(target.encode(text), [BOS_ID], [], target.token),
    encodeTarget: (text, given = null) => {
      const carrier = standIns?.repeater(given ? carried(given) : new Map());
      return between(target.encode(text, carrier), [BOS_ID], [EOS_ID], target.token);
    },
    naming: ({ ids, copied }) => {
      const shown = copied.map(({ index, text }) => {
        const id = target.vocabulary.get(source.allTokens[ids[index]]);
        return /** @type {const} */ ([id, text]);
      });
      // reversed, so that the first occurrence of a word that was typed twice counts
      return tokenizers(source, target.naming(new Map(shown.reverse())), standIns);
    },
    isStandIn: (token) => standIns?.reserved.has(token) ?? false,
  };
}

/**
 * @param {any} json the data of one side
 * @param {Map<string, number>} vocabulary
 * @param {string[]} allTokens
 * @returns {Tokenizer}
 */
function tokenizer({ kind, lower_case: lowerCase, merges, whole_words }, vocabulary, allTokens) {
  const isBpe = kind === "bpe";
  const split = isBpe ? bytePairs(vocabulary, merges, UNK_ID) : lookUp(vocabulary, UNK_ID);
  const whole = isBpe ? wholeWords(new Set(whole_words), false) : wholeWords(vocabulary, true);
  const find = (text) => found(normalise(text, lowerCase), { kind, whole, split });

  /** @param {Map<number, string>} shown @returns {Tokenizer} */
  function naming(shown) {
    const raw = (id) => {
      const token = allTokens[id];
      if (token !== undefined) return shown.get(id) || token;
      throw new Error(`an id must be from 0 to ${allTokens.length - 1}, got ${id}`);
    };
    const token = (id) => (raw(id) === " " ? "␣" : raw(id));
    return {
      kind,
      lowerCase,
      vocabulary,
      allTokens,
      token,
      naming,
      encode: (text, carrier = null) => encode(text, find, { carrier, vocabulary, token }),
      decode: (ids) => written(kind, [...ids].filter(isWritten).map(raw)),
    };
  }
  return naming(new Map());
}

const isWritten = (id) => id === UNK_ID || id >= FIRST_ID;

function written(kind, tokens) {
  if (kind === "character") return tokens.join("");
  return joinWords(kind === "bpe" ? joinBytePairs(tokens) : tokens);
}

// Find the tokens of a normalised text, each with its place and the number of its word.
function found(text, { kind, whole, split }) {
  const tokens = [];
  let unit = 0;
  for (const word of kind === "character" ? characters(text) : splitWords(text, whole)) {
    for (const { id, start, end } of split(word.text)) {
      const [first] = spanOf(word);
      const own = part(word, start, end);
      const span = own.text ? spanOf(own) : [first, first];
      tokens.push({ text: own.text, id, span, unit });
    }
    unit++;
  }
  return tokens;
}

function* characters(text) {
  let at = 0;
  for (const { length } of text.text) {
    yield part(text, at, at + length);
    at += length;
  }
}

/** @returns {Encoding} */
function encode(text, find, { carrier, vocabulary, token }) {
  checkLength(text);
  const typed = [...text];
  const typedAt = ([start, end]) => typed.slice(start, end).join("");
  let tokens = find(text);
  let copied = [];
  if (carrier) {
    const words = tokens.map(({ text, id, span }) => ({
      text,
      typed: typedAt(span),
      known: id !== UNK_ID,
    }));
    const carried = carry(carrier, words);
    copied = carried.copied;
    tokens = tokens.map((each, i) =>
      carried.read.has(i) ? { ...each, id: vocabulary.get(carried.read.get(i)) ?? UNK_ID } : each,
    );
  }
  const names = new Map(copied.map(({ index, text }) => [index, text]));
  return {
    ids: tokens.map(({ id }) => id),
    tokens: tokens.map(({ id }, i) => names.get(i) || token(id)),
    spans: tokens.map(({ span }) => span),
    units: tokens.map(({ unit }) => unit),
    unknown: tokens
      .filter(({ id }) => id === UNK_ID)
      .map(({ span }) => ({ text: typedAt(span).toWellFormed(), start: span[0], end: span[1] })),
    copied,
  };
}
