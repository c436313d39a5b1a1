// Prints the results of the twin's formulas: `node formulas.js`, for test_twin_formulas.py.

import { asked, tell } from "../../../browser/asked.mjs";
import { activate } from "../../../../viz/pictures/browser/twin/feed_forward.js";
import * as positions from "../../../../viz/pictures/browser/twin/positions.js";
import { tensor } from "../../../../viz/pictures/browser/twin/tensor.js";

const { rotary, buckets, heads, length, width, activations } = asked;
const numbers = ({ data }) => [...data];
tell({
  rotary: rotary.map(({ start, stop, ...config }) =>
    numbers(positions.rotaryAngles(config, start, stop)),
  ),
  buckets: buckets.map(({ bothWays, distances, ...config }) =>
    distances.map((distance) => positions.relativeBucket(distance, bothWays, config)),
  ),
  alibi: heads.map((count) => numbers(positions.alibiBias(count, 3, length))),
  fixed: Object.fromEntries(
    ["sinusoidal", "double_sine", "single_frequency", "sinusoidal_halves", "none"].map((kind) => [
      kind,
      numbers(positions.fixedPositions(/** @type {any} */ (kind), 5, length, width)),
    ]),
  ),
  activations: Object.fromEntries(
    Object.entries(activations).map(([kind, x]) => [
      kind,
      numbers(activate(/** @type {any} */ (kind), tensor(1, 1, x.length, Float32Array.from(x)))),
    ]),
  ),
});
