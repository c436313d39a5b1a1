import assert from "node:assert/strict";
import { test } from "node:test";
import { storyLines } from "../../../../viz/subjects/attention/browser/cell_story.js";

// Return the lines about a cell of a decoder-only model, by the name of their part.
function told(more, score = {}, row = {}) {
  const cell = {
    name: "decoder.layers.0.self_attn",
    head: 2,
    query: { position: 8, token: "house", words: "" },
    key: { position: 6, token: "and", words: "" },
    weight: 0.75,
    rank: 1,
    score: { scaled: 3.5, isAllowed: true, isEdited: false, bias: null, ...score },
    row: { size: 9, keys: [6], tokens: ["and"], hidden: [], weights: [0.75], left: 0, ...row },
    mix: { share: 0.5 },
    output: { norms: [1, 2, 3] },
    readers: [2],
    turned: false,
    reads: true,
    ...more,
  };
  const lines = storyLines(/** @type {any} */ (cell));
  return Object.fromEntries(lines.map(([part, ...words]) => [part, words.flat().join("")]));
}

test("a row of a word that is read is not described as a word being written", () => {
  assert.equal(told({}).query, "houseloupe-query asks: what matters to me?");
  assert.match(told({ reads: false }).query, /^To write house/);
  const own = { position: 8, token: "house", words: "" };
  assert.match(told({ key: own }).key, /answers itself: this is what I am\.$/);
});

test("shared keys and rotary positions are described", () => {
  const shared = { readers: [2, 3] };
  assert.match(told(shared).key, /Head 3 reads the same keys and values\.$/);
  const three = { readers: [0, 1, 2] };
  assert.match(told(three).key, /Heads 0 and 1 read the same keys and values\.$/);
  const turned = { turned: true };
  assert.match(told(turned).key, /only the distance between them counts: 2/);
});

test("the bias for the distance and an unread share are described", () => {
  assert.match(told({}, { bias: -0.5 }).score, /including −0\.5000 for their distance\.$/);
  assert.match(told({}, {}, { left: 0.1 }).weight, /; 10% of the row reads nothing\.$/);
  assert.doesNotMatch(told({}).weight, /nothing/);
});

test("a hidden key gets nothing, and a changed score is described as changed", () => {
  const hidden = told({ weight: 0 }, { isAllowed: false, masked: -Infinity });
  assert.match(hidden.score, /but the mask hides this word: it counts as −∞\.$/);
  assert.match(hidden.weight, /^So it gets nothing/);
  assert.equal(hidden.value, "The head takes nothing of what andloupe-key has to offer.");
  assert.equal(told({}, { isEdited: true, scaled: -2 }).score, "The changed score is −2.000.");
});

test("the selected key is compared with the largest or the next", () => {
  const row = { keys: [4, 6], tokens: ["cat", "and"], weights: [0.7, 0.2] };
  assert.match(told({ rank: 2 }, {}, row).weight, /; most, catloupe-key has 70%\.$/);
  const first = { ...row, weights: [0.2, 0.7] };
  assert.match(told({}, {}, first).weight, /; next, catloupe-key has 20%\.$/);
});

test("the line about the output counts the heads that add less to the word", () => {
  const said = (...norms) => told({ head: 2, output: { norms } }).output;
  assert.match(said(3, 1, 2, 4), / gets more from this head than from 1 of the other 3\.$/);
  assert.match(said(3, 1, 4, 2), / gets most from this head\.$/);
  assert.match(said(3, 2, 1, 4), / gets least from this head\.$/);
});
