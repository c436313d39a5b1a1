// Weights in two bytes each, as Python sends them; see viz/run/codes.py.

import { CODE_MASKED, CODE_NAN, CODE_ONE } from "../weights.js";

/** Encode each weight of a trace, also if it is masked or not a number, in two bytes.
 * @param {import("./types").Tensor} weights
 * @param {import("./types").Tensor} mask the mask shared by all heads
 * @param {Uint16Array} into an array of the same length as the weights
 */
export function encodeWeights({ data }, mask, into) {
  for (let i = 0; i < data.length; i++) {
    const weight = data[i];
    if (Number.isNaN(weight)) into[i] = CODE_NAN;
    else if (weight === 0 && !mask.data[i % mask.data.length]) into[i] = CODE_MASKED;
    else into[i] = Math.min(CODE_ONE, Math.max(0, evenly(Math.fround(weight * CODE_ONE))));
  }
}

// Round to the nearest whole number, and halves to the even one, as numpy does.
function evenly(value) {
  const nearest = Math.round(value);
  return nearest - value === 0.5 && nearest % 2 ? nearest - 1 : nearest;
}
