// Tokens that carry an unknown word unchanged into the translation, as in model/text/stand_ins.py.

import { hasLetterOrNumber, hasLower, hasTitle, hasUpper, lower } from "./characters.js";
import { normalise } from "./normalised.js";

/** @typedef {import("./types").Carried} Carried */
/** @typedef {import("./types").Carrier} Carrier */
/** @typedef {import("./types").CopiedKind} CopiedKind */
/** @typedef {import("./types").CopiedWord} CopiedWord */
/** @typedef {import("./types").Word} Word */

const LONGEST_CARRIED = 40;
const TIME = /^[0-9]{1,2}(?::[0-9]{2}){1,2}$/;
const NUMBER = /^-?[0-9]+(?:st|nd|rd|th)?$/;
const ENDS = new Set([".", "?", "!"]);
const NONE = { text: "<unk>", typed: "", known: false };

const isNoun = (kind) => kind === "noun" || kind === "plural noun";

/** Return the texts to read in place of some words, by index, and the words that are carried over.
 * @param {Carrier} carrier
 * @param {Word[]} typed
 * @returns {{read: Map<number, string>, copied: CopiedWord[]}}
 */
export function carry({ reserved, choose }, typed) {
  const words = typed.map((word) => (reserved.has(word.text) ? NONE : word));
  const chosen = [...choose(words)];
  const read = new Map();
  for (const [i, word] of words.entries()) if (word === NONE) read.set(i, NONE.text);
  for (const [i, { token }] of chosen) read.set(i, token);
  const copied = chosen.map(([i, { kind }]) => ({ index: i, text: shown(words, i, kind), kind }));
  return { read, copied };
}

/** Read the stand-ins of each kind, and the words that reveal the kind of an unknown word.
 * @param {Record<string, string[]>} json
 * @returns {import("./types").StandIns}
 */
export function readStandIns(json) {
  const { nouns, plurals, names, numbers, times } = json;
  const reserved = new Set([nouns, plurals, names, numbers, times].flat());
  const tokens = { noun: nouns, "plural noun": plurals, name: names, number: numbers, time: times };
  const kindOf = kinds(json);
  return {
    reserved,
    carrier: () => ({ reserved, choose: (words) => choose(words, kindOf, tokens) }),
    repeater: (carried) => ({ reserved, choose: (words) => repeat(words, carried) }),
  };
}

function repeat(words, carried) {
  const chosen = new Map();
  for (const [i, { text, known }] of words.entries())
    if (!known && carried.has(text)) chosen.set(i, carried.get(text));
  return chosen;
}

// Choose a stand-in for each unknown word that can be carried over, in the order of the text.
function choose(words, kindOf, tokens) {
  const toldByCapitals = words.some(({ typed }) => hasLower(typed));
  /** @type {Map<number, Carried>} */
  const chosen = new Map();
  /** @type {Map<string, Carried>} */
  const ofWord = new Map();
  for (const [i, { text, typed, known }] of words.entries()) {
    if (known || !canBeCarried(text)) continue;
    const before = chosen.get(i - 1)?.token ?? words[i - 1]?.text ?? "";
    const after = words[i + 1]?.text ?? "";
    const kind = kindOf(text, before, after, toldByCapitals && hasUpper(firstOf(typed)));
    const carried = ofWord.get(text) ?? next(kind, ofWord.values(), tokens);
    if (!kind || !carried) continue;
    chosen.set(i, carried);
    ofWord.set(text, carried);
  }
  return chosen;
}

// Make the function that guesses the kind of an unknown word from the words around it; null if it has no stand-in.
function kinds(json) {
  const numbers = new Set(json.numbers);
  const [nounAfter, notBefore, verbAfter] = [json.noun_after, json.not_before, json.verb_after].map(
    (words) => new Set(words),
  );
  return (word, before, after, capital) => {
    const isFirst = !before || ENDS.has(before);
    if (TIME.test(word)) return "time";
    if (NUMBER.test(word)) return "number";
    const plural = word.endsWith("s") && !word.endsWith("ss");
    if (nounAfter.has(before) || numbers.has(before)) {
      if (notBefore.has(after)) return null;
      return plural ? "plural noun" : "noun";
    }
    if (capital && !isFirst) return "name";
    if (verbAfter.has(before)) return null;
    if ((isFirst || notBefore.has(before)) && nounAfter.has(after)) return null;
    return plural ? "plural noun" : "name";
  };
}

// Return the next stand-in of a kind, or null if all are taken.
function next(kind, taken, tokens) {
  if (!kind) return null;
  const same = [...taken].filter((one) => one.kind === kind || (isNoun(one.kind) && isNoun(kind)));
  const token = tokens[kind][same.length];
  return token === undefined ? null : { token, kind };
}

// Return a word as both languages show it; a noun at a sentence's start loses its capital.
function shown(words, index, kind) {
  const typed = normalise(words[index].typed, false).text;
  const first = firstOf(typed);
  const rest = typed.slice(first.length);
  const isFirst = index === 0 || ENDS.has(words[index - 1].text);
  const isPlain = hasLower(rest) && !hasUpper(rest) && !hasTitle(rest);
  return isFirst && isNoun(kind) && isPlain ? lower(first) + rest : typed;
}

const firstOf = (text) => (text ? String.fromCodePoint(text.codePointAt(0)) : "");

const canBeCarried = (word) =>
  [...word].length <= LONGEST_CARRIED && !/[<>]/.test(word) && hasLetterOrNumber(word);
