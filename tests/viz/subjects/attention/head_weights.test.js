import assert from "node:assert/strict";
import { test } from "node:test";
import { readingsIn, shareWords } from "../../../../viz/subjects/attention/browser/head_weights.js";

const MASKED = 65_535;
const NAN = 65_534;

test("the readings of a row are sorted by weight, without masked keys and NaN", () => {
  const codes = [0, 25_000, 5_000, 20_000, 10_000, 40_000, MASKED, MASKED];
  const matrix = { columns: 4, codes };
  assert.deepEqual(
    readingsIn(matrix, 0).map(({ key, weight }) => [key, weight]),
    [
      [1, 0.5],
      [3, 0.4],
      [2, 0.1],
    ],
  );
  assert.deepEqual(
    readingsIn(matrix, 1).map(({ key }) => key),
    [1, 0],
  );
  assert.deepEqual(readingsIn({ columns: 2, codes: [NAN, NAN] }, 0), []);
});

test("a share is a whole percentage, but nearly 100% and nearly 0% are not rounded to it", () => {
  const said = [0.5, 0.774, 0.9949, 0.995, 1, 0.005, 0.0049].map((weight) =>
    shareWords({ weight }),
  );
  assert.deepEqual(said, ["50%", "77%", "99%", "> 99%", "> 99%", "1%", "< 1%"]);
  const [alone] = readingsIn({ columns: 2, codes: [50_000, MASKED] }, 0);
  assert.equal(shareWords(alone), "100%");
});
