// The decoders of a tokenizer.json, which turn tokens into text as tokenizers does.

import { ForeignTokenizerError } from "../foreign_names.js";
import { LETTER_BYTES } from "./byte_letters.js";

/** @typedef {import("./normalizers").PatternOf} PatternOf */
/** @typedef {(tokens: string[]) => string[]} Chain */

const UTF8 = { decode: (bytes) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes) };
/** Endings joined to the word before them if a tokenizer cleans up. */
export const JOINED = [
  [" .", "."],
  [" ?", "?"],
  [" !", "!"],
  [" ,", ","],
  [" ' ", "'"],
  [" n't", "n't"],
  [" 'm", "'m"],
  [" 's", "'s"],
  [" 've", "'ve"],
  [" 're", "'re"],
];
const CLEANED = [...JOINED, [" do not", " don't"]];

/** @type {Record<string, (json: any, patternOf: PatternOf) => Chain>} */
const KINDS = {
  ByteLevel: () => (tokens) => [UTF8.decode(Uint8Array.from(tokens.flatMap(bytesOf)))],
  WordPiece: wordPiece,
  Metaspace:
    ({ replacement, prepend_scheme: scheme }) =>
    (tokens) =>
      tokens.map((token, i) =>
        token.replaceAll(replacement, i === 0 && scheme !== "never" ? "" : " "),
      ),
  BPEDecoder:
    ({ suffix }) =>
    (tokens) =>
      tokens.map((token, i) => token.replaceAll(suffix, i === tokens.length - 1 ? "" : " ")),
  Fuse: () => (tokens) => [tokens.join("")],
  Strip: strip,
  ByteFallback: () => byteFallback,
  Replace: ({ pattern, content }, patternOf) => {
    const found = patternOf(pattern);
    return (tokens) => tokens.map((token) => token.replace(found, () => content));
  },
  Sequence: ({ decoders }, patternOf) => {
    const steps = decoders.map((json) => readChain(json, patternOf));
    return (tokens) => steps.reduce((made, step) => step(made), tokens);
  },
};

/** Read a decoder.
 * @param {any} json the decoder, or null
 * @param {PatternOf} patternOf
 * @returns {(tokens: string[]) => string}
 */
export function readDecoder(json, patternOf) {
  if (json === null) return (tokens) => tokens.join(" ");
  const chain = readChain(json, patternOf);
  return (tokens) => chain(tokens).join("");
}

function readChain(json, patternOf) {
  if (!Object.hasOwn(KINDS, json.type))
    throw new ForeignTokenizerError(`the decoder ${json.type} is not known`);
  return KINDS[json.type](json, patternOf);
}

function bytesOf(token) {
  const bytes = [...token].map((letter) => LETTER_BYTES.get(letter));
  return bytes.includes(undefined) ? [...new TextEncoder().encode(token)] : bytes;
}

function wordPiece({ prefix, cleanup }) {
  const joined = (token) => (token.startsWith(prefix) ? token.slice(prefix.length) : ` ${token}`);
  return (tokens) =>
    tokens.map((token, i) => {
      const made = i ? joined(token) : token;
      return cleanup ? CLEANED.reduce((text, [from, to]) => text.replaceAll(from, to), made) : made;
    });
}

function strip({ content, start, stop }) {
  return (tokens) =>
    tokens.map((token) => {
      const characters = [...token];
      let begin = 0;
      while (begin < start && characters[begin] === content) begin++;
      let end = characters.length;
      for (let i = 0; i < stop; i++) {
        const at = characters.length - i - 1;
        if (at < 0) throw new ForeignTokenizerError("a token is shorter than what is cut off");
        if (characters[at] !== content) break;
        end = at;
      }
      return characters.slice(begin, end).join("");
    });
}

function byteFallback(tokens) {
  const made = [];
  let bytes = [];
  const end = () => {
    if (bytes.length) made.push(...textsOf(bytes));
    bytes = [];
  };
  for (const token of tokens) {
    const byte = /^<0x([0-9A-Fa-f]{2})>$/.exec(token);
    if (byte) bytes.push(Number.parseInt(byte[1], 16));
    else {
      end();
      made.push(token);
    }
  }
  end();
  return made;
}

function textsOf(bytes) {
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return [decoder.decode(Uint8Array.from(bytes))];
  } catch {
    return bytes.map(() => "\ufffd");
  }
}
