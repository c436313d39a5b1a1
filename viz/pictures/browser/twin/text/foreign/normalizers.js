// The normalizers of a tokenizer.json. Each changes a piece of text as tokenizers does.

import { lower } from "../characters.js";
import { ForeignTokenizerError } from "../foreign_names.js";
import { mapped, prepended, replaced, stripped } from "./aligned.js";
import { readCharsmap } from "./charsmap.js";
import { normalForm } from "./forms.js";

/** @typedef {import("../types").Piece} Piece */
/** @typedef {(piece: Piece) => Piece} Change */
/** @typedef {(pattern: object) => RegExp} PatternOf */

const form = (name) => () => (piece) => normalForm(piece, name);

/** @type {Record<string, (json: any, patternOf: PatternOf) => Change>} */
const KINDS = {
  NFC: form("NFC"),
  NFD: form("NFD"),
  NFKC: form("NFKC"),
  NFKD: form("NFKD"),
  Lowercase: () => (piece) => mapped(piece, lower),
  StripAccents: () => (piece) => mapped(piece, (c) => (/\p{M}/u.test(c) ? "" : c)),
  Strip:
    ({ strip_left, strip_right }) =>
    (piece) =>
      stripped(piece, strip_left, strip_right),
  Prepend:
    ({ prepend }) =>
    (piece) =>
      prepended(piece, prepend),
  Precompiled: ({ precompiled_charsmap }) => readCharsmap(precompiled_charsmap),
  Replace: ({ pattern, content }, patternOf) => {
    const found = patternOf(pattern);
    return (piece) => replaced(piece, found, content);
  },
  BertNormalizer: bert,
  Sequence: ({ normalizers }, patternOf) => {
    const steps = normalizers.map((json) => readNormalizer(json, patternOf));
    return (piece) => steps.reduce((changed, step) => step(changed), piece);
  },
};

/** Read a normalizer.
 * @param {any} json the normalizer, or null
 * @param {PatternOf} patternOf
 * @returns {Change}
 */
export function readNormalizer(json, patternOf) {
  if (json === null) return (piece) => piece;
  if (!Object.hasOwn(KINDS, json.type))
    throw new ForeignTokenizerError(`the normalizer ${json.type} is not known`);
  return KINDS[json.type](json, patternOf);
}

const CONTROL = /[\p{Cc}\p{Cf}\p{Co}\ufffd]/u;
const IDEOGRAPHS = [
  [0x4e00, 0x9fff],
  [0x3400, 0x4dbf],
  [0x20000, 0x2a6df],
  [0x2a700, 0x2b73f],
  [0x2b740, 0x2b81f],
  [0x2b920, 0x2ceaf],
  [0xf900, 0xfaff],
  [0x2f800, 0x2fa1f],
];

function cleaned(character) {
  if (/[\t\n\r]/.test(character)) return " ";
  if (CONTROL.test(character)) return "";
  return /\p{White_Space}/u.test(character) ? " " : character;
}

function spaced(character) {
  const code = character.codePointAt(0);
  return IDEOGRAPHS.some(([first, last]) => first <= code && code <= last)
    ? ` ${character} `
    : character;
}

function bert({ clean_text, handle_chinese_chars, strip_accents, lowercase }) {
  const bare = (character) => (/\p{Mn}/u.test(character) ? "" : character);
  return (piece) => {
    let made = clean_text ? mapped(piece, cleaned) : piece;
    if (handle_chinese_chars) made = mapped(made, spaced);
    if (strip_accents ?? lowercase) made = mapped(normalForm(made, "NFD"), bare);
    return lowercase ? mapped(made, lower) : made;
  };
}
