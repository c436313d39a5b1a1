// Weights in two bytes each, rounded to the nearest step and from halfway to the even one; masked weights and NaN.

import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeWeights } from "../../../../viz/pictures/browser/twin/codes.js";
import { tensor } from "../../../../viz/pictures/browser/twin/tensor.js";

test("a weight becomes the nearest of 50,000 steps", () => {
  const steps = [0.4, 0.6, 1.4, 1.6, 0.5, 1.5, 2.5, 25_000, 49_999.7];
  const weights = tensor(
    1,
    1,
    steps.length,
    Float32Array.from(steps, (step) => step / 50_000),
  );
  const mask = tensor(1, 1, steps.length, new Float32Array(steps.length).fill(1));
  const codes = new Uint16Array(steps.length);
  encodeWeights(weights, mask, codes);
  assert.deepEqual([...codes], [0, 1, 1, 2, 0, 2, 2, 25_000, 50_000]);
});

test("masked zeros and NaN have codes of their own in each head", () => {
  const weights = tensor(2, 1, 3, Float32Array.of(1, 0, 0, Number.NaN, 1, 0));
  const codes = new Uint16Array(6);
  encodeWeights(weights, tensor(1, 1, 3, Float32Array.of(1, 1, 0)), codes);
  assert.deepEqual([...codes], [50_000, 0, 65_535, 65_534, 50_000, 65_535]);
});
