import assert from "node:assert/strict";
import { test } from "node:test";
import { CODE_ONE, weightOf } from "../../../../viz/pictures/browser/weights.js";
import { heaviest } from "../../../../viz/subjects/attention/browser/lines.js";

test("the heaviest weights of a row reach the share, and one fewer would not", () => {
  const weights = [0.05, 0.5, 0, 0.3, 0.15];
  assert.deepEqual(heaviest(weights, 0.75), [
    [1, 0.5],
    [3, 0.3],
  ]);
  assert.deepEqual(heaviest(weights, 0.81).length, 3);
  assert.deepEqual(heaviest(weights, 1).length, 4);
});

test("the lines of a long text add up to the stated share", () => {
  const logits = Array.from({ length: 271 }, (_, i) => Math.sin(i * 12.9898) * 1.5);
  const total = logits.reduce((sum, logit) => sum + Math.exp(logit), 0);
  const weights = logits.map((logit) => Math.exp(logit) / total);
  const coded = weights.map((weight) => weightOf(Math.round(weight * CODE_ONE)));
  for (const share of [0.5, 0.9, 0.99]) {
    const kept = heaviest(coded, share).map(([column]) => weights[column]);
    const sum = kept.reduce((a, b) => a + b);
    assert.ok(sum > share - 0.002, `${sum} for ${share}`);
    assert.ok(sum - kept.at(-1) < share, "one line too many");
  }
});

test("a row that reads nothing has no lines", () => {
  assert.deepEqual(heaviest([0, 0], 0.9), []);
});
