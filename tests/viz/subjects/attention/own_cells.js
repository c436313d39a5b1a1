// Computes cells from the browser's own run: `node own_cells.js FOLDER`, for test_own_cells.py.

import { readFileSync, writeFileSync } from "node:fs";
import { editsOf } from "../../../../viz/pictures/browser/twin/changes.js";
import { translate } from "../../../../viz/pictures/browser/twin/decoding.js";
import { readModel } from "../../../../viz/pictures/browser/twin/safetensors.js";
import { traceOf } from "../../../../viz/pictures/browser/twin/trace.js";
import { ownCell } from "../../../../viz/subjects/attention/browser/cell_own.js";

const folder = process.argv[2];
const { weights, about, inputs, run, selections } = JSON.parse(
  readFileSync(`${folder}/asked.json`, "utf8"),
);
const file = readFileSync(weights);
const model = readModel(
  file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength),
  JSON.parse(readFileSync(about, "utf8")).config,
);
const { source, written, interventions, longest } = inputs;
const before = translate(model, source, { longest });
const edits = editsOf(interventions, model.config, before.weights);
const traces = new Map([[run.run, { model, ...traceOf(model, source, written, edits) }]]);
const computed = selections.map((selection) =>
  ownCell(/** @type {any} */ ({ traces, selection: { run: run.run, ...selection }, run: () => run })),
);
writeFileSync(`${folder}/told.json`, JSON.stringify({ computed }));
