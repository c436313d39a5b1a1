// Which map what is typed is drawn in.

import assert from "node:assert/strict";
import { test } from "node:test";
import { mapFits } from "../../../../viz/subjects/map/browser/map_own.js";

test("the map of another model does not take what one answered", () => {
  const fits = (...names) => {
    const pictures = Object.fromEntries(names.map((name) => [name, {}]));
    return mapFits(/** @type {any} */ ({ pictures }), /** @type {any} */ ({ tensors }));
  };
  const tensors = { "encoder.output": {}, logits: {} };
  assert.ok(fits("encoder.output"));
  assert.ok(!fits("encoder.output", "encoder.layers.2.feed_forward.hidden"));
});
