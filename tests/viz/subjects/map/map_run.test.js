// The small pictures of tensors, with one byte per number.

import assert from "node:assert/strict";
import { test } from "node:test";
import { tensor } from "../../../../viz/pictures/browser/twin/tensor.js";
import { MAP_NAN, mapFits, pictureOf } from "../../../../viz/subjects/map/browser/map_run.js";

const matrix = (rows, columns, numbers) =>
  tensor(1, rows, columns, /** @type {any} */ (Float32Array.from(numbers)));
const drawn = (...of) => {
  const { codes, largest } = pictureOf(matrix(...of));
  return [[...codes], largest];
};

test("the largest magnitude becomes 127, and signs are kept", () => {
  assert.deepEqual(drawn(2, 2, [-4, 2, 0, 1]), [[-127, 64, 0, 32], 4]);
  assert.deepEqual(drawn(1, 3, [0, 0, 0]), [[0, 0, 0], 0]);
});

test("NaN has a code of its own, and infinity has the largest", () => {
  const numbers = [Number.NaN, Infinity, -Infinity, 2];
  assert.deepEqual(drawn(1, 4, numbers), [[MAP_NAN, 127, -127, 127], 2]);
});

test("evenly spaced numbers of a large matrix are drawn, and all numbers of a sample", () => {
  const numbers = Array.from({ length: 32 * 128 }, (_, i) => i);
  const { rows, columns, codes, largest } = pictureOf(matrix(32, 128, numbers));
  assert.deepEqual([rows, columns, largest], [16, 64, 4095]);
  const spaced = numbers.filter((i) => (i >> 7) % 2 === 0 && i % 2 === 0);
  assert.deepEqual(
    [...codes],
    spaced.map((number) => Math.round((127 * number) / 4095)),
  );
  const sample = { ...matrix(16, 64, spaced), largest: 4095 };
  assert.deepEqual(pictureOf(sample).codes, codes);
});

test("a run does not fit the map of another model", () => {
  const fits = (...names) => {
    const blocks = names.map((tensor) => ({ tensor, pictured: true }));
    return mapFits(
      /** @type {any} */ ({ blocks: [...blocks, { tensor: "not drawn" }] }),
      /** @type {any} */ ({ tensors: { "encoder.output": {}, logits: {} } }),
    );
  };
  assert.ok(fits("encoder.output"));
  assert.ok(!fits("encoder.output", "encoder.layers.2.feed_forward.hidden"));
});
