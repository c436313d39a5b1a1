import assert from "node:assert/strict";
import { test } from "node:test";
import { imageOf } from "../../../../viz/subjects/attention/browser/patches.js";

const grid = (rows, columns) =>
  Array.from({ length: rows * columns }, (_, i) => {
    return `${1 + Math.floor(i / columns)},${1 + (i % columns)}`;
  });

test("patches are an image, whatever stands before them", () => {
  assert.deepEqual(imageOf(grid(2, 3)), { before: 0, rows: 2, columns: 3 });
  assert.deepEqual(imageOf(["0", ...grid(14, 14)]), { before: 1, rows: 14, columns: 14 });
  assert.deepEqual(imageOf(["0", "1", "2", "3", "4", ...grid(4, 1)]), {
    before: 5,
    rows: 4,
    columns: 1,
  });
});

test("of an image that was cut the last row is not whole", () => {
  assert.deepEqual(imageOf(["0", ...grid(14, 14).slice(0, 101)]), {
    before: 1,
    rows: 8,
    columns: 14,
  });
});

test("other tokens are none", () => {
  assert.equal(imageOf(["the", "cat"]), null);
  assert.equal(imageOf([]), null);
  assert.equal(imageOf(["1,1"]), null);
  assert.equal(imageOf(["1,1", "1,2", "2,1", "3,1"]), null);
  assert.equal(imageOf([...grid(2, 2), "end"]), null);
});
