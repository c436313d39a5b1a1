import assert from "node:assert/strict";
import { test } from "node:test";
import {
  firstPlace,
  rowText,
  stripBars,
} from "../../../../viz/subjects/mattered/browser/measures_rows.js";

test("the first place belongs to the largest number above 0", () => {
  assert.equal(firstPlace([0.1, 0.7, 0.2]), 1);
  assert.equal(firstPlace([-3, -1]), -1);
  assert.equal(firstPlace([0, 0]), -1);
  assert.equal(firstPlace([null, 2, null, 5]), 3);
  assert.equal(firstPlace([4, 4]), 0);
});

test("bars start at the zero line, and the largest fills its side", () => {
  const { bars, zero } = stripBars([1, 0.5, null], 12);
  assert.equal(zero, 11);
  assert.deepEqual(bars[0], { y: 1, height: 10 });
  assert.deepEqual(bars[1], { y: 6, height: 5 });
  assert.equal(bars[2].height, 0);
  const signed = stripBars([3, -1], 10);
  assert.equal(signed.zero, 7);
  assert.deepEqual(signed.bars, [
    { y: 1, height: 6 },
    { y: 7, height: 2 },
  ]);
  assert.deepEqual(stripBars([0, 0], 10).bars[0].height, 0);
});

test("a row is described by its largest magnitudes of either sign", () => {
  const source = ["a", "b", "c", "d"];
  const said = rowText({ source }, { label: "Swapped" }, [0.5, -2, null, 1]);
  assert.equal(said, "Swapped: b −2.000, d 1.000, a 0.5000");
});
