import assert from "node:assert/strict";
import test from "node:test";

import { ticksOf, wordPlaces } from "../../../../viz/subjects/positions/browser/encodings.js";

const [HIGH, MOST] = [264, 20]; // the height of the map in pixels, and the number of names that fit beside it

test("names fit one above the other within the map", () => {
  for (const length of [64, 100, 512])
    for (const count of [0, 1, 2, 14, 20, 21, 64]) {
      const places = wordPlaces(count, length, MOST);
      const heights = places.map(([, place]) => (place * HIGH) / length);
      for (const [at, height] of heights.slice(1).entries())
        assert.ok(height - heights[at] >= HIGH / MOST - 1e-9);
      assert.ok(places.length >= Math.min(count, MOST / 2));
      assert.ok(places.every(([word, place]) => place >= word));
      if (count) assert.ok(heights.at(-1) <= HIGH && places[0][0] === 0);
    }
});

test("an axis has as many round numbers from 0 as fit", () => {
  assert.deepEqual(ticksOf(64), [0, 8, 16, 24, 32, 40, 48, 56]);
  assert.deepEqual(ticksOf(64, 4), [0, 16, 32, 48]);
  assert.deepEqual(ticksOf(3), [0, 1, 2]);
  assert.deepEqual(ticksOf(1000, 0), [0, 512]);
});
