// Which cell of another sentence means what was chosen, worked out by hand.

import assert from "node:assert/strict";
import { test } from "node:test";
import { carried } from "../../../../viz/pictures/browser/live/carried.js";

const BEFORE = {
  source: ["the", "cat", "sleeps", "</s>"],
  target: ["<s>", "le", "chat", "dort", "</s>"],
};
const AFTER = {
  source: ["the", "old", "cat", "sleeps", "</s>"],
  target: ["<s>", "le", "vieux", "chat", "dort", "</s>"],
};
// A row of the decoder is named by the token that it writes, one after the token that it reads.
const KINDS = {
  "encoder self-attention": [
    ["source", 0],
    ["source", 0],
  ],
  "decoder self-attention": [
    ["target", 1],
    ["target", 0],
  ],
  "cross-attention": [
    ["target", 1],
    ["source", 0],
  ],
};

function runOf(tokens) {
  const kinds = {};
  for (const [kind, [queries, keys]] of Object.entries(KINDS)) {
    const rows = tokens[queries[0]].length - queries[1];
    const columns = tokens[keys[0]].length - Number(kind.startsWith("decoder"));
    const size = { layers: 1, heads: 1, rows, columns, drawn: [rows, columns] };
    kinds[kind] = { ...size, queries, keys, offset: 0, codes: new Uint16Array(rows * columns) };
  }
  return /** @type {any} */ ({ tokens, kinds });
}

for (const [kind, chosen, wanted] of [
  ["encoder self-attention", [1, 2], [2, 3]], // cat reads sleeps
  ["decoder self-attention", [1, 1], [2, 1]], // chat is written, le is read
  ["decoder self-attention", [2, 2], [3, 3]], // dort is written, chat is read
  ["cross-attention", [2, 2], [3, 3]], // dort is written, sleeps is read
  ["cross-attention", [0, 0], [0, 0]], // le is written, the is read
])
  test(`${kind}: row ${chosen[0]} and key ${chosen[1]} go on with their words`, () => {
    const [query, key] = chosen;
    const found = carried(
      { kind, layer: 0, head: 0, query, key },
      { tokens: BEFORE },
      runOf(AFTER),
    );
    assert.deepEqual([found.query, found.key], wanted);
  });
