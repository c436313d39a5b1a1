// Which cell of another sentence corresponds to the selected one, worked out by hand.

import assert from "node:assert/strict";
import { test } from "node:test";
import { carried } from "../../../../viz/pictures/browser/live/carried.js";
import { CODE_ONE } from "../../../../viz/pictures/browser/weights.js";

const BEFORE = {
  source: ["the", "cat", "sleeps", "</s>"],
  target: ["<s>", "le", "chat", "dort", "</s>"],
};
const AFTER = {
  source: ["the", "old", "cat", "sleeps", "</s>"],
  target: ["<s>", "le", "vieux", "chat", "dort", "</s>"],
};
// A row of the decoder is named by the token that it writes, which follows the token that it reads.
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
  test(`${kind}: row ${chosen[0]} and key ${chosen[1]} move with their words`, () => {
    const [query, key] = chosen;
    const found = carried(
      { kind, layer: 0, head: 0, query, key },
      { tokens: BEFORE },
      runOf(AFTER),
    );
    assert.deepEqual([found.query, found.key], wanted);
  });

// In an entirely different sentence, nothing of the selection remains, although both contain "the".
const ELSE = {
  source: ["the", "girl", "who", "it", "reads", ".", "</s>"],
  target: ["<s>", "la", "fille", "</s>"],
};
const PARTS = { girl: "noun", reads: "verb", it: "pronoun" };

for (const [what, weights, wanted] of [
  ["it that reads a noun before it", { 3: [1, 0.6], 1: [4, 0.9] }, [3, 1]],
  ["a content word that reads another", { 3: [1, 0.4], 1: [4, 0.6] }, [1, 4]],
  ["the sharpest word if none is sharp", { 2: [0, 0.28] }, [2, 0]],
])
  test(`a different sentence shows the most telling cell: ${what}`, () => {
    const run = runOf(ELSE);
    const { codes, columns } = run.kinds["encoder self-attention"];
    codes.fill(CODE_ONE / 10);
    for (const [row, [key, weight]] of Object.entries(
      /** @type {Record<string, number[]>} */ (weights),
    ))
      codes[Number(row) * columns + key] = weight * CODE_ONE;
    const chosen = { kind: "encoder self-attention", layer: 0, head: 0, query: 0, key: 3 };
    const found = carried(chosen, { tokens: BEFORE }, run, (word) => PARTS[word]);
    assert.deepEqual([found.query, found.key], wanted);
  });
