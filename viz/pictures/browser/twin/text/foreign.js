// A third-party model's texts to ids and back: see model/foreign/imports/words.py.

import { hasLetterOrNumber, isSpace } from "./characters.js";
import { between } from "./encoding.js";
import { ForeignTokenizerError } from "./foreign/aligned.js";
import { readRules } from "./foreign/rules.js";
import { checkLength } from "./normalised.js";

/** @typedef {import("./types").Encoding} Encoding */
/** @typedef {import("./types").Specials} Specials */
/** @typedef {import("./types").Tokenizer} Tokenizer */
/** @typedef {import("./types").Tokenizers} Tokenizers */

const FORM = 1; // as in model/foreign/imports/portable.py
const TURNS = /[\u202a-\u202e\u2066-\u2069]/;
const JOINED = [
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

/** A text with a token for which the model has no vector. */
export class BeyondModelError extends ForeignTokenizerError {}

/** Read the tokenizers of a third-party model. A side that it lacks is null.
 *
 * Throws a ForeignTokenizerError if they cannot be followed here.
 * @param {any} json as `pack_tokenizers` of model/foreign/imports/portable.py writes it
 * @param {import("./foreign/models").Library} library that of vendor/tokenizers.js
 * @returns {Tokenizers}
 */
export function readForeignTokenizers(json, library) {
  if (json?.form !== FORM || !Array.isArray(json.sides))
    throw new ForeignTokenizerError(`tokenizers must have the form ${FORM}`);
  const sides = json.sides.map((side) => guarded(true, () => readSide(side, library)));
  const [source, target] = [json.source, json.target].map((at) => (at === null ? null : sides[at]));
  if (source === undefined || target === undefined || !(source ?? target))
    throw new ForeignTokenizerError("tokenizers must have a source or a target");
  return tokenizers(source, target);
}

function tokenizers(source, target) {
  const { around } = (source ?? target).specials;
  /** @type {Specials} */
  const specials = { ...(target ?? source).specials, around };
  const between_ = ({ token }, found, before, after) => between(found, before, after, token);
  return {
    source,
    target,
    specials,
    encodeSource: (text) => between_(source, source.encode(text), ...around),
    encodePrompt: (text) =>
      between_(target, target.encode(text), specials.beforePrompt, specials.afterPrompt),
    encodeTarget(text) {
      const [before] = target.specials.around;
      const [start, end] = [specials.start, specials.eos].map((id) => (id === null ? [] : [id]));
      const isThere = start.every((id) => id === before[0]); // as in BART: </s> <s>
      const first = isThere ? before : [...start, ...before];
      return between_(target, target.encode(text), first, end);
    },
    naming: () => tokenizers(source, target),
    isStandIn: () => false,
  };
}

// Runs a call of a tokenizer, which is read or reads a text; whatever it throws becomes one kind of error.
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

/** @returns {Tokenizer & {specials: Specials}} */
function readSide(json, library) {
  const rules = readRules(json.rules, library);
  const specials = specialsOf(json.specials);
  const size = json.names.length;
  const hidden = new Set(json.rules.added_tokens.filter((of) => of.special).map((of) => of.id));
  /** @type {Map<string, number>} */
  const vocabulary = new Map();
  for (const [id, name] of json.names.entries())
    if (!hidden.has(id) && !vocabulary.has(name)) vocabulary.set(name, id);
  const check = checker(json, size);
  const named = namer(json, size, check);
  const read = (text) => known(rules.encode(text), json.beyond, specials.unk);
  tryOut(json.probes, read);
  /** @param {Map<number, string>} shown @returns {Tokenizer & {specials: Specials}} */
  function naming(shown) {
    const token = (id) => shown.get(id) ?? named(id);
    return {
      kind: json.kind,
      lowerCase: false,
      vocabulary,
      allTokens: json.names,
      specials,
      token,
      naming,
      encode: (text) => encode(text, { read, check, token, unknown: specials.unk }),
      decode: (ids) => decode([...ids], { rules, size, cleans: json.cleans, token }),
    };
  }
  return naming(new Map());
}

/** @returns {Specials} */
function specialsOf(json) {
  const { pad, bos, eos, unk, mask, start, stops, around } = json;
  const [beforePrompt, afterPrompt] = [json.before_prompt, json.after_prompt];
  return { pad, bos, eos, unk, mask, start, stops, beforePrompt, afterPrompt, around };
}

function checker({ beyond_names: names }, size) {
  const said = (number) => number.toLocaleString("en");
  return (ids) => {
    const beyond = ids.find((id) => id >= size);
    if (beyond === undefined) return;
    throw new BeyondModelError(
      `the tokenizer reads ${names[beyond] ?? `⟨${beyond}⟩`} (id ${said(beyond)}) in this text, and ` +
        `the model has vectors only for the ids 0 to ${said(size - 1)}. Take the token out of the ` +
        "text or, if the tokenizer adds it to every text, enlarge the model and save it: " +
        "model.resize_token_embeddings(len(tokenizer)) of transformers",
    );
  };
}

function namer({ names, beyond_names }, size, check) {
  return (id) => {
    const name = names[id];
    if (name !== undefined) return name;
    if (Object.hasOwn(beyond_names, id)) check([id]);
    throw new Error(`an id must be from 0 to ${size - 1}, got ${id}`);
  };
}

// Gives what the rules leave unknown the id that the model's vocabulary has for it all the same.
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

// The number of the word in which the first visible character of a token stands.
function unitOf(characters, [start, end], wordAt) {
  let first = start;
  while (first < end && isSpace(characters[first])) first++;
  return first < end ? wordAt(first) : null;
}

// Numbers words, and signs alone, by the places where they start.
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
    text = kept.map(token).join(""); // what cannot be joined is still shown
  }
  const joined = cleans ? JOINED : [];
  const cleaned = joined.reduce((made, [from, to]) => made.replaceAll(from, to), text);
  return [...cleaned].filter(isSeen).join("");
}

function isSeen(character) {
  if (character < " ") return character === "\n" || character === "\t";
  return character !== "\u007f" && !TURNS.test(character);
}
