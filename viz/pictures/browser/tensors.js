// The one form in which a run reaches a picture: tensors by path, parameters among them. Python sends them, the browser's
// own model computes them, a file holds them; a picture cannot tell.

import { fillOf, keyValueHeads, scaleOf } from "./twin/config.js";
import { statesOf } from "./twin/head.js";
import { headNumbers, tensor } from "./twin/tensor.js";

/** @typedef {import("./types").Tensors} Tensors */
/** @typedef {import("./twin/types").Tensor} Tensor */

const RUNS_KEPT = 8;
const HEADS_KEPT = 12; // of a run whose tensors are sent a head at a time

/** Keeps of which head the worker beside the page is asked; null if of none. */
export const createAwaited = () => ({
  head: /** @type {import("./live/types").AskedHead | null} */ (null),
});

/** Keep what Python sent of a run. What it sent of one head takes the place of what the browser computed.
 * @param {import("./types").Loupe} loupe
 * @param {string} run its key
 * @param {import("./wire").WireTensors} sent
 * @param {Float32Array<ArrayBuffer>} numbers
 * @param {string} [head] whose tensors these are, if they are of one head alone
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

/** Keep the tensors of one head that the worker beside the page computed.
 * @param {import("./types").Loupe} loupe
 * @param {string} run its key; its other tensors are here
 * @param {string} head by "kind layer head"
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

/** Keep what the browser's own model computed of a run, beneath the heads that Python sent.
 * @param {import("./types").Loupe} loupe
 * @param {string} run its key
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

/** Keep the tensors of a run, and forget those of the oldest.
 * @param {import("./types").Loupe} loupe
 * @param {string} run its key
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

/** Tensors by path, of the numbers that were sent beside them.
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

/** One head of a tensor, as it was sent alone or with the others; undefined if it is not here.
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

/** What Python says of a run's attentions, said of one that the browser's own model computed.
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
    model: model.parameters ? model : undefined, // of a large one the worker beside the page has them
    tensors,
    whole: tensors,
    touched,
    attentions: Object.fromEntries(attentions),
    fill: fillOf(config),
    tolerance: TOLERANCE,
    heads: new Map(),
  };
}

const FACTS = { softcap: null, sinks: false }; // of every attention that it computes
const TOLERANCE = 1e-4; // as in viz/run/tensor_parcel.py

// As read_by in viz/run/tensor_parcel.py.
function readBy({ norm_placement: placement }, path) {
  const queries = placement === "post" ? statesOf(path) : `${path}_norm.output`;
  const keys = path.endsWith("cross_attn") ? "encoder.output" : queries;
  return /** @type {[string, string]} */ ([queries, keys]);
}
