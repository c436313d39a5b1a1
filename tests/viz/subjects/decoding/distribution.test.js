// The browser's distribution against values that model/distribution.py gave.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  distributionEntropy,
  distributionLogs,
  distributionOrder,
  samplingDistribution,
} from "../../../../viz/subjects/decoding/browser/distribution.js";

const cases = JSON.parse(readFileSync(new URL("distribution.json", import.meta.url), "utf8"));

test("the sampler's distribution is the model's", () => {
  assert.ok(cases.length > 100);
  for (const { logits, probabilities, ...shaping } of cases) {
    const given = Float32Array.from(logits, (logit) => logit ?? -Infinity);
    const found = samplingDistribution(given, shaping);
    probabilities.forEach((expected, id) => {
      assert.ok(Math.abs(found.probabilities[id] - expected) < 1e-12, `${id} of ${logits}`);
    });
    assert.ok(found.kept >= probabilities.filter((share) => share > 0).length);
  }
});

test("among equals the lower id comes first", () => {
  assert.deepEqual([...distributionOrder(Float32Array.of(1, 3, 3, 0, 3))], [1, 2, 4, 0, 3]);
});

test("logs are those of a softmax, and an impossible token has none", () => {
  const logs = distributionLogs(Float32Array.of(0, Math.log(3), -Infinity));
  assert.ok(Math.abs(Math.exp(logs[0]) - 0.25) < 1e-7);
  assert.ok(Math.abs(Math.exp(logs[1]) - 0.75) < 1e-7);
  assert.equal(logs[2], -Infinity);
});

test("entropy is in bits, and impossible tokens add nothing", () => {
  assert.equal(distributionEntropy([0.25, 0.25, 0.25, 0.25, 0]), 2);
  assert.equal(distributionEntropy([1, 0]), 0);
});
