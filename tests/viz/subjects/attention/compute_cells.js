// Computes cells as a page without a server does: `node compute_cells.js`, for test_offline.py.

import { inflateSync } from "node:zlib";
import { asked, tell } from "../../../browser/asked.mjs";
import { cellOf } from "../../../../viz/subjects/attention/browser/cell_arithmetic.js";
import { attentionOf } from "../../../../viz/subjects/attention/browser/offline.js";

const { sent, selections } = asked;
const bytes = inflateSync(Buffer.from(sent.cells.numbers, "base64"));
const numbers = new Float32Array(new Uint8Array(bytes).buffer);
const { cells, run } = sent;
const computed = selections.map((selection) => {
  const of = cells.attentions.find(({ kind, layer }) => kind === selection.kind && layer === selection.layer);
  return of ? cellOf(attentionOf(of, cells, numbers), { run: run.run, ...selection }, run, cells.tolerance) : null;
});
tell({ computed });
