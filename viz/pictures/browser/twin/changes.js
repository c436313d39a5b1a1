// The effects of interventions on tensors, the same as in model/interventions/kinds.py and changes.py.

import { copyOf, rowOf } from "./tensor.js";

/** @typedef {import("./types").Intervention} Intervention */
/** @typedef {import("./types").Tensor} Tensor */
/** @typedef {import("./types").Kind} Kind */

/** @type {import("./types").Edits} */
export const NO_EDITS = {
  needAllRows: false,
  touches: () => false,
  apply: (_name, value) => value,
  keep: () => {},
};

/** The interventions that the twin can make; all others need PyTorch.
 * @type {Record<string, Kind>}
 */
const KINDS = {
  zero: { ofColumns: true, change: each(() => 0) },
  scale: { ofColumns: true, change: each((value, { amount }) => value * amount) },
  set: {
    ofColumns: true,
    needsAllRows: ({ name, amount }) => name.endsWith("self_attn.mask") && amount !== 0,
    change: each((_value, { amount }) => amount),
  },
  point: {
    change(row, { columns: [column], amount }) {
      if (column >= row.length) return;
      for (let i = 0; i < row.length; i++) row[i] *= 1 - amount;
      row[column] += amount;
    },
  },
  paint: {
    change(row, { values }) {
      const sum = values.slice(0, row.length).reduce((total, value) => total + value, 0);
      if (sum > 0) for (let i = 0; i < row.length; i++) row[i] = (values[i] ?? 0) / sum;
    },
  },
  cut: {
    ofColumns: true,
    ofMask: true,
    acted: (name) => name.replace(/weights$/, "scores"), // the keys are hidden before the softmax
    change: each(() => -Infinity),
  },
  patch: {
    fits: ({ name, origin }) => origin === "" && name.endsWith(".weights"),
    change: copied,
  },
  skip: { isBypass: true },
};

/** Return whether the twin can make an intervention.
 * @param {Intervention} made
 */
export const canDo = (made) => made.kind in KINDS && (KINDS[made.kind].fits?.(made) ?? true);

/** Return whether an intervention copies from the run without changes.
 * @param {Intervention} made
 */
export const needsOrigin = ({ kind }) => kind === "patch";

/** Make a change with all its fields. Missing ones get the defaults of model/interventions/base.py.
 * @param {string} kind
 * @param {string} name
 * @param {Partial<Intervention>} fields
 * @returns {Intervention}
 */
export const changeOf = (kind, name, fields) => ({
  kind,
  name,
  head: null,
  rows: null,
  columns: null,
  amount: 1,
  values: [],
  origin: "",
  origin_rows: null,
  origin_head: null,
  ...fields,
});

/** Make the change that switches a head off: the head's input to the output projection becomes 0.
 * @param {string} name the name of the heads' outputs
 * @param {number} head
 */
export const headOff = (name, head) => changeOf("zero", name, { head });

/** Write a change as text, equal for equal changes.
 * @param {Intervention} made
 */
export const sayChange = (made) => JSON.stringify(Object.entries(made).sort());

/** Return where a change acts, as text: another change at the same place replaces it.
 * @param {Intervention} made
 */
export function placeOf({ kind, name, head, rows, columns }) {
  const { ofColumns, ofMask } = KINDS[kind] ?? {};
  return JSON.stringify([name, head, rows, ofColumns ? columns : null, ofMask]);
}

/** Make the edits for interventions, which act one after another on the result so far.
 * @param {Intervention[]} interventions
 * @param {import("./types").Config} config
 * @param {import("./types").Weights} [origin] the weights of the run without changes, from which rows can be copied
 * @returns {import("./types").Edits}
 */
export function editsOf(interventions, config, origin = {}) {
  /** @type {Map<string, {made: Intervention, from: Tensor | undefined}[]>} */
  const found = new Map();
  const skipped = new Set();
  for (const made of interventions)
    for (const name of namesOf(made, config)) {
      const { isBypass, acted } = KINDS[made.kind];
      const tensor = acted?.(name) ?? name;
      if (isBypass) skipped.add(name);
      else found.set(tensor, [...(found.get(tensor) ?? []), { made, from: origin[name] }]);
    }
  return {
    needAllRows: interventions.some((made) => KINDS[made.kind].needsAllRows?.(made)),
    touches: (name) => found.has(name),
    keep: NO_EDITS.keep,
    apply(name, value, start = 0, bypass = undefined) {
      if (bypass && skipped.has(name)) return bypass;
      const edits = found.get(name);
      if (!edits) return value;
      const edited = copyOf(value);
      const isCausal = config.causal_mask && isCausalWeights(name);
      for (const { made, from } of edits) changeRows(name, edited, made, from, start, isCausal);
      return edited;
    },
  };
}

// Return whether a change of these weights may not reach later tokens, if the model has a causal mask.
const isCausalWeights = (name) => name.startsWith("decoder") && name.endsWith("self_attn.weights");

function changeRows(name, value, made, from, start, isCausal) {
  const { change } = KINDS[made.kind];
  if (made.head !== null && made.head >= value.heads)
    throw new Error(`${name} has heads 0 to ${value.heads - 1}, got ${made.head}`);
  const heads = made.head === null ? [...Array(value.heads).keys()] : [made.head];
  const rows = made.rows?.map((position) => position - start) ?? [...Array(value.rows).keys()];
  for (const row of rows)
    if (row >= 0 && row < value.rows)
      for (const head of heads) {
        const position = row + start;
        const numbers = rowOf(value, row, head);
        change(isCausal ? numbers.subarray(0, position + 1) : numbers, made, {
          head,
          position,
          from,
        });
      }
}

// Return the name of the tensor or, if a star stands for the layer number, its names in all layers.
function namesOf({ name }, config) {
  const [stack, rest] = name.split(".*.");
  if (rest === undefined) return [name];
  const count = stack === "encoder.layers" ? config.n_encoder_layers : config.n_decoder_layers;
  return Array.from({ length: count }, (_, layer) => `${stack}.${layer}.${rest}`);
}

function each(change) {
  return (row, made) => {
    for (const column of made.columns ?? row.keys())
      if (column < row.length) row[column] = change(row[column], made);
  };
}

// Copy a row of the unchanged run, maybe of another head or position. If it has to be cut, divide the rest by its sum.
function copied(row, { rows, origin_rows, origin_head }, { head, position, from }) {
  const at = rows && origin_rows ? origin_rows[rows.indexOf(position)] : position;
  if (!from || at >= from.rows) return;
  const given = rowOf(from, at, origin_head ?? head);
  row.fill(0);
  row.set(given.subarray(0, row.length));
  if (given.length === row.length) return;
  const sum = row.reduce((total, value) => total + value, 0);
  if (sum > 0) for (let i = 0; i < row.length; i++) row[i] /= sum;
}
