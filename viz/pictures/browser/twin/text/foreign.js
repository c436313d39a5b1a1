// A third-party model's texts to ids and back, as in model/foreign/imports/words.py.

import { hasLetterOrNumber, isSpace } from "./characters.js";
import { JOINED } from "./foreign/decoders.js";
import { readRules } from "./foreign/rules.js";
import {
  BeyondModelError,
  checker,
  ForeignTokenizerError,
  readForeignNames,
  sideOf,
} from "./foreign_names.js";
import { checkLength } from "./normalised.js";

/** @typedef {import("./types").Encoding} Encoding */

const TURNS = /[\u202a-\u202e\u2066-\u2069]/;

/** Read the tokenizers of a third-party model. A side that the model lacks is null.
 *
 * Throws a ForeignTokenizerError if the browser cannot follow them.
 * @param {any} json the tokenizers as `pack_tokenizers` of model/foreign/imports/portable.py writes them
 * @param {import("./foreign/models").Library} library the library of vendor/tokenizers.js
 */
export const readForeignTokenizers = (json, library) =>
  readForeignNames(json, (side) => guarded(true, () => readSide(side, library)));

// Read a tokenizer, or run it on a text. Whatever it throws becomes a ForeignTokenizerError.
function guarded(isNew, call) {
  try {
    return call();
  } catch (error) {
    if (error instanceof BeyondModelError) throw error;
    const why = error instanceof ForeignTokenizerError ? error.message : String(error);
    throw new ForeignTokenizerError(
      `the tokenizer ${isNew ? "cannot be used" : "failed on this text"}: ${why.slice(0, 200)}`,
    );
  }
}

function readSide(json, library) {
  const rules = readRules(json.rules, library);
  const { unk } = json.specials;
  const check = checker(json);
  const read = (text) => known(rules.encode(text), json.beyond, unk);
  tryOut(json.probes, read);
  return sideOf(json, {
    encode: (text, token) => encode(text, { read, check, token, unknown: unk }),
    decode: (ids, token) =>
      decode(ids, { rules, size: json.names.length, cleans: json.cleans, token }),
  });
}

// If the model's vocabulary has an id for a token that the rules leave unknown, use that id.
const known = (found, beyond, unknown) =>
  found.map((each) =>
    each.id === unknown && Object.hasOwn(beyond, each.token)
      ? { ...each, id: beyond[each.token] }
      : each,
  );

function tryOut(probes, read) {
  for (const [text, ids] of probes) {
    const found = read(text).map(({ id }) => id);
    if (found.join() === ids.join()) continue;
    throw new ForeignTokenizerError(
      `it reads ${JSON.stringify(text)} as ${found.join(", ")} here, not as ${ids.join(", ")}`,
    );
  }
}

/** @returns {Encoding} */
function encode(text, { read, check, token, unknown }) {
  checkLength(text);
  const found = guarded(false, () => read(text.toWellFormed()));
  check(found.map(({ id }) => id));
  const characters = [...text];
  const at = wordFinder(characters);
  return {
    ids: found.map(({ id }) => id),
    tokens: found.map(({ id }) => token(id)),
    spans: found.map(({ span }) => span),
    units: found.map(({ span }) => unitOf(characters, span, at)),
    unknown: found
      .filter(({ id }) => id === unknown)
      .map(({ span: [start, end] }) => {
        const typed = characters.slice(start, end).join("").toWellFormed();
        return { text: typed, start, end };
      }),
    copied: [],
  };
}

// Return the number of the word that holds the first visible character of a token.
function unitOf(characters, [start, end], wordAt) {
  let first = start;
  while (first < end && isSpace(characters[first])) first++;
  return first < end ? wordAt(first) : null;
}

// Number words, and single signs, by the places where they start.
function wordFinder(characters) {
  let [count, before] = [-1, false];
  const numbers = characters.map((character) => {
    const isLetter = character === "_" || hasLetterOrNumber(character);
    if (isLetter ? !before : !isSpace(character)) count++;
    before = isLetter;
    return count;
  });
  return (index) => (count < 0 ? null : numbers[index]);
}

function decode(ids, { rules, size, cleans, token }) {
  const kept = ids.filter((id) => id >= 0 && id < size && rules.has(id));
  let text = "";
  try {
    text = rules.decode(kept);
  } catch {
    text = kept.map(token).join(""); // tokens that cannot be joined are still shown
  }
  const joined = cleans ? JOINED : [];
  const cleaned = joined.reduce((made, [from, to]) => made.replaceAll(from, to), text);
  return [...cleaned].filter(isSeen).join("");
}

function isSeen(character) {
  if (character < " ") return character === "\n" || character === "\t";
  return character !== "\u007f" && !TURNS.test(character);
}
