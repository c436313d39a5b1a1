// Weights as Python codes them: their colour and their text, rounded once from the weight itself.

import { say, written } from "./say.js";

export const CODE_ONE = 50_000; // as in viz/run/payload.py: codes up to this are weights in steps of .00002
export const CODE_COVERED = 65_533; // not sent, because a question asks for it
export const CODE_NAN = 65_534;
export const CODE_MASKED = 65_535; // a masked cell whose weight is exactly 0

const ERROR = 0.51 / CODE_ONE; // greatest difference between a weight and its code, rounding of float32 included
const SHADES = 200;

/** Return the weight of a code, or 0 if the code has none.
 * @param {number} code a whole code, or the mean of several
 */
export function weightOf(code) {
  return code <= CODE_ONE ? code / CODE_ONE : 0;
}

/** Return the colour of a weight's code. Masked cells keep that of a weight of 0, below their hatching.
 * @param {number} code
 * @param {{scale: number[][]}} palette
 */
export function weightColour(code, palette) {
  return palette.scale[Math.round(weightOf(code) * SHADES)];
}

/** Write in words what a code stands for.
 * @param {number} code
 */
export function weightWords(code) {
  if (code === CODE_COVERED) return say("picture.covered");
  if (code === CODE_MASKED) return say("picture.exactly_masked");
  if (code === CODE_NAN) return say("picture.no_number");
  const text = roundedWeight(code, 3);
  if (Number(text) === 0) return say("picture.below", { weight: written("0.0005") });
  if (Number(text) === 1) return say("picture.above", { weight: written("0.9995") });
  return written(text);
}

/** Write a weight with two decimals, ".07", or three if its code leaves the second open; "" if the code has no weight.
 * @param {number} code
 */
export function shortWeight(code) {
  if (code === CODE_NAN) return "NaN";
  if (code === CODE_MASKED || code === CODE_COVERED) return "";
  const text = roundedWeight(code, 2);
  return Number(text) === 0 ? "" : written(text.replace(/^0/, ""));
}

// Write a weight with the decimals that all weights of this code share when rounded. If these differ, one more decimal
// is enough, because the code then lies exactly between two numbers with the given decimals.
function roundedWeight(code, decimals) {
  const weight = code / CODE_ONE;
  const [low, high] = [weight - ERROR, weight + ERROR].map((end) =>
    Math.max(0, end).toFixed(decimals),
  );
  return low === high ? low : weight.toFixed(decimals + 1);
}

/** Combine several heads cell by cell, by their mean or their maximum.
 * @param {ArrayLike<number>[]} heads their codes, the same number in each
 * @param {"mean" | "maximum"} how
 * @returns {Float64Array} codes, those of a mean not rounded again; a cell is masked if every head masks it
 */
export function combinedCodes(heads, how) {
  return Float64Array.from(heads[0], (_, cell) => {
    const codes = heads.map((head) => head[cell]);
    if (codes.includes(CODE_COVERED)) return CODE_COVERED;
    if (codes.includes(CODE_NAN)) return CODE_NAN;
    if (codes.every((code) => code === CODE_MASKED)) return CODE_MASKED;
    const weights = codes.map((code) => (code === CODE_MASKED ? 0 : code));
    if (how === "maximum") return Math.max(...weights);
    return weights.reduce((sum, weight) => sum + weight, 0) / weights.length;
  });
}
