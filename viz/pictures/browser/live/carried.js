// Carry a chosen cell over to another run. If no part of it exists there, choose the cell most worth seeing.

import { clamp } from "../elements.js";
import { drawnHead, isWord, nearestPlace } from "../run.js";
import { CODE_ONE } from "../weights.js";

const ENCODER = "encoder self-attention";
const [OTHER, CONTENT, PRONOUN, IT] = [1, 2, 3, 4]; // as in viz/heads/telling_cells.py
const [SHARP, LEAST] = [0.5, 0.3];
const CONTENT_CLASSES = new Set(["noun", "verb", "adjective"]);

/** Returns the part of speech of a known word.
 * @typedef {(word: string) => string | undefined} PartOf
 */

/**
 * @param {{kind: string, layer: number, head: number, query: number, key: number}} chosen
 * @param {{tokens: Record<string, string[]>}} before
 * @param {import("../types").Run} after
 * @param {PartOf} [partOf]
 */
export function carried(
  { kind, layer, head, query, key },
  before,
  after,
  partOf = () => undefined,
) {
  const stack = after.kinds[kind];
  const placeOf = ([side, first], at) => {
    const word = before.tokens[side][first + at];
    return word === undefined ? at : nearestPlace(word, after.tokens[side].slice(first), at);
  };
  const rows = rowsOf(stack, layer, head);
  const row = isLike(before.tokens, after.tokens) ? placeOf(stack.queries, query) : -1;
  if (!rows[row]) {
    const reading = kind === ENCODER ? tellingReading(rows, after.tokens.source, partOf) : null;
    return reading ?? tellingCell(rows, stack, after.tokens);
  }
  const column = placeOf(stack.keys, key);
  return { query: row, key: column < 0 ? mostOf(rows[row]).at : clamp(column, stack.columns) };
}

/** Return whether one text is an edit of the other, by the rule of `is_like` in viz/address/selection.py.
 * @param {Record<string, string[]>} before
 * @param {Record<string, string[]>} after
 */
function isLike({ source: one }, { source: other }) {
  const [words, others] = [one, other].map((tokens) => tokens.filter(isWord));
  const left = [...others];
  const shared = words.filter((word) => {
    const at = left.indexOf(word);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
  return 2 * shared.length >= Math.min(words.length, others.length);
}

/** Return the reading of one head that is most worth seeing, as telling_reading in viz/heads/telling_cells.py does.
 * @param {Uint16Array[]} rows
 * @param {string[]} tokens
 * @param {PartOf} partOf
 */
function tellingReading(rows, tokens, partOf) {
  const words = tokens.map((token) => token.toLowerCase());
  const classes = words.map(partOf);
  const tells = (query, key) => {
    if (Math.abs(query - key) < 2 || words[query] === words[key] || !isWord(words[query])) return 0;
    if (classes[query] === "pronoun" && classes[key] === "noun" && key < query)
      return words[query] === "it" ? IT : PRONOUN;
    if (!CONTENT_CLASSES.has(classes[key])) return 0;
    return CONTENT_CLASSES.has(classes[query]) ? CONTENT : OTHER;
  };
  let best = { says: LEAST, query: -1, key: -1 };
  for (const [query, row] of rows.entries()) {
    const { at: key, weight } = mostOf(row);
    const share = weight / CODE_ONE;
    const value = tells(query, key);
    const says = value && share + (share >= SHARP ? value : 0);
    if (says > best.says) best = { says, query, key };
  }
  return best.query < 0 ? null : { query: best.query, key: best.key };
}

/** Return the cell of one head most worth seeing, as telling_cell in viz/heads/telling_cells.py does.
 * @param {Uint16Array[]} rows
 * @param {import("../types").Stack} stack
 * @param {Record<string, string[]>} tokens
 */
function tellingCell(rows, { queries, keys }, tokens) {
  const isWordAt = ([side, first], at) => isWord(tokens[side][first + at]);
  const told = rows.map((row, query) => {
    const { at, weight } = mostOf(row);
    const chooses = row.filter((code) => code <= CODE_ONE).length > 1;
    const ofWord = isWordAt(queries, query);
    const rank = 4 * Number(chooses) + 2 * Number(ofWord) + Number(ofWord && isWordAt(keys, at));
    return { query, key: at, says: rank + weight / (2 * CODE_ONE) };
  });
  const { query, key } = told.reduce((most, each) => (each.says > most.says ? each : most));
  return { query, key };
}

function rowsOf(stack, layer, head) {
  const { rows, columns, codes } = drawnHead(stack, layer, head);
  return Array.from({ length: rows }, (_, row) =>
    codes.subarray(row * columns, (row + 1) * columns),
  );
}

// Return the key with the largest code, the first of equal ones, and that code.
function mostOf(row) {
  const most = { at: 0, weight: -1 };
  for (const [at, code] of row.entries())
    if (code <= CODE_ONE && code > most.weight) Object.assign(most, { at, weight: code });
  return most;
}
