// Numbers for people: few digits, and a true minus sign.

import { say, written } from "./say.js";

const NUMBER_DIGITS = 4; // number of significant digits shown
const FLOAT32_DIGITS = 7;
const [LEAST_PLAIN, LEAST_LONG] = [1e-3, 1e5]; // outside of this range, numbers are written with a power of ten

// Decode a vector sent as float32 in base64.
export function unpacked(text) {
  return new Float32Array(
    Uint8Array.from(atob(text), (character) => character.charCodeAt(0)).buffer,
  );
}

// Write one number, with fewer digits if it has a power of ten.
export function numberText(value, digits = NUMBER_DIGITS) {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  if (!isPlain(value)) return powerText(value, digits - 2);
  return fixed(value, decimalsOf(value, digits));
}

/** Write an equation that holds for the digits shown. Operands get as many digits as that needs.
 * @param {number[]} operands
 * @param {(...operands: number[]) => number} compute
 * @param {number} result
 * @returns {{ operands: string[], sign: "=" | "≈", result: string }} "≈" if even all digits of float32 are too few
 */
export function equationTexts(operands, compute, result) {
  const shown = numberText(result);
  for (let digits = NUMBER_DIGITS; digits <= FLOAT32_DIGITS; digits++) {
    const texts = operands.map((value) => numberText(value, digits));
    if (numberText(compute(...texts.map(numberOf))) === shown)
      return { operands: texts, sign: "=", result: shown };
  }
  return { operands: operands.map((value) => numberText(value)), sign: "≈", result: shown };
}

// Write a column of numbers with the same number of decimals, so that the largest has 4 digits.
export function columnTexts(values) {
  const largest = largestOf(values);
  if (!isPlain(largest)) return Array.from(values, (value) => numberText(value));
  const decimals = decimalsOf(largest, NUMBER_DIGITS);
  return Array.from(values, (value) =>
    Number.isFinite(value) ? fixed(value, decimals) : numberText(value),
  );
}

// Write a share as a percentage. Only exactly 0 and 1 become 0% and 100%.
export function percentText(share) {
  if (!Number.isFinite(share)) return "NaN";
  if (share > 0 && share < 0.0005) return say("number.under", { share: percent("0.1") });
  if (share >= 0.9995 && share < 1) return say("number.over", { share: percent("99.9") });
  return percent((share * 100).toFixed(1).replace(/\.0$/, ""));
}

// Write the relative difference between two computations of a number, with one digit.
export function differenceText(relative) {
  if (relative === 0) return say("number.exact");
  if (!Number.isFinite(relative)) return "∞";
  return relative < LEAST_PLAIN
    ? powerText(relative, 0)
    : written(String(Number(relative.toPrecision(1))));
}

// Return the largest magnitude in some vectors, or 0 if they hold no finite number.
export function largestOf(...vectors) {
  let largest = 0;
  for (const vector of vectors)
    for (const value of vector)
      if (Number.isFinite(value)) largest = Math.max(largest, Math.abs(value));
  return largest;
}

// Return the magnitude of a number as a share of the largest, 0 to 1, or 0 if it is not finite.
export function partOf(value, largest) {
  return Number.isFinite(value) && largest > 0 ? Math.min(Math.abs(value) / largest, 1) : 0;
}

function isPlain(value) {
  return Math.abs(value) >= LEAST_PLAIN && Math.abs(value) < LEAST_LONG;
}

// Return the number of decimals at which the rounded number has the given significant digits.
function decimalsOf(value, digits) {
  const power = Number(value.toExponential(digits - 1).split("e")[1]);
  return Math.max(0, digits - 1 - power);
}

// Return the number that a text shows.
function numberOf(text) {
  return Number(text.replaceAll("−", "-").replace(",", ".").replace("∞", "Infinity"));
}

function fixed(value, decimals) {
  return written(value.toFixed(decimals).replace("-", "−"));
}

function powerText(value, decimals) {
  const [mantissa, power] = value.toExponential(decimals).split("e");
  const short = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
  return written(`${short}e${Number(power)}`.replaceAll("-", "−"));
}

function percent(number) {
  return written(`${number}%`);
}
