// The text of a weight is the weight rounded once, although its code is already rounded.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  CODE_MASKED,
  CODE_NAN,
  CODE_ONE,
  combinedCodes,
  shortWeight,
  weightOf,
  weightWords,
} from "../../../viz/pictures/browser/weights.js";

const encoded = (weight) => Math.round(weight * CODE_ONE);

// Pseudorandom numbers from 0 to 1, the same in each run; squaring makes small ones common.
function weights(count) {
  let state = 12345;
  return Array.from({ length: count }, () => {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    return (state / 2 ** 31) ** 2;
  });
}

function assertRounded(text, weight) {
  const decimals = text.split(".")[1].length;
  assert.equal(Number(text).toFixed(decimals), weight.toFixed(decimals), `${weight} as ${text}`);
}

function assertSaid(text, weight) {
  if (text === "below 0.0005") assert.ok(weight < 0.0005);
  else if (text === "above 0.9995") assert.ok(weight > 0.9995);
  else assertRounded(text, weight);
}

test("every digit in the words of a weight is right", () => {
  for (const weight of [...weights(20_000), 0, 1, 0.0005, 0.0675, 0.1235, 0.49949999])
    assertSaid(weightWords(encoded(weight)), weight);
});

test("every digit in the words of a mean and of a maximum is right", () => {
  const all = weights(20_000);
  for (let i = 0; i < all.length; i += 4) {
    const four = all.slice(i, i + 4);
    const heads = four.map((weight) => [encoded(weight)]);
    const mean = four.reduce((a, b) => a + b) / 4;
    assertSaid(weightWords(combinedCodes(heads, "mean")[0]), mean);
    assertSaid(weightWords(combinedCodes(heads, "maximum")[0]), Math.max(...four));
  }
});

test("a short weight has two decimals, or three if two are not certain", () => {
  for (const weight of [...weights(20_000), 0.005, 0.125, 0.997]) {
    const text = shortWeight(encoded(weight));
    if (text === "") assert.ok(weight < 0.005);
    else assertRounded(text, weight);
  }
  assert.equal(shortWeight(encoded(0.5126)), ".51");
  assert.equal(shortWeight(encoded(0.0037)), "");
  assert.equal(shortWeight(encoded(0.997)), "1.00");
  assert.equal(shortWeight(encoded(0.125)), ".125");
});

test("codes that are not weights have words of their own", () => {
  assert.equal(weightWords(CODE_MASKED), "masked, exactly 0");
  assert.equal(weightWords(CODE_NAN), "not a number");
  assert.equal(shortWeight(CODE_MASKED), "");
  assert.equal(weightOf(CODE_MASKED), 0);
});

test("a cell masked in one head counts as 0 in the mean, and a cell masked in all heads stays masked", () => {
  const heads = [
    [CODE_MASKED, CODE_MASKED, CODE_NAN, 100],
    [300, CODE_MASKED, 5, CODE_MASKED],
  ];
  assert.deepEqual([...combinedCodes(heads, "mean")], [150, CODE_MASKED, CODE_NAN, 50]);
  assert.deepEqual([...combinedCodes(heads, "maximum")], [300, CODE_MASKED, CODE_NAN, 100]);
});
