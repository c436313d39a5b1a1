// Computes cells as a page without a server does: `node compute_cells.js FOLDER`, for test_offline.py.

import { readFileSync, writeFileSync } from "node:fs";
import { inflateSync } from "node:zlib";
import { createCells } from "../../../../viz/subjects/attention/browser/offline_cell.js";

const folder = process.argv[2];
const { sent, selections } = JSON.parse(readFileSync(`${folder}/asked.json`, "utf8"));
const bytes = inflateSync(Buffer.from(sent.cells.numbers, "base64"));
const numbers = new Float32Array(new Uint8Array(bytes).buffer);
const cells = createCells(sent.cells, numbers, { run: () => sent.run });
const computed = selections.map((selection) => cells.at({ run: sent.run.run, ...selection }));
writeFileSync(`${folder}/told.json`, JSON.stringify({ computed }));
