// What interventions do to tensors: see model/intervention.py and model/changes.py, which say the same in torch.

import { copyOf, rowOf } from "./tensor.js";

/** @typedef {import("./types").Intervention} Intervention */
/** @typedef {import("./types").Tensor} Tensor */
/** @typedef {(row: Float32Array, head: number, position: number) => void} Change changes a row in place */

/** @type {import("./types").Edits} */
export const NO_EDITS = { needAllRows: false, apply: (_name, value) => value };

const inside = (columns, row) => columns.filter((column) => column < row.length);

/** For each kind what it does to a row.
 * @type {Record<string, (intervention: Intervention, origin: Tensor | undefined) => Change>}
 */
const CHANGES = {
  zero: (made) => onColumns(made, () => 0),
  scale: (made) => onColumns(made, (value) => value * made.amount),
  set: (made) => onColumns(made, () => made.amount),
  point: ({ columns: [column], amount }) =>
    function pointed(row) {
      if (column >= row.length) return;
      for (let i = 0; i < row.length; i++) row[i] *= 1 - amount;
      row[column] += amount;
    },
  paint: ({ values }) =>
    function painted(row) {
      const sum = values.slice(0, row.length).reduce((total, value) => total + value, 0);
      if (sum > 0) for (let i = 0; i < row.length; i++) row[i] = (values[i] ?? 0) / sum;
    },
  cut: ({ columns }) =>
    function hidden(row) {
      for (const column of inside(columns, row)) row[column] = -Infinity;
    },
  patch: copied,
};

/** Whether the twin can do what an intervention says; the rest is PyTorch's alone.
 * @param {Intervention} intervention
 */
export function canDo({ kind, name, origin }) {
  if (kind === "patch") return origin === "" && name.endsWith(".weights");
  return kind === "skip" || kind in CHANGES;
}

/** Make the edits that do all of these, each to what those before it left.
 * @param {Intervention[]} interventions
 * @param {import("./types").Config} config
 * @param {import("./types").Weights} [origin] of the run without any, for what is copied from it
 * @returns {import("./types").Edits}
 */
export function editsOf(interventions, config, origin = {}) {
  /** @type {Map<string, {made: Intervention, change: Change}[]>} */
  const found = new Map();
  const skipped = new Set();
  for (const made of interventions)
    for (const name of namesOf(made, config)) {
      if (made.kind === "skip") skipped.add(name);
      else {
        // What is cut is hidden before the softmax.
        const tensor = made.kind === "cut" ? name.replace(/weights$/, "scores") : name;
        const change = CHANGES[made.kind](made, origin[name]);
        found.set(tensor, [...(found.get(tensor) ?? []), { made, change }]);
      }
    }
  return {
    needAllRows: interventions.some(needsAllRows),
    apply(name, value, start = 0, bypass = undefined) {
      if (bypass && skipped.has(name)) return bypass;
      const edits = found.get(name);
      if (!edits) return value;
      const edited = copyOf(value);
      for (const { made, change } of edits) changeRows(edited, made, change, start);
      return edited;
    },
  };
}

function changeRows(value, made, change, start) {
  const heads = made.head === null ? [...Array(value.heads).keys()] : [made.head];
  const rows = made.rows?.map((position) => position - start) ?? [...Array(value.rows).keys()];
  for (const row of rows)
    if (row >= 0 && row < value.rows)
      for (const head of heads) change(rowOf(value, row, head), head, row + start);
}

// One tensor in each layer where a star stands for the number of the layer.
function namesOf({ name }, config) {
  const [stack, rest] = name.split(".*.");
  if (rest === undefined) return [name];
  const count = stack === "encoder.layers" ? config.n_encoder_layers : config.n_decoder_layers;
  return Array.from({ length: count }, (_, layer) => `${stack}.${layer}.${rest}`);
}

const needsAllRows = ({ kind, name, amount }) =>
  kind === "set" && name.endsWith("self_attn.mask") && amount !== 0;

function onColumns({ columns }, change) {
  return (row) => {
    for (const column of columns ? inside(columns, row) : row.keys())
      row[column] = change(row[column]);
  };
}

// Rows of another head, or of other positions, of the run as it was; what lacks keys is divided by its sum.
function copied({ rows, origin_rows: originRows, origin_head: originHead }, origin) {
  return (row, head, position) => {
    const from = rows && originRows ? originRows[rows.indexOf(position)] : position;
    if (!origin || from >= origin.rows) return;
    const given = rowOf(origin, from, originHead ?? head);
    row.fill(0);
    row.set(given.subarray(0, row.length));
    if (given.length === row.length) return;
    const sum = row.reduce((total, value) => total + value, 0);
    if (sum > 0) for (let i = 0; i < row.length; i++) row[i] /= sum;
  };
}
