// Reads weights in parts, and multiplies by them: `node packed.js`, for test_browser_weights.py.

import { readFileSync } from "node:fs";
import { asked, tell } from "../../../browser/asked.mjs";
import { kernelOf } from "../../../../viz/pictures/browser/twin/kernel.js";
import { rowsOfMatrix } from "../../../../viz/pictures/browser/twin/matrix.js";
import { receiveModel } from "../../../../viz/pictures/browser/twin/safetensors.js";
import { linear, tensor } from "../../../../viz/pictures/browser/twin/tensor.js";

const { parts, config, columns, inputs, row, hasKernel } = asked;
if (!hasKernel) delete globalThis.WebAssembly;
const files = parts.map((path) => new Uint8Array(readFileSync(path)));
const size = files.reduce((sum, { length }) => sum + length, 0);
const receiver = receiveModel(files[0], size, config);
let at = 0;
for (const file of files) {
  receiver.put(file, at);
  at += file.length;
}
const { generator, target_embedding: embedding, decoder } = receiver.finish().parameters;
const given = tensor(1, inputs.length, columns, Float32Array.from(inputs.flat()));
const { weight } = generator;
tell({
  inKernel: kernelOf(weight) !== undefined,
  isPacked: "codes" in weight,
  isShared: weight === embedding.weight,
  memory: weight.buffer.byteLength,
  size,
  logits: [...linear(given, generator).data],
  hidden: [...linear(given, decoder.layers[0].feed_forward.expand).data],
  row: [...rowsOfMatrix(embedding.weight, columns, row)],
  norm: [...decoder.norm.weight],
});
