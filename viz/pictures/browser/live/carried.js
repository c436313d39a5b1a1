// Which cell of a run means what was chosen in another one; where no word of that is left, a telling one.

import { clamp } from "../elements.js";
import { drawnHead, isWord, nearestPlace } from "../run.js";
import { CODE_ONE } from "../weights.js";

/**
 * @param {{kind: string, layer: number, head: number, query: number, key: number}} chosen
 * @param {{tokens: Record<string, string[]>}} before
 * @param {import("../types").Run} after
 */
export function carried({ kind, layer, head, query, key }, before, after) {
  const stack = after.kinds[kind];
  const placeOf = ([side, first], at) => {
    const word = before.tokens[side][first + at];
    return word === undefined ? at : nearestPlace(word, after.tokens[side].slice(first), at);
  };
  const rows = rowsOf(stack, layer, head);
  const row = placeOf(stack.queries, query);
  if (!rows[row]) return tellingCell(rows, stack, after.tokens);
  const column = placeOf(stack.keys, key);
  return { query: row, key: column < 0 ? mostOf(rows[row]).at : clamp(column, stack.columns) };
}

/** As telling_cell in viz/run/telling_cells.py.
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

// The key that is read most, the first among equals, and how much.
function mostOf(row) {
  const most = { at: 0, weight: -1 };
  for (const [at, code] of row.entries())
    if (code <= CODE_ONE && code > most.weight) Object.assign(most, { at, weight: code });
  return most;
}
