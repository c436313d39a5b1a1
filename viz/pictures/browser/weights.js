// Weights as Python codes them: their colour, and their words, rounded once from the weight itself.

import { say, written } from "./say.js";

export const CODE_ONE = 50_000; // as in viz/run/payload.py: codes up to it are weights in steps of .00002
export const CODE_COVERED = 65_533; // not sent: a question asks for it
export const CODE_NAN = 65_534;
export const CODE_MASKED = 65_535; // a masked cell whose weight is exactly 0

const ERROR = 0.51 / CODE_ONE; // how far a weight may be from its code, float32 included
const SHADES = 200;

/** The weight of a code, 0 where it is none.
 * @param {number} code whole, or the mean of several
 */
export function weightOf(code) {
  return code <= CODE_ONE ? code / CODE_ONE : 0;
}

/** Colour of a weight's code; masked cells keep the ground, under their hatching.
 * @param {number} code
 * @param {{scale: number[][]}} palette
 */
export function weightColour(code, palette) {
  return palette.scale[Math.round(weightOf(code) * SHADES)];
}

/** What a code says, in words.
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

/** A weight in two decimals, ".07", or three where the code leaves the second open; nothing where it is none.
 * @param {number} code
 */
export function shortWeight(code) {
  if (code === CODE_NAN) return "NaN";
  if (code === CODE_MASKED || code === CODE_COVERED) return "";
  const text = roundedWeight(code, 2);
  return Number(text) === 0 ? "" : written(text.replace(/^0/, ""));
}

// With so many decimals as the weight has, whichever of those with this code it is. One more always does: where
// the code lies between two numbers of so many decimals, it is at one with one more.
function roundedWeight(code, decimals) {
  const weight = code / CODE_ONE;
  const [low, high] = [weight - ERROR, weight + ERROR].map((end) =>
    Math.max(0, end).toFixed(decimals),
  );
  return low === high ? low : weight.toFixed(decimals + 1);
}

/** Several heads as one, cell by cell: their mean, or the largest of them.
 * @param {ArrayLike<number>[]} heads codes of equally many cells
 * @param {"mean" | "maximum"} how
 * @returns {Float64Array} codes, of a mean not rounded again; hidden is what each head hides
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
