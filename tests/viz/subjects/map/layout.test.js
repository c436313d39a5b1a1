// Where things stand on the map.

import assert from "node:assert/strict";
import { test } from "node:test";
import { mapLine } from "../../../../viz/subjects/map/browser/map_draw.js";
import { mapSizes } from "../../../../viz/subjects/map/browser/map_sizes.js";

const BOTH = { encoder: 2, decoder: 2 };

for (const stack of ["encoder", "decoder"])
  for (const size of ["small", "large"])
    for (const parallel of [false, true])
      for (const room of size === "small" ? [220, 270, 400] : [640, 1000, 1400])
        test(`${stack} alone, ${size}, ${parallel ? "side by side" : "in turn"}, ${room} pixels: all stands in the room`, () => {
          const ties = [[`${stack}_embedding`, "generator"]];
          const map = { size, ties, pre_norm: true, parallel, layers: { [stack]: 3 } };
          const sizes = mapSizes(map, room);
          const column = sizes[stack];
          const order = [0, column.x, column.blockX, column.centre, column.blockRight];
          order.push(column.lane, column.right, sizes.tieX, sizes.width, room);
          assert.deepEqual(
            order,
            order.toSorted((a, b) => a - b),
          );
          assert.ok(sizes.blockWidth > 150);
        });

for (const size of ["small", "large"])
  for (const ties of [[], [["source_embedding", "target_embedding"]]])
    for (const room of size === "small" ? [220, 270, 400] : [640, 1000, 1400])
      test(`${size}, ${ties.length ? "tied" : "untied"}, ${room} pixels: the columns do not meet`, () => {
        const { encoder, decoder, width, bus, tieX } = mapSizes(
          { size, ties, pre_norm: false, layers: BOTH },
          room,
        );
        const order = [
          0,
          encoder.x,
          encoder.lane,
          encoder.blockX,
          encoder.centre,
          encoder.blockRight,
        ];
        order.push(
          encoder.right,
          bus,
          decoder.x,
          decoder.blockX,
          decoder.centre,
          decoder.blockRight,
        );
        order.push(decoder.lane, decoder.right, ...(ties.length ? [tieX] : []), width);
        assert.deepEqual(
          order,
          order.toSorted((a, b) => a - b),
        );
        assert.ok(width <= room);
        assert.equal(encoder.right - encoder.x, decoder.right - decoder.x);
      });

test("a large map without room is drawn as a small one", () => {
  assert.equal(
    mapSizes({ size: "large", ties: [], pre_norm: false, layers: BOTH }, 500).large,
    false,
  );
  assert.equal(
    mapSizes({ size: "large", ties: [], pre_norm: false, layers: BOTH }, 640).large,
    true,
  );
});

test("a line goes through its points, its corners cut no further than half of a side", () => {
  assert.equal(
    mapLine(
      [
        [0, 0],
        [0, 10],
      ],
      4,
    ),
    "M0 0L0 10",
  );
  assert.equal(
    mapLine(
      [
        [0, 0],
        [0, 10],
        [20, 10],
      ],
      4,
    ),
    "M0 0L0 6Q0 10 4 10L20 10",
  );
  assert.equal(
    mapLine(
      [
        [0, 0],
        [0, 4],
        [20, 4],
      ],
      4,
    ),
    "M0 0L0 2Q0 4 2 4L20 4",
  );
  assert.equal(
    mapLine(
      [
        [0, 0],
        [0, 10],
      ],
      4,
      3,
    ),
    "M0 0L0 7",
  );
});
