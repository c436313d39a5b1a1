import assert from "node:assert/strict";
import { test } from "node:test";
import { clamp } from "../../../viz/pictures/browser/elements.js";

test("a place is whole and within its list", () => {
  assert.deepEqual(
    [-2, 0.4, 2.5, 9, Infinity].map((value) => clamp(value, 4)),
    [0, 0, 3, 3, 3],
  );
});
