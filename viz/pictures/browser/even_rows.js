// Whether a row of attention has a largest weight that stands out: the same rule as in viz/heads/even_rows.py.

const STANDS_OUT = 1.5;

/** Return whether a weight stands out from an even spread over the tokens that its row may read.
 * @param {number} weight
 * @param {number} allowed the number of those tokens
 */
export const standsOut = (weight, allowed) => weight * (allowed - 1) >= STANDS_OUT * (1 - weight);
