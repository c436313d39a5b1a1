// All tensors that one pass computes, by their names in the trace; see model/traces.py.

import { hasDecoder, hasEncoder } from "./config.js";
import { firstId } from "./decoding.js";
import { beginCache, decode, encode, generate, outputOf } from "./transformer.js";

/** @typedef {import("./types").Model} Model */
/** @typedef {import("./types").Edits} Edits */
/** @typedef {import("./types").Tensor} Tensor */

/** Run a text and what was written after it in one pass, and keep every tensor but the logits.
 * @param {Model} model
 * @param {number[]} read the source or, without an encoder, the prompt
 * @param {number[]} written ids after the first of the target, including those of a prompt. The last one gets no row.
 *   Without a decoder there are none.
 * @param {Edits} edits
 */
export const traceOf = (model, read, written, edits) =>
  beginTrace(model, read, edits).finish(written);

/** Keep every tensor of the encoder's pass. The written ids may follow later.
 * @param {Model} model
 * @param {number[]} read
 * @param {Edits} edits
 */
export function beginTrace(model, read, edits) {
  /** @type {Record<string, Tensor>} */
  const tensors = {};
  const keep = (name, value) => {
    tensors[name] = value;
    return value;
  };
  const kept = {
    ...edits,
    keep,
    apply: (name, value, start, bypass) => keep(name, edits.apply(name, value, start, bypass)),
  };
  const encoded = hasEncoder(model.config) ? encode(model, read, kept) : null;
  const empty = beginCache(model, encoded?.memory ?? null, kept);
  return {
    /** The state from which a translation of this source can continue. */
    begun: { encoded, empty },
    /** Keep every tensor of the decoder's pass as well.
     * @param {number[]} written
     * @returns {import("./types").Trace}
     */
    finish(written) {
      if (hasDecoder(model.config))
        decode(model, read, [firstId(model, read), ...written.slice(0, -1)], empty, kept);
      return { tensors, touched: touchedIn(tensors, edits) };
    },
  };
}

/** Add the logits and outputs of each row to the trace of a pass, if the model predicts anything.
 * @param {Model} model
 * @param {import("./types").Trace} trace
 * @param {Edits} edits
 * @param {Tensor} [known] the logits, if they are already known
 * @returns {import("./types").Trace}
 */
export function withPredictions(model, { tensors, touched }, edits, known) {
  if (model.config.head === "none") return { tensors, touched };
  const hidden = tensors["decoder.output"] ?? tensors["encoder.output"];
  const logits = known ?? generate(model, hidden, edits);
  const all = { ...tensors, logits, output: outputOf(model, logits, edits) };
  return { tensors: all, touched: touchedIn(all, edits) };
}

const touchedIn = (tensors, { touches }) => Object.keys(tensors).filter(touches);
