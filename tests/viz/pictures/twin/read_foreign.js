// Reads the third-party tokenizers of a fixture as the browser does, for test_twin_foreign.py.

import { asked, tell } from "../../../browser/asked.mjs";
import { readForeignTokenizers } from "../../../../viz/pictures/browser/twin/text/foreign.js";
import { readForeignNames } from "../../../../viz/pictures/browser/twin/text/foreign_names.js";
import { LIBRARY } from "../../../../viz/pictures/browser/twin/text/vendor/tokenizers.js";

function tried(call) {
  try {
    return call();
  } catch (error) {
    return { error: error.constructor.name, message: error.message };
  }
}

const side = (of) =>
  of && {
    kind: of.kind,
    allTokens: of.allTokens,
    vocabulary: [...of.vocabulary],
    named: of.naming(new Map([[0, "other"]])).token(0),
    wrong: tried(() => of.token(-1)),
  };

function told({ json, cases, sides }) {
  const read = tried(() => readForeignTokenizers(json, LIBRARY));
  if ("error" in read) return read;
  const { source, target, specials } = read;
  const encoded = {
    source: (text) => source && tried(() => read.encodeSource(text)),
    prompt: (text) => target && tried(() => read.encodePrompt(text)),
    target: (text) => target && tried(() => read.encodeTarget(text)),
  };
  const answers = cases.map(({ text, ids }) =>
    JSON.stringify({
      ...Object.fromEntries(sides.map((name) => [name, encoded[name](text)])),
      written: (target ?? source).decode(ids),
    }),
  );
  const alone = readForeignNames(json);
  const names = {
    source: side(alone.source),
    target: side(alone.target),
    specials: alone.specials,
    refused: [() => alone.encodeSource("a"), () => (alone.target ?? alone.source).decode([1])].map(
      (call) => tried(call).message,
    ),
  };
  return { source: side(source), target: side(target), specials, names, answers };
}

tell(asked.map(told));
