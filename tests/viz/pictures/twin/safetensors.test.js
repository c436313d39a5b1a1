import assert from "node:assert/strict";
import { test } from "node:test";
import { readModel } from "../../../../viz/pictures/browser/twin/safetensors.js";

test("an 8-bit matrix is multiplied by the scales of its rows, next to a 16-bit vector", () => {
  const tensor = (dtype, shape, ...offsets) => ({ dtype, shape, data_offsets: offsets });
  const header = JSON.stringify({
    __metadata__: { format: "pt" },
    "generator.weight": tensor("I8", [2, 3], 0, 6),
    "generator.weight.scale": tensor("F16", [2], 6, 10),
    "generator.bias": tensor("F16", [1], 10, 12),
  });
  const file = new ArrayBuffer(8 + header.length + 12);
  const view = new DataView(file);
  view.setBigUint64(0, BigInt(header.length), true);
  new Uint8Array(file).set(new TextEncoder().encode(header), 8);
  const start = 8 + header.length;
  [-127, 0, 1, 127, -2, 3].forEach((value, i) => {
    view.setInt8(start + i, value);
  });
  // 0.5, -2 and 1.5 in IEEE 754.
  [0x3800, 0xc000, 0x3e00].forEach((bits, i) => {
    view.setUint16(start + 6 + 2 * i, bits, true);
  });
  const { generator } = readModel(file, { tying: "none" }).parameters;
  assert.deepEqual([...generator.weight], [-63.5, 0, 0.5, -254, 4, -6]);
  assert.deepEqual([...generator.bias], [1.5]);
});
