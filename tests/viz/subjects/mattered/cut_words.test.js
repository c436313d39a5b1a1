// The words in the pictures of cuts.

import assert from "node:assert/strict";
import { test } from "node:test";
import { byDamage, tileText } from "../../../../viz/subjects/mattered/browser/cut_words.js";

const cut = (changes) => ({
  stack: "encoder",
  layer: 0,
  sublayer: "self-attention",
  kind: "encoder self-attention",
  head: 0,
  name: "head 0",
  damage: 0.1,
  short: "0.11",
  said: "worse by 0.11",
  changed: false,
  stretches: [["same", "il dort"]],
  ...changes,
});

test("a tile contains the new output without the words that disappeared", () => {
  const stretches = [
    ["gone", "il"],
    ["new", "elle"],
    ["same", "dort"],
  ];
  assert.equal(
    tileText(cut({ changed: true, stretches })),
    "Without head 0: writes “elle dort”, worse by 0.11",
  );
  assert.equal(tileText(cut({})), "Without head 0: writes the same, worse by 0.11");
  assert.equal(tileText(cut({ stretches: [] })), "Without head 0: writes the same, worse by 0.11");
});

test("the most damaging cut comes first, and cuts that help come last", () => {
  const cuts = [0.1, -0.2, 0.9, 0.1].map((damage) => cut({ damage }));
  assert.deepEqual(byDamage(cuts), [2, 0, 3, 1]);
});
