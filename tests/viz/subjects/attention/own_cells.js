// Computes cells from the browser's own run: `node own_cells.js`, for test_own_cells.py.

import { asked, keptOf, tell } from "../../../browser/asked.mjs";
import { editsOf } from "../../../../viz/pictures/browser/twin/changes.js";
import { translate } from "../../../../viz/pictures/browser/twin/decoding.js";
import { traceOf } from "../../../../viz/pictures/browser/twin/trace.js";
import { ownCell } from "../../../../viz/subjects/attention/browser/cell_own.js";

const { checkpoint, inputs, run, selections } = asked;
const { model } = keptOf(checkpoint);
const { source, written, interventions, longest } = inputs;
const before = translate(model, source, { longest });
const edits = editsOf(interventions, model.config, before.weights);
const traces = new Map([[run.run, { model, ...traceOf(model, source, written, edits) }]]);
const computed = selections.map((selection) =>
  ownCell(/** @type {any} */ ({ traces, selection: { run: run.run, ...selection }, run: () => run })),
);
tell({ computed });
