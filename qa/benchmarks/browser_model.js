// Times the browser's own model in node: `python -m qa.benchmarks.browser_model` gives it weights, and prints what it tells.

import { readFileSync } from "node:fs";
import { NO_EDITS } from "../../viz/pictures/browser/twin/changes.js";
import { translate } from "../../viz/pictures/browser/twin/decoding.js";
import { createKernel } from "../../viz/pictures/browser/twin/kernel.js";
import { packed } from "../../viz/pictures/browser/twin/matrix.js";
import { receiveModel } from "../../viz/pictures/browser/twin/safetensors.js";
import { linear, tensor } from "../../viz/pictures/browser/twin/tensor.js";
import { beginTrace } from "../../viz/pictures/browser/twin/trace.js";

const { parts, config, sizes, rows, prompt, whole } = JSON.parse(readFileSync(0, "utf8"));

// The least milliseconds of a call, over some turns of at least 20 ms.
function least(run, turns = 12) {
  let best = Infinity;
  for (let turn = 0; turn < turns; turn++) {
    const begun = performance.now();
    let times = 0;
    for (; performance.now() - begun < 20; times++) run();
    best = Math.min(best, (performance.now() - begun) / times);
  }
  return best;
}

const inputOf = (count, columns) =>
  tensor(1, count, columns, Float32Array.from({ length: count * columns }, () => Math.random() - 0.5));

// Matrices with random numbers, in the memory of a kernel.
const FORMATS = {
  float32: (room) => room.map((_, i) => Math.sin(i)),
  float16(room) {
    const codes = new Uint16Array(room.buffer, room.byteOffset, room.length);
    return packed(codes.map((_, i) => 0x2800 + (i % 1024) + 0x8000 * (i % 2)));
  },
  "8 bits"(room, outputs, kernel) {
    const codes = new Int8Array(room.buffer, room.byteOffset, room.length);
    return packed(codes.map((_, i) => (i % 255) - 127), kernel.place(outputs).fill(0.01));
  },
};

function timeSizes() {
  const told = [];
  for (const [columns, outputs] of sizes)
    for (const [format, made] of Object.entries(FORMATS)) {
      const kernel = createKernel(columns * outputs + outputs);
      const room = kernel.place(columns * outputs);
      const filled = made(room, outputs, kernel);
      const weight = lying(room, filled);
      const times = rows.map((count) => {
        const x = inputOf(count, columns);
        return least(() => linear(x, { weight }));
      });
      told.push({ columns, outputs, format, times });
    }
  return told;
}

// The same numbers in the kernel's memory.
function lying(room, filled) {
  if (filled instanceof Float32Array) {
    room.set(filled);
    return room;
  }
  const codes = new filled.codes.constructor(room.buffer, room.byteOffset, room.length);
  codes.set(filled.codes);
  return packed(codes, filled.scales);
}

function load() {
  const files = parts.map((path) => new Uint8Array(readFileSync(path)));
  const size = files.reduce((sum, { length }) => sum + length, 0);
  const begun = performance.now();
  const receiver = receiveModel(files[0], size, config);
  let at = 0;
  for (const file of files) {
    receiver.put(file, at);
    at += file.length;
  }
  const model = receiver.finish();
  return { model, size, ms: performance.now() - begun };
}

// All linear maps of a pass, one after the other; logits of the last row alone.
function timeMaps({ parameters }) {
  const maps = Object.values(parameters.decoder.layers).flatMap(({ self_attn: attention, feed_forward: own }) => [
    attention.query,
    attention.key,
    attention.value,
    attention.output,
    own.expand,
    own.contract,
  ]);
  const columnsOf = (module) => module.weight.length / module.bias.length;
  const pass = (count) => {
    const inputs = new Map(maps.map((map) => [columnsOf(map), inputOf(count, columnsOf(map))]));
    const last = inputOf(1, config.d_model);
    return () => {
      for (const map of maps) linear(inputs.get(columnsOf(map)), map);
      linear(last, parameters.generator);
    };
  };
  return { prompt: least(pass(prompt)), token: least(pass(1)) };
}

// The model as a person would wait for it: its trace of a prompt, then some tokens.
function timeModel(model) {
  const ids = Array.from({ length: prompt }, (_, i) => 100 + i);
  const traced = least(() => beginTrace(model, ids, NO_EDITS), 3);
  const begun = performance.now();
  const { steps } = translate(model, ids, { longest: 16 });
  return { prompt: traced, token: (performance.now() - begun - traced) / steps.length };
}

const { model, size, ms } = load();
const memory = model.parameters.generator.weight.buffer.byteLength;
process.stdout.write(
  JSON.stringify({
    load: { size, ms, memory },
    maps: timeMaps(model),
    sizes: timeSizes(),
    model: whole ? timeModel(model) : null,
  }),
);
