// The names of a third-party model's tokens. A page has only these. The rules of a third-party tokenizer, which may
// take long for some texts, run in the worker beside the page (foreign.js).

import { between } from "./encoding.js";

/** @typedef {import("./types").Encoding} Encoding */
/** @typedef {import("./types").Specials} Specials */
/** @typedef {import("./types").Tokenizer} Tokenizer */
/** @typedef {import("./types").Tokenizers} Tokenizers */
/** Reads and writes texts with the names of a side.
 * @typedef {object} Reader
 * @property {(text: string, token: (id: number) => string) => Encoding} encode
 * @property {(ids: number[], token: (id: number) => string) => string} decode
 */
/** @typedef {Tokenizer & {specials: Specials}} Side */

const FORM = 1; // as in model/foreign/imports/portable.py

/** A tokenizer that the browser cannot follow, or a text on which it fails. */
export class ForeignTokenizerError extends Error {}

/** A text with a token for which the model has no vector. */
export class BeyondModelError extends ForeignTokenizerError {}

/** Read the names of a model's tokens. A side that the model lacks is null.
 *
 * Throws a ForeignTokenizerError if they have another form.
 * @param {any} json the tokenizers as `pack_tokenizers` of model/foreign/imports/portable.py writes them
 * @param {(json: any) => Side} readSide
 * @returns {Tokenizers}
 */
export function readForeignNames(json, readSide = (side) => sideOf(side, NO_READER)) {
  if (json?.form !== FORM || !Array.isArray(json.sides))
    throw new ForeignTokenizerError(`tokenizers must have the form ${FORM}`);
  const sides = json.sides.map(readSide);
  const [source, target] = [json.source, json.target].map((at) => (at === null ? null : sides[at]));
  if (source === undefined || target === undefined || !(source ?? target))
    throw new ForeignTokenizerError("tokenizers must have a source or a target");
  return tokenizers(source, target);
}

/** @type {Reader} */
const NO_READER = { encode: refuse, decode: refuse };

/** @returns {never} */
function refuse() {
  throw new Error("texts of a third-party model are read and written in the worker alone");
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

/** Read a side.
 * @param {any} json
 * @param {Reader} reader
 * @returns {Side}
 */
export function sideOf(json, reader) {
  const hidden = new Set(json.rules.added_tokens.filter((of) => of.special).map((of) => of.id));
  /** @type {Map<string, number>} */
  const vocabulary = new Map();
  for (const [id, name] of json.names.entries())
    if (!hidden.has(id) && !vocabulary.has(name)) vocabulary.set(name, id);
  const specials = specialsOf(json.specials);
  const named = namer(json);
  /** @param {Map<number, string>} shown @returns {Side} */
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
      encode: (text) => reader.encode(text, token),
      decode: (ids) => reader.decode([...ids], token),
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

/** Make the function that throws a BeyondModelError at an id for which the model has no vector.
 * @param {any} json the data of a side
 * @returns {(ids: number[]) => void}
 */
export function checker({ names: own, beyond_names: names }) {
  const size = own.length;
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

function namer(json) {
  const { names, beyond_names } = json;
  const check = checker(json);
  return (id) => {
    const name = names[id];
    if (name !== undefined) return name;
    if (Object.hasOwn(beyond_names, id)) check([id]);
    throw new Error(`an id must be from 0 to ${names.length - 1}, got ${id}`);
  };
}
