// Reads the texts of a fixture with the twin of the tokenizers: `node read.js`, for test_twin_text.py.

import { asked, tell } from "../../../browser/asked.mjs";
import * as characters from "../../../../viz/pictures/browser/twin/text/characters.js";
import { normalise } from "../../../../viz/pictures/browser/twin/text/normalised.js";
import { readTokenizers } from "../../../../viz/pictures/browser/twin/text/tokenizer.js";

function toldOfTexts({ tokenizers, cases }) {
  const read = Object.fromEntries(
    Object.entries(tokenizers).map(([name, json]) => [name, readTokenizers(json)]),
  );
  const allTokens = Object.fromEntries(
    Object.entries(read).map(([name, { source, target }]) => [
      name,
      [source.allTokens, target.allTokens],
    ]),
  );
  return { cases: cases.map((one) => JSON.stringify(toldOf(read, one))), allTokens };
}

function toldOf(read, { name, source, target }) {
  try {
    const encoded = read[name].encodeSource(source);
    const prompt = read[name].encodePrompt(source);
    const forced = read[name].encodeTarget(target, encoded);
    const named = read[name].naming(encoded).target;
    const written = named.decode(forced.ids);
    return { encoded, prompt, forced, named: forced.ids.map(named.token), written };
  } catch (error) {
    return { error: error.constructor.name, message: error.message };
  }
}

function toldOfCharacters() {
  const { isSpace, isHyphenated, lower, ...has } = characters;
  const predicates = { isSpace, isHyphenated: (text) => isHyphenated(`-${text}`), ...has };
  const every = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code)).filter(
    (character) => !/\p{Cn}/u.test(character),
  );
  const codes = (characters) => characters.map((character) => character.codePointAt(0));
  const mapped = (change) =>
    Object.fromEntries(
      every
        .map((one) => [one.codePointAt(0), change(one)])
        .filter(([code, made]) => made !== String.fromCodePoint(code)),
    );
  return {
    assigned: codes(every),
    ...Object.fromEntries(
      Object.entries(predicates).map(([name, holds]) => [name, codes(every.filter(holds))]),
    ),
    lower: mapped(lower),
    normalised: mapped((character) => normalise(character, true).text),
  };
}

tell(asked === "characters" ? toldOfCharacters() : toldOfTexts(asked));
