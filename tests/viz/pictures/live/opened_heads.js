// Recomputes cells of opened heads as on a page where only the worker has the weights: `node opened_heads.js`, for
// test_opened_head.py.

import { readFileSync } from "node:fs";
import { asked, tell } from "../../../browser/asked.mjs";
import { createTasks } from "../../../../viz/pictures/browser/live/tasks.js";
import { keepHead, keepTensors, ownTensors } from "../../../../viz/pictures/browser/tensors.js";
import { readConfig } from "../../../../viz/pictures/browser/twin/config.js";
import { editsOf } from "../../../../viz/pictures/browser/twin/changes.js";
import { neededFor } from "../../../../viz/pictures/browser/twin/head.js";
import { readModel } from "../../../../viz/pictures/browser/twin/safetensors.js";
import { traceOf } from "../../../../viz/pictures/browser/twin/trace.js";
import { cellOf } from "../../../../viz/subjects/attention/browser/cell_arithmetic.js";

const doneBy = (models, task) =>
  new Promise((done) => createTasks(models, done)({ number: 0, task }));

async function toldOf({ weights, config, writing, read, written, run, places }) {
  const file = readFileSync(weights);
  const buffer = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength);
  const model = { ...readModel(buffer, readConfig(config)), writing };
  const loupe = /** @type {any} */ ({ traces: new Map(), selection: null });
  const trace = traceOf(model, read, written, editsOf([], model.config, {}));
  keepTensors(loupe, "run", ownTensors({ ...model, parameters: null }, trace));
  const models = /** @type {any} */ ({ get: async () => ({ model }) });
  const sent = [];
  const cells = [];
  for (const { path, ...place } of places) {
    const { head, kind, layer } = place;
    const { tensors } = loupe.traces.get("run");
    const needed = Object.fromEntries(neededFor(path).map((name) => [name, tensors[name]]));
    const task = /** @type {any} */ ({ do: "head", model: {}, path, head, tensors: needed });
    const { answer } = await doneBy(models, task);
    keepHead(loupe, "run", `${kind} ${layer} ${head}`, answer.tensors);
    sent.push(answer.tensors);
    cells.push(cellOf(loupe.traces.get("run"), place, run));
  }
  const plain = ({ heads, rows, columns, data }) => ({
    shape: [heads, rows, columns],
    numbers: [...data],
  });
  return {
    attentions: loupe.traces.get("run").attentions,
    heads: sent.map((of) =>
      Object.fromEntries(Object.entries(of).map(([name, each]) => [name, plain(each)])),
    ),
    cells: cells.map(({ lines, turned, readers, tolerance }) => ({
      lines: lines.map((line) => (Number.isNaN(line) ? "NaN" : line)),
      turned,
      readers,
      tolerance,
    })),
  };
}

const told = [];
for (const each of asked) told.push(await toldOf(each));
tell(told);
