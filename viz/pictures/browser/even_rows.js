// When a row of attention reads something most: the rule of viz/heads/even_rows.py.

const STANDS_OUT = 1.5;

/** Whether a weight of a row that may read so many tokens is more than an even one.
 * @param {number} weight
 * @param {number} allowed
 */
export const standsOut = (weight, allowed) => weight * (allowed - 1) >= STANDS_OUT * (1 - weight);
