// Weights in two bytes each, as Python sends them: see viz/run/codes.py.

import { CODE_MASKED, CODE_NAN, CODE_ONE } from "../weights.js";

/** Put each weight of a trace into two bytes, or that it is masked or not a number.
 * @param {import("./types").Tensor} weights
 * @param {import("./types").Tensor} mask of all heads
 * @param {Uint16Array} into as many
 */
export function encodeWeights({ data }, mask, into) {
  for (let i = 0; i < data.length; i++) {
    const weight = data[i];
    if (Number.isNaN(weight)) into[i] = CODE_NAN;
    else if (weight === 0 && !mask.data[i % mask.data.length]) into[i] = CODE_MASKED;
    else into[i] = Math.min(CODE_ONE, Math.max(0, evenly(Math.fround(weight * CODE_ONE))));
  }
}

// To the nearest whole number, and from the middle to the even one, as numpy does.
function evenly(value) {
  const nearest = Math.round(value);
  return nearest - value === 0.5 && nearest % 2 ? nearest - 1 : nearest;
}
