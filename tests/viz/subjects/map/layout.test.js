// The layout of the map.

import assert from "node:assert/strict";
import { test } from "node:test";
import { mapLine } from "../../../../viz/subjects/map/browser/map_draw.js";
import { mapSizes } from "../../../../viz/subjects/map/browser/map_sizes.js";

const BOTH = { encoder: 2, decoder: 2 };
const ROOMS = [
  ["small", 220],
  ["small", 400],
  ["large", 640],
  ["large", 1400],
];
const assertInOrder = (places) =>
  assert.deepEqual(
    places,
    [...places].sort((a, b) => a - b),
  );

for (const [size, room] of ROOMS) {
  for (const stack of ["encoder", "decoder"])
    for (const parallel of [false, true])
      test(`${stack} alone, ${size}, parallel ${parallel}, ${room} pixels: everything fits`, () => {
        const ties = [[`${stack}_embedding`, "generator"]];
        const map = { size, ties, pre_norm: true, parallel, layers: { [stack]: 3 } };
        const { [stack]: at, tieX, width, blockWidth } = mapSizes(map, room);
        const inside = [at.x, at.blockX, at.centre, at.blockRight, at.lane, at.right];
        assertInOrder([0, ...inside, tieX, width, room]);
        assert.ok(blockWidth > 150);
      });
  for (const ties of [[], [["source_embedding", "target_embedding"]]])
    test(`${size}, ${ties.length} ties, ${room} pixels: the columns do not overlap`, () => {
      const map = { size, ties, pre_norm: false, layers: BOTH };
      const { encoder: e, decoder: d, width, bus, tieX } = mapSizes(map, room);
      const left = [e.x, e.lane, e.blockX, e.centre, e.blockRight, e.right];
      const right = [d.x, d.blockX, d.centre, d.blockRight, d.lane, d.right];
      assertInOrder([0, ...left, bus, ...right, ...(ties.length ? [tieX] : []), width, room]);
      assert.equal(e.right - e.x, d.right - d.x);
    });
}

test("a large map is drawn as a small one if it does not fit", () => {
  const large = (room) =>
    mapSizes({ size: "large", ties: [], pre_norm: false, layers: BOTH }, room).large;
  assert.deepEqual([large(470), large(480)], [false, true]);
});

test("a line follows its points, with corners rounded by at most half of a side", () => {
  const line = (text, ...more) => mapLine(JSON.parse(text), 4, ...more);
  assert.equal(line("[[0,0],[0,10]]"), "M0 0L0 10");
  assert.equal(line("[[0,0],[0,10],[20,10]]"), "M0 0L0 6Q0 10 4 10L20 10");
  assert.equal(line("[[0,0],[0,4],[20,4]]"), "M0 0L0 2Q0 4 2 4L20 4");
  assert.equal(line("[[0,0],[0,10]]", 3), "M0 0L0 7");
});
