// The browser's distribution, compared with values from model/decoding/distribution.py.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  rankedLogs,
  samplingDistribution,
} from "../../../../viz/pictures/browser/twin/distribution.js";

const cases = JSON.parse(readFileSync(new URL("distribution.json", import.meta.url), "utf8"));
const NONE = { count: 0, sum: 0, weighted: 0 };

// Sort the logits from the largest, the lower id first among equals; return them with their ids.
function ranked(logits) {
  const given = Float32Array.from(logits, (logit) => logit ?? -Infinity);
  const ids = [...given.keys()].sort((a, b) => given[b] - given[a] || a - b);
  return { ids, values: ids.map((id) => given[id]) };
}

// Return the count and sums over all tokens but the first ones.
function othersOf(values, sent, temperature) {
  const scaled = values.slice(sent).map((value) => (value - values[0]) / temperature);
  const powers = scaled.map(Math.exp);
  return {
    count: scaled.length,
    sum: powers.reduce((sum, power) => sum + power, 0),
    weighted: powers.reduce((sum, power, i) => (power > 0 ? sum + power * scaled[i] : sum), 0),
  };
}

function natsOf(probabilities) {
  return probabilities.reduce((sum, p) => (p > 0 ? sum - p * Math.log(p) : sum), 0);
}

function close(found, expected, words) {
  assert.ok(Math.abs(found - expected) < 1e-9, `${words}: ${found} for ${expected}`);
}

test("the distribution of the sampler is the same as in Python", () => {
  assert.ok(cases.length > 100);
  for (const { logits, probabilities, ...shaping } of cases) {
    const { ids, values } = ranked(logits);
    const found = samplingDistribution(values, NONE, shaping);
    ids.forEach((id, rank) => {
      assert.ok(Math.abs((found.probabilities[rank] ?? 0) - probabilities[id]) < 1e-12);
    });
    assert.ok(found.kept >= probabilities.filter((share) => share > 0).length);
    close(found.nats, natsOf(probabilities), "entropy");
  }
});

test("the most probable tokens with sums over the others give the same, or report that they cannot", () => {
  let told = 0;
  for (const { logits, probabilities, ...shaping } of cases) {
    const { ids, values } = ranked(logits);
    const sent = 5;
    const others = othersOf(values, sent, shaping.temperature);
    const whole = samplingDistribution(values, NONE, shaping);
    const found = samplingDistribution(values.slice(0, sent), others, shaping);
    if (found.kept === null) {
      assert.ok(whole.kept > sent);
      assert.deepEqual([...found.probabilities], [...found.tempered]);
      told++;
      continue;
    }
    assert.equal(found.kept, whole.kept);
    for (let rank = 0; rank < sent; rank++)
      close(found.probabilities[rank] ?? 0, probabilities[ids[rank]], "probability");
    close(found.nats, whole.nats, "entropy");
    const beyond = ids.slice(sent).reduce((sum, id) => sum + probabilities[id], 0);
    close(found.others, beyond, "others");
    close(found.shareOf(values[sent] - values[0]), whole.tempered[sent], "share");
  }
  assert.ok(told > 5);
});

test("log probabilities are those of a softmax, and an impossible token has minus infinity", () => {
  const logs = rankedLogs(Float32Array.of(Math.log(3), 0, -Infinity), NONE);
  assert.ok(Math.abs(Math.exp(logs[0]) - 0.75) < 1e-7);
  assert.ok(Math.abs(Math.exp(logs[1]) - 0.25) < 1e-7);
  assert.equal(logs[2], -Infinity);
  const some = rankedLogs(Float32Array.of(0, 0), { count: 2, sum: 2, weighted: 0 });
  assert.ok(Math.abs(Math.exp(some[0]) - 0.25) < 1e-7);
});

test("entropy is in nats, and impossible tokens add nothing", () => {
  const shaping = { temperature: 1, topK: 0, topP: 1 };
  assert.equal(samplingDistribution([0, 0, 0, 0, -Infinity], NONE, shaping).nats, Math.log(4));
  assert.equal(samplingDistribution([0, -Infinity], NONE, shaping).nats, 0);
});
