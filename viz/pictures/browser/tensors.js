// The one form in which a run reaches a picture: tensors, including parameters, by path. They may come from Python,
// from the browser's own model or from a file; a picture does not know which.

import { fillOf, keyValueHeads, scaleOf } from "./twin/config.js";
import { statesOf } from "./twin/head.js";
import { headNumbers, tensor } from "./twin/tensor.js";

/** @typedef {import("./types").Tensors} Tensors */
/** @typedef {import("./twin/types").Tensor} Tensor */

const RUNS_KEPT = 8;
const HEADS_KEPT = 12; // of a run whose tensors are sent one head at a time

/** Keep the head that was requested from the worker beside the page, or null. */
export const createAwaited = () => ({
  head: /** @type {import("./live/types").AskedHead | null} */ (null),
});

/** Store the tensors of a run that Python sent. Those of one head replace what the browser computed.
 * @param {import("./types").Loupe} loupe
 * @param {string} run the key of the run
 * @param {import("./wire").WireTensors} sent
 * @param {Float32Array<ArrayBuffer>} numbers
 * @param {string} [head] the head whose tensors these are, if they are of one head only
 */
export function takeTensors(loupe, run, sent, numbers, head = "") {
  const known = loupe.traces.get(run);
  const tensors = readTensors(sent.arrays, numbers);
  const heads = head ? withHead(known?.heads, head, tensors) : new Map(known?.heads);
  keepTensors(loupe, run, {
    ...known,
    fill: Number(sent.fill),
    tolerance: sent.tolerance,
    ...withHeads(head ? (known?.whole ?? {}) : tensors, heads),
    touched: both(known?.touched, sent.touched),
    attentions: { ...known?.attentions, ...sent.attentions },
  });
}

/** Store the tensors of one head that the worker beside the page computed.
 * @param {import("./types").Loupe} loupe
 * @param {string} run the key of the run, whose other tensors are already here
 * @param {string} head the head as "kind layer head"
 * @param {Record<string, Tensor>} tensors
 */
export function keepHead(loupe, run, head, tensors) {
  const known = loupe.traces.get(run);
  const heads = withHead(known.heads, head, tensors);
  keepTensors(loupe, run, { ...known, ...withHeads(known.whole, heads) });
}

function withHead(known, head, tensors) {
  const heads = new Map(known);
  heads.delete(head); // the latest comes last
  heads.set(head, tensors);
  if (heads.size > HEADS_KEPT) heads.delete([...heads.keys()][0]);
  return heads;
}

/** Store the tensors that the browser's own model computed. Heads that Python sent replace them.
 * @param {import("./types").Loupe} loupe
 * @param {string} run the key of the run
 * @param {Tensors} own
 */
export function keepOwn(loupe, run, own) {
  const known = loupe.traces.get(run);
  keepTensors(loupe, run, {
    ...own,
    ...withHeads(own.tensors, known?.heads ?? new Map()),
    touched: both(own.touched, known?.touched),
  });
}

const both = (some = [], others = []) => [...new Set([...some, ...others])];

const withHeads = (whole, heads) => ({
  whole,
  heads,
  tensors: Object.assign({}, whole, ...heads.values()),
});

/** Store the tensors of a run, and delete those of the oldest run.
 * @param {import("./types").Loupe} loupe
 * @param {string} run the key of the run
 * @param {Tensors} tensors
 */
export function keepTensors({ traces, selection }, run, tensors) {
  traces.delete(run); // the latest comes last
  traces.set(run, tensors);
  for (const key of traces.keys()) {
    if (traces.size <= RUNS_KEPT) return;
    if (key !== run && key !== selection?.run) traces.delete(key);
  }
}

/** Return tensors by path from their shapes and the array of all their numbers.
 * @param {Record<string, import("./wire").WireArray>} arrays
 * @param {Float32Array<ArrayBuffer>} numbers
 */
export function readTensors(arrays, numbers) {
  const named = Object.entries(arrays).map(([name, { at, shape }]) => {
    const [heads, rows, columns] = shape;
    const data = numbers.subarray(at, at + heads * rows * columns);
    return [name, tensor(heads, rows, columns, data)];
  });
  return /** @type {Record<string, Tensor>} */ (Object.fromEntries(named));
}

/** Return one head of a tensor, sent alone or with the others, or undefined if it is not here.
 * @param {Tensors} run
 * @param {string} name
 * @param {number} head
 * @returns {Tensor | undefined}
 */
export function headOf({ tensors }, name, head) {
  const [sent, whole] = [tensors[`${name}[${head}]`], tensors[name]];
  if (sent || !whole) return sent;
  const own = /** @type {Float32Array<ArrayBuffer>} */ (headNumbers(whole, head));
  return tensor(1, whole.rows, whole.columns, own);
}

/** Describe a run that the browser's own model computed as Python describes its runs.
 * @param {import("./twin/types").Model} model
 * @param {import("./twin/types").Trace} trace
 * @returns {Tensors}
 */
export function ownTensors(model, { tensors, touched }) {
  const { config } = model;
  const weights = Object.keys(tensors).filter((name) => name.endsWith("_attn.weights"));
  const attentions = weights.map((name) => {
    const path = name.replace(/\.weights$/, "");
    return [
      path,
      {
        ...FACTS,
        scale: scaleOf(config),
        keyHeads: keyValueHeads(config),
        reads: readBy(config, path),
      },
    ];
  });
  return {
    model: model.parameters ? model : undefined, // the worker beside the page keeps those of a large model
    tensors,
    whole: tensors,
    touched,
    attentions: Object.fromEntries(attentions),
    fill: fillOf(config),
    tolerance: TOLERANCE,
    heads: new Map(),
  };
}

const FACTS = { softcap: null, sinks: false }; // of every attention that the browser's own model computes
const TOLERANCE = 1e-4; // as in viz/run/tensor_parcel.py

// Return the paths of the tensors that an attention reads, as read_by in viz/run/tensor_parcel.py does.
function readBy({ norm_placement: placement }, path) {
  const queries = placement === "post" ? statesOf(path) : `${path}_norm.output`;
  const keys = path.endsWith("cross_attn") ? "encoder.output" : queries;
  return /** @type {[string, string]} */ ([queries, keys]);
}
