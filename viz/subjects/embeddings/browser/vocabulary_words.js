// The words of one side of a model, their similarity, and those of a sentence: see viz/subjects/embeddings/points.py.

import { meanCosine, neighbours, rowsOf, units, withoutCommon } from "./geometry.js";

/** @typedef {"source" | "target"} Side */
/** @typedef {{ids: number[], tokens: string[], groups: string[], places: Map<string, number>,
 *   scaled: import("./geometry").Vectors, inCommon: number}} Known
 */

const MOST_OF_TEXT = 6;
const CONTENT = new Set(["le", "la", "noun", "verb", "adjective", "word"]); // groups of words that carry meaning

/** Return the words of one side.
 * @param {import("../../../pictures/browser/live/models").Kept} kept
 * @param {Side} side
 * @param {import("../../../pictures/browser/wire").WireSiteWords} sent
 * @returns {Known}
 */
export function wordsOf({ model, tokenizers }, side, { groups, names }) {
  const ids = [...groups].flatMap((digit, id) => (digit === "-" ? [] : [id]));
  const rows = rowsOf(model.parameters[`${side}_embedding`].weight, model.config.d_model, ids);
  const tokens = ids.map(tokenizers[side].token);
  return {
    ids,
    tokens,
    groups: ids.map((id) => names[Number(groups[id])]),
    places: new Map(tokens.map((token, at) => [token, at])),
    scaled: units(withoutCommon(rows)),
    inCommon: meanCosine(rows),
  };
}

/** Return the places of the words of a text, as the app orders them: verbs first and, among equals, those with the most
 * similar neighbours. If the model has none of these words, return any word of the model.
 * @param {Known} known
 * @param {string[]} tokens
 */
export function wordsOfText(known, tokens) {
  const all = tokens.flatMap((token) => known.places.get(token) ?? []);
  const content = all.filter((at) => CONTENT.has(known.groups[at]));
  const found = [...new Set(content.length ? content : all.length ? all : [0])];
  const ranked = found.map((at) => ({
    at,
    isOther: known.groups[at] !== "verb",
    cosine: neighbours(known.scaled, at, 1)[0]?.cosine ?? 0,
  }));
  ranked.sort((a, b) => Number(a.isOther) - Number(b.isOther) || b.cosine - a.cosine);
  return ranked.slice(0, MOST_OF_TEXT).map(({ at }) => at);
}
