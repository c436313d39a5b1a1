import assert from "node:assert/strict";
import { test } from "node:test";
import { CODE_MASKED, CODE_ONE } from "../../../../viz/pictures/browser/weights.js";
import { imageOf, strengthOf } from "../../../../viz/subjects/attention/browser/patches.js";

const grid = (rows, columns) =>
  Array.from({ length: rows * columns }, (_, i) => {
    return `${1 + Math.floor(i / columns)},${1 + (i % columns)}`;
  });

test("patches form an image, whatever tokens precede them", () => {
  assert.deepEqual(imageOf(grid(2, 3)), { before: 0, rows: 2, columns: 3 });
  assert.deepEqual(imageOf(["0", ...grid(14, 14)]), { before: 1, rows: 14, columns: 14 });
  assert.deepEqual(imageOf(["0", "1", "2", "3", "4", ...grid(4, 1)]), {
    before: 5,
    rows: 4,
    columns: 1,
  });
});

test("an image that was cut off loses its incomplete last row", () => {
  assert.deepEqual(imageOf(["0", ...grid(14, 14).slice(0, 101)]), {
    before: 1,
    rows: 8,
    columns: 14,
  });
});

test("other tokens form no image", () => {
  assert.equal(imageOf(["the", "cat"]), null);
  assert.equal(imageOf([]), null);
  assert.equal(imageOf(["1,1"]), null);
  assert.equal(imageOf(["1,1", "1,2", "2,1", "3,1"]), null);
  assert.equal(imageOf([...grid(2, 2), "end"]), null);
});

test("in an image, the largest weight has the strongest colour; in a text, colours are absolute", () => {
  const codes = new Uint16Array([0, 10, 40, CODE_MASKED]);
  const of = (tokens) => [...codes].map(strengthOf(tokens, codes));
  assert.deepEqual(of(["1,1", "1,2", "2,1", "2,2"]), [0, CODE_ONE / 4, CODE_ONE, CODE_MASKED]);
  assert.deepEqual(of(["a", "b", "c", "d"]), [...codes]);
  assert.deepEqual([0, 0].map(strengthOf(["1,1", "1,2", "2,1", "2,2"], [0, 0])), [0, 0]);
});
