// Runs models of any anatomy with the twin: `node passes.js`, for passes.py.
// Writes float32 numbers in the order of the models and their cases: the logits of each step, then all tensors by name.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { asked, tell } from "../../../browser/asked.mjs";
import { readConfig } from "../../../../viz/pictures/browser/twin/config.js";
import { editsFor, translate } from "../../../../viz/pictures/browser/twin/decoding.js";
import { readModel } from "../../../../viz/pictures/browser/twin/safetensors.js";
import { traceOf, withPredictions } from "../../../../viz/pictures/browser/twin/trace.js";

const { models, numbersAt, kernel } = asked;
if (!kernel) delete globalThis.WebAssembly;

const numbers = [];
const put = (name, { heads, rows, columns, data }) => {
  numbers.push(data);
  return [name, heads, rows, columns];
};

// Check that resuming in the middle of a text or its prompt with the same edits gives bitwise the same numbers.
function assertResumed(model, known, read, how) {
  for (const steps of new Set([1, Math.floor(known.ids.length / 2)])) {
    const again = translate(model, read, { ...how, after: { known, steps } });
    assert.deepEqual(again.ids, known.ids);
    assert.deepEqual(again.logits, known.logits);
    assert.deepEqual(again.weights, known.weights);
  }
}

function run(model, { read, interventions, longest }) {
  const edits = editsFor(model, read, interventions, { longest });
  const written = translate(model, read, { edits, longest });
  assertResumed(model, written, read, { edits, longest });
  const trace = traceOf(model, read, written.ids, edits);
  const { tensors } = withPredictions(model, trace, edits);
  const ofSteps = written.logits.map((data) =>
    put("logits", { heads: 1, rows: 1, columns: data.length, data }),
  );
  const traced = Object.entries(tensors).map(([name, of]) => put(name, of));
  for (const [name, { data }] of Object.entries(written.weights))
    assert.equal(data.length, tensors[name].data.length);
  return { ids: written.ids, steps: ofSteps.length, traced };
}

const told = models.map(({ weights, config, writing, cases }) => {
  const file = readFileSync(weights);
  const buffer = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength);
  const model = { ...readModel(buffer, readConfig(config)), writing };
  return cases.map((each) => run(model, each));
});
tell(told);
writeFileSync(numbersAt, Buffer.concat(numbers.map((n) => Buffer.from(n.slice().buffer))));
