// All that one pass computes, by the names of the trace: see model/traces.py.

import { BOS_ID } from "./decoding.js";
import { beginCache, decode, encode } from "./transformer.js";

/** Run a source and what was written for it in one pass, and keep every tensor.
 * @param {import("./types").Model} model
 * @param {number[]} source
 * @param {number[]} written ids after `<s>`; of the last one there is no row
 * @param {import("./types").Edits} edits
 */
export const traceOf = (model, source, written, edits) =>
  beginTrace(model, source, edits).finish(written);

/** Keep every tensor of the encoder's pass; what is written from there may be told afterwards.
 * @param {import("./types").Model} model
 * @param {number[]} source
 * @param {import("./types").Edits} edits
 */
export function beginTrace(model, source, edits) {
  /** @type {Record<string, import("./types").Tensor>} */
  const tensors = {};
  const kept = {
    ...edits,
    apply(name, value, start, bypass) {
      tensors[name] = edits.apply(name, value, start, bypass);
      return tensors[name];
    },
  };
  const encoded = encode(model, source, kept);
  const empty = beginCache(model, encoded.memory, kept);
  return {
    /** What a translation of this source can go on from. */
    begun: { encoded, empty },
    /** Keep every tensor of the decoder's pass as well.
     * @param {number[]} written ids after `<s>`
     * @returns {import("./types").Trace}
     */
    finish(written) {
      decode(model, source, [BOS_ID, ...written.slice(0, -1)], empty, kept);
      delete tensors.logits; // of the last row alone
      return { tensors, touched: Object.keys(tensors).filter(edits.touches) };
    },
  };
}
