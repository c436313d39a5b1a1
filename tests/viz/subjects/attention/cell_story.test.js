import assert from "node:assert/strict";
import { test } from "node:test";
import { weightSaid } from "../../../../viz/subjects/attention/browser/cell_story.js";

const said = (weight, rank, allowed = true) =>
  weightSaid({ weight, rank, score: { allowed }, row: { size: 30 } })
    .flat()
    .join("");

test("a weight is said with its place in the row", () => {
  assert.equal(said("0.5", 1), "0.5000 of the weight, the most of 30 keys");
  assert.equal(said("0.25", 2), "0.2500 of the weight, the second most of 30 keys");
  assert.equal(said("0.01", 11), "0.01000 of the weight, the 11th most of 30 keys");
  assert.equal(said("0.01", 22), "0.01000 of the weight, the 22nd most of 30 keys");
  assert.equal(said("0", 30, false), "0 of the weight: the mask hides it");
  assert.equal(said("NaN", 1), "NaN is no weight: see the softmax");
});

test("a tiny weight is said in words, its number behind it", () => {
  assert.equal(said("0.0002", 9), "Less than 0.1 % of the weight (2e−4), the 9th most of 30 keys");
});
