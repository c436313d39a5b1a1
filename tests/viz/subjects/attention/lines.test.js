import assert from "node:assert/strict";
import { test } from "node:test";
import { heaviest } from "../../../../viz/subjects/attention/browser/lines.js";

test("the heaviest weights of a row reach the share, and one less would not", () => {
  const weights = [0.05, 0.5, 0, 0.3, 0.15];
  assert.deepEqual(heaviest(weights, 0.75), [
    [1, 0.5],
    [3, 0.3],
  ]);
  assert.deepEqual(heaviest(weights, 0.81).length, 3);
  assert.deepEqual(heaviest(weights, 1).length, 4);
});

test("a row that reads nothing has no lines", () => {
  assert.deepEqual(heaviest([0, 0], 0.9), []);
});
