// Runs Python's inputs again, as a page does: `node inputs.js`, for test_inputs.py.

import { asked, keptOf, tell } from "../../../browser/asked.mjs";
import { createLoupe } from "../../../../viz/pictures/browser/explorer.js";
import { components } from "../../../../viz/pictures/browser/live/inputs.js";
import { createModels } from "../../../../viz/pictures/browser/live/models.js";

const { checkpoint, data, name } = asked;
globalThis.window = /** @type {any} */ ({ addEventListener() {} });
const loupe = createLoupe(/** @type {any} */ ({ addEventListener() {} }));
loupe.part(createModels).put(data.model.key, keptOf(checkpoint));
const { signal } = new AbortController();
const run = components.inputs(loupe, /** @type {any} */ ({ signal }));
await run(data);
const { heads, rows, columns, data: numbers } = loupe.traces.get(data.run).tensors[name];
tell({ shape: [heads, rows, columns], numbers: [...numbers] });
