// Runs the cases of a fixture with the twin of the model: `node translate.js`, for test_twin.py.
// Writes the numbers as float32 in the order of the cases: logits, then weights, then all tensors of one pass, by name.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { asked, keptOf, tell } from "../../../browser/asked.mjs";
import { editsOf } from "../../../../viz/pictures/browser/twin/changes.js";
import { probabilitiesOf, translate } from "../../../../viz/pictures/browser/twin/decoding.js";
import { kernelOf } from "../../../../viz/pictures/browser/twin/kernel.js";
import { traceOf } from "../../../../viz/pictures/browser/twin/trace.js";

const { checkpoint, cases, numbersAt, kernel } = asked;
if (!kernel) delete globalThis.WebAssembly;
const { model } = keptOf(checkpoint);
const ofModel = kernelOf(model.parameters.generator.weight);
assert.equal(ofModel !== undefined, kernel);

// Check that resuming in the middle of a translation with the same edits gives bitwise the same numbers.
function assertResumed(known, source, how) {
  const steps = Math.floor(known.ids.length / 2);
  const again = translate(model, source, { ...how, after: { known, steps } });
  assert.deepEqual(again.ids, known.ids);
  assert.deepEqual(again.logits, known.logits);
  assert.deepEqual(again.weights, known.weights);
}

const numbers = [];
const told = cases.map(({ source, interventions, longest, given }) => {
  const before = translate(model, source, { longest, given });
  const edits = editsOf(interventions, model.config, before.weights);
  const after = interventions.length ? translate(model, source, { edits, longest, given }) : before;
  assertResumed(after, source, { edits, longest, given });
  numbers.push(...after.logits);
  const put = (tensors) =>
    Object.entries(tensors).map(([name, { heads, rows, columns, data }]) => {
      numbers.push(data);
      return [name, heads, rows, columns];
    });
  const shapes = put(after.weights);
  const traced = put(traceOf(model, source, after.ids, edits).tensors);
  const probabilities = after.ids.map((id, i) => probabilitiesOf(after.logits[i], [id], ofModel)[0]);
  return { ids: after.ids, probabilities, shapes, traced };
});
tell(told);
writeFileSync(numbersAt, Buffer.concat(numbers.map((n) => Buffer.from(n.slice().buffer))));
