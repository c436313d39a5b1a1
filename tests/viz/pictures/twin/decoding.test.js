// The choice from logits, and the beginning and end of a text, worked out by hand.

import assert from "node:assert/strict";
import { test } from "node:test";
import { editsOf, headOff, NO_EDITS } from "../../../../viz/pictures/browser/twin/changes.js";
import { readConfig } from "../../../../viz/pictures/browser/twin/config.js";
import {
  bestOf,
  firstId,
  hasEnded,
  probabilitiesOf,
  promptOf,
} from "../../../../viz/pictures/browser/twin/decoding.js";
import { embed } from "../../../../viz/pictures/browser/twin/embedding.js";
import { tensor } from "../../../../viz/pictures/browser/twin/tensor.js";

test("of equal logits, the lower id is chosen, as by torch's argmax", () => {
  assert.equal(bestOf(Float32Array.of(0, 2, 1, 2)), 1);
  assert.equal(bestOf(Float32Array.of(3, 3, 3)), 0);
  assert.equal(bestOf(Float32Array.of(-1, -5, -0.5)), 2);
});

test("a probability is a token's share of the sum of all exponentials", () => {
  const logits = Float32Array.of(0, Math.log(2), Math.log(5));
  const [last, first] = probabilitiesOf(logits, [2, 0]);
  assert.ok(Math.abs(last - 5 / 8) < 1e-7);
  assert.ok(Math.abs(first - 1 / 8) < 1e-7);
});

const rules = { first: null, last: null, never: [] };
const translator = /** @type {any} */ ({
  config: readConfig({ n_encoder_layers: 1, n_decoder_layers: 1 }),
  writing: { start: null, stops: [2, 9], rules },
});

test("a translation needs its start token, and a prompt begins with its own first token", () => {
  assert.throws(() => firstId(translator, [7, 8]), /needs decoder_start_token_id/);
  const config = readConfig({ n_encoder_layers: 0, n_decoder_layers: 1 });
  assert.equal(firstId({ ...translator, config }, [7, 8]), 7);
  assert.deepEqual(promptOf({ ...translator, config }, [7, 8]), [8]);
  assert.deepEqual(promptOf(translator, [7, 8]), []);
});

test("each of several stop tokens ends a text", () => {
  assert.ok(hasEnded(translator, [4, 9]));
  assert.ok(!hasEnded(translator, [9, 4]));
});

test("a head without keys and an unlearned position are named in the error", () => {
  const edits = editsOf([headOff("decoder.layers.0.self_attn.key", 2)], translator.config);
  const apply = () => edits.apply("decoder.layers.0.self_attn.key", tensor(2, 1, 4));
  assert.throws(apply, /has heads 0 to 1, got 2/);
  const config = readConfig({ d_model: 2, positions: "learned", position_offset: 1 });
  const module = { weight: new Float32Array(8), learned: { weight: new Float32Array(8) } };
  const read = () => embed(config, module, "target_embedding", [1, 2, 3], 1, NO_EDITS);
  assert.throws(read, /learned 3 positions, got a sequence of 4 tokens/);
});
