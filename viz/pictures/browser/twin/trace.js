// All that one pass computes, by the names of the trace: see model/traces.py.

import { BOS_ID } from "./decoding.js";
import { beginCache, decode, encode } from "./transformer.js";

/** Run a source and what was written for it in one pass, and keep every tensor.
 * @param {import("./types").Model} model
 * @param {number[]} source
 * @param {number[]} written ids after `<s>`; of the last one there is no row
 * @param {import("./types").Edits} edits
 * @returns {import("./types").Trace}
 */
export function traceOf(model, source, written, edits) {
  /** @type {Record<string, import("./types").Tensor>} */
  const tensors = {};
  const kept = {
    ...edits,
    apply(name, value, start, bypass) {
      tensors[name] = edits.apply(name, value, start, bypass);
      return tensors[name];
    },
  };
  const { memory } = encode(model, source, kept);
  decode(model, source, [BOS_ID, ...written.slice(0, -1)], beginCache(model, memory, kept), kept);
  delete tensors.logits; // of the last row alone
  return { tensors, touched: Object.keys(tensors).filter(edits.touches) };
}
