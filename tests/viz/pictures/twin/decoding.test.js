// What is chosen from logits, worked out by hand.

import assert from "node:assert/strict";
import { test } from "node:test";
import { bestOf, probabilitiesOf } from "../../../../viz/pictures/browser/twin/decoding.js";

test("of equal logits the lower id is written, as torch's argmax has it", () => {
  assert.equal(bestOf(Float32Array.of(0, 2, 1, 2)), 1);
  assert.equal(bestOf(Float32Array.of(3, 3, 3)), 0);
  assert.equal(bestOf(Float32Array.of(-1, -5, -0.5)), 2);
});

test("probabilities are shares of all exponentials", () => {
  const logits = Float32Array.of(0, Math.log(2), Math.log(5));
  const [last, first] = probabilitiesOf(logits, [2, 0]);
  assert.ok(Math.abs(last - 5 / 8) < 1e-7);
  assert.ok(Math.abs(first - 1 / 8) < 1e-7);
});
