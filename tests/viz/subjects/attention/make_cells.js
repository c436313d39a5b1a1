// Makes cells from tensors in the form in which they are sent: `node make_cells.js`, for making.py.

import { asked, keptOf, tell } from "../../../browser/asked.mjs";
import { takeTensors } from "../../../../viz/pictures/browser/tensors.js";
import { keepOwn, ownTensors } from "../../../../viz/pictures/browser/tensors.js";
import { editsOf } from "../../../../viz/pictures/browser/twin/changes.js";
import { translate } from "../../../../viz/pictures/browser/twin/decoding.js";
import { traceOf } from "../../../../viz/pictures/browser/twin/trace.js";
import { cellOf } from "../../../../viz/subjects/attention/browser/cell_arithmetic.js";

const { run, parcels, checkpoint, inputs, places } = asked;
const loupe = /** @type {any} */ ({ traces: new Map(), selection: null });
const model = checkpoint && keptOf(checkpoint).model;

for (const { head, said, numbers } of parcels) {
  const bytes = new Uint8Array(Buffer.from(numbers, "base64"));
  takeTensors(loupe, "run", said, new Float32Array(bytes.buffer), head);
}
if (inputs) {
  const { source, written, interventions, longest } = inputs;
  const before = translate(model, source, { longest });
  const edits = editsOf(interventions, model.config, before.weights);
  keepOwn(loupe, "run", ownTensors(model, traceOf(model, source, written, edits)));
} else if (model) {
  loupe.traces.get("run").model = model;
}

// JSON has neither typed arrays nor NaN and infinity.
const plain = (_name, value) => {
  if (ArrayBuffer.isView(value)) return Array.from(/** @type {Float32Array} */ (value));
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
};
const made = places.map((place) => cellOf(loupe.traces.get("run"), place, run));
tell(JSON.parse(JSON.stringify(made, plain)));
