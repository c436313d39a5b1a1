import assert from "node:assert/strict";
import { test } from "node:test";
import { clamp, roomOf } from "../../../viz/pictures/browser/elements.js";

test("an index is a whole number within its list", () => {
  assert.deepEqual(
    [-2, 0.4, 2.5, 9, Infinity].map((value) => clamp(value, 4)),
    [0, 0, 3, 3, 3],
  );
});

test("a width is a whole number of pixels, never more than there are", () => {
  globalThis.getComputedStyle = () => ({ getPropertyValue: () => "" });
  const host = (clientWidth, width) => ({ clientWidth, getBoundingClientRect: () => ({ width }) });
  assert.equal(roomOf(host(579, 578.75)).width, 578);
  assert.equal(roomOf(host(578, 578.25)).width, 578);
  assert.equal(roomOf(host(578, 580)).width, 578); // without the border
  delete globalThis.getComputedStyle;
});
